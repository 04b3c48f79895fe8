"""An optional door: a shared password (COUNTERWEIGHT_PASSWORD) or the operator's own sign-in ([auth] in secrets)."""

from __future__ import annotations

import hmac
import os
import time

import streamlit as st


def require() -> None:
    """Pass who may come in; show the door to everybody else and stop."""
    if _has_sign_in() and not st.user.get("is_logged_in"):
        st.title("Please sign in", anchor=False)
        st.button("Sign in", type="primary", on_click=st.login, key="gate:login")
        st.stop()
    password = os.environ.get("COUNTERWEIGHT_PASSWORD", "")
    if password and not st.session_state.get("passed"):
        _ask(password)
        st.stop()


def _has_sign_in() -> bool:
    try:
        return "auth" in st.secrets
    except FileNotFoundError:
        return False


def _ask(password: str) -> None:
    st.title("Please enter the password", anchor=False)
    with st.form("gate", border=False, width=360):
        typed = st.text_input("Password", type="password", help="Whoever runs this server can tell you.")
        if not st.form_submit_button("Enter", type="primary"):
            return
    if hmac.compare_digest(typed.encode(), password.encode()):
        st.session_state["passed"] = True
        st.rerun()
    time.sleep(0.5)  # slows guessing
    st.error("This is not the password; ask whoever runs this server.")

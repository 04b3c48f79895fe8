"""Counterweight's core: importable, testable and scriptable without Streamlit."""

from __future__ import annotations

import anyio

from pages._ui.guard import HEADERS, Headers


def answer(kind):
    sent = []

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"X-Frame-Options", b"ALLOWALL")]})

    async def go():
        async def send(message):
            sent.append(message)

        await Headers(app)({"type": kind}, None, send)

    anyio.run(go)
    return sent[0]["headers"]


def test_every_http_answer_forbids_other_hosts_and_foreign_frames():
    headers = {k.decode().lower(): v.decode() for k, v in answer("http")}
    assert headers == HEADERS
    assert "default-src 'self'" in headers["content-security-policy"]
    assert "http" not in headers["content-security-policy"]


def test_the_socket_is_left_alone():
    assert answer("websocket") == [(b"X-Frame-Options", b"ALLOWALL")]

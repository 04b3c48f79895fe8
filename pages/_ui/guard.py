"""Response headers: nothing is loaded from or sent to another host, and no other site may frame the app."""

from __future__ import annotations

from typing import Any

POLICY = "; ".join((
    "default-src 'self'",
    "script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:",  # Vega compiles its expressions
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self' ws: wss: data: blob:",
    "worker-src 'self' blob:",
    "frame-ancestors 'self'",
    "object-src 'none'",
    "base-uri 'self'",
))
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "SAMEORIGIN",
    "referrer-policy": "same-origin",  # a link holds the study's id: tell it to nobody else
}


class Headers:
    """ASGI middleware that adds HEADERS to every HTTP answer."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def add(message: Any) -> None:
            if message["type"] == "http.response.start":
                own = [(k.encode(), v.encode()) for k, v in HEADERS.items()]
                kept = [(k, v) for k, v in message.get("headers", ()) if k.decode().lower() not in HEADERS]
                message = {**message, "headers": kept + own}
            await send(message)

        await self.app(scope, receive, add if scope["type"] == "http" else send)

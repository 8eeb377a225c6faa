"""Browser sessions: a one-time token in the printed address becomes a cookie that only this console's page can use.

A web page elsewhere can send requests to this machine with the browser's cookies. Four things stop it: the cookie is
`SameSite=Strict`; the `Host` header must be an address of this machine (against DNS rebinding); an `Origin` header must
be the console's own; and a request that changes anything must carry a header that a form or an image cannot send.
"""

import hmac
import os
import secrets
import threading
import time
from base64 import b64encode
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tablewright.console.replies import NO_STORE, problem
from tablewright.errors import UsageError

COOKIE = "tablewright_console"
HEADER = "x-tablewright-console"
"""The header of every request that is not a plain GET; browsers send it for scripts of the same origin only."""
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
TOKEN_SECONDS = 600.0
"""A token that was not used for so long has no effect."""
MAX_TOKENS = 100
SESSION_SECONDS = 12 * 3600.0
MIN_KEY = 32

_STYLE = (
    "body { font: 15px/1.5 system-ui, sans-serif; max-width: 62ch; margin: 15vh auto 0; padding: 0 16px; } "
    "h1 { font-size: 20px; }"
)
_STYLE_HASH = b64encode(sha256(_STYLE.encode()).digest()).decode()
POLICY = (
    f"default-src 'none'; script-src 'self'; style-src 'self' 'sha256-{_STYLE_HASH}'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
SECURITY_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

# A reload by the page itself, and not a redirect: after a redirect from a link elsewhere, a strict cookie is not sent.
_OPENED = """<!doctype html><title>Tablewright</title><link rel="icon" href="data:,">
<meta http-equiv="refresh" content="0; url=./">"""
_CLOSED = f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>Tablewright console</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,"><style>{_STYLE}</style>
<h1>This browser has no session</h1>
<p>Open the address that the command printed in the terminal. It contains a token that works once, within ten minutes.
<p>If the token was used already, start the command again, or open the console from the page that links to
it.</p></html>"""


class BrowserSessions:
    """The tokens that were issued, and the key that signs the sessions opened with them.

    A session is valid for twelve hours, also after a restart with the same key.
    """

    def __init__(self, key: bytes | None = None, now: Callable[[], float] = time.time) -> None:
        self._key = key or secrets.token_bytes(32)
        self._now = now
        self._tokens: dict[str, float] = {}
        self._lock = threading.Lock()

    @classmethod
    def from_file(cls, file: Path) -> "BrowserSessions":
        """Load the key from a file, or create the file with a new key, readable only by its owner."""
        try:
            handle = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        except FileExistsError:
            key = file.read_bytes()
            if len(key) < MIN_KEY:
                raise UsageError(
                    f"{file} holds no key of console sessions; delete it, and start again"
                ) from None
            return cls(key)
        key = secrets.token_bytes(32)
        with os.fdopen(handle, "wb") as opened:
            opened.write(key)
        return cls(key)

    def issue(self) -> str:
        """Return a new token; it opens one session."""
        token = secrets.token_urlsafe(32)
        with self._lock:
            while len(self._tokens) >= MAX_TOKENS:
                del self._tokens[next(iter(self._tokens))]
            self._tokens[token] = self._now() + TOKEN_SECONDS
        return token

    def open(self, token: str) -> str | None:
        """Open a session with a token; return the session, or None if the token is unknown, used or expired."""
        with self._lock:
            expires = self._tokens.pop(token, None)
        if expires is None or expires < self._now():
            return None
        content = f"{int(self._now() + SESSION_SECONDS)}.{secrets.token_urlsafe(16)}"
        return f"{content}.{self._signature(content)}"

    def is_open(self, session: str) -> bool:
        """Whether a session was opened with this key, and has not expired."""
        content, _, signature = session.rpartition(".")
        if not hmac.compare_digest(signature.encode(), self._signature(content).encode()):
            return False
        return int(content.partition(".")[0]) > self._now()

    def _signature(self, content: str) -> str:
        return hmac.new(self._key, content.encode(), "sha256").hexdigest()


class BrowserAccess:
    """Lets a request through only if it comes from the console's own page in a browser with a session."""

    def __init__(
        self, application: ASGIApp, sessions: BrowserSessions, hosts: Sequence[str] = LOOPBACK
    ) -> None:
        self._application = application
        self._sessions = sessions
        self._hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http":
            return
        reply = self._reply(scope)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers[name] = value
            await send(message)

        await (reply or self._application)(scope, receive, send_with_headers)

    def _reply(self, scope: Scope) -> Response | None:
        """Return the reply to a request that is not passed on."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if _host_name(host) not in self._hosts or not _is_address(host) or len(headers.getlist("host")) > 1:
            return problem(403, "WrongHost", "This console is served to pages of this machine only.")
        if _is_from_elsewhere(headers, host) and not _is_page(scope):
            return problem(403, "WrongOrigin", "Another web page sent this request.")
        if scope["method"] not in ("GET", "HEAD") and HEADER not in headers:
            return problem(403, "WrongOrigin", f"Requests that change something need the header {HEADER}.")
        if _is_page(scope) and (token := QueryParams(scope["query_string"]).get("token")) is not None:
            return self._open(scope, token)
        session = _cookie(headers, _cookie_name(host))
        if session is not None and self._sessions.is_open(session):
            return None
        if _is_page(scope):
            return HTMLResponse(_CLOSED, 401, NO_STORE)
        return problem(401, "NoSession", "This browser has no session; open the address in the terminal.")

    def _open(self, scope: Scope, token: str) -> Response:
        headers = Headers(scope=scope)
        host = headers["host"]
        session = self._sessions.open(token)
        if session is None:
            known = _cookie(headers, _cookie_name(host))
            if known is None or not self._sessions.is_open(known):
                return HTMLResponse(_CLOSED, 401, NO_STORE)
            return HTMLResponse(_OPENED, headers=NO_STORE)  # the address was opened again in the same browser
        reply = HTMLResponse(_OPENED, headers=NO_STORE)
        path = scope.get("root_path", "") + "/"
        reply.set_cookie(_cookie_name(host), session, path=path, httponly=True, samesite="strict")
        return reply


def _is_from_elsewhere(headers: Headers, host: str) -> bool:
    other = any(origin.partition("://")[2] != host for origin in headers.getlist("origin"))
    return other or headers.get("sec-fetch-site", "").lower() in ("cross-site", "same-site")


def _is_address(host: str) -> bool:
    try:
        return urlsplit(f"//{host}").port != 0
    except ValueError:
        return False


def _cookie_name(host: str) -> str:
    """Return the name of the cookie: browsers share cookies between the ports of a host."""
    return f"{COOKIE}_{urlsplit(f'//{host}').port or 80}"


def _cookie(headers: Headers, name: str) -> str | None:
    for cookie in headers.get("cookie", "").split(";"):
        key, _, value = cookie.strip().partition("=")
        if key == name:
            return value
    return None


def _is_page(scope: Scope) -> bool:
    path: str = scope["path"].removeprefix(scope.get("root_path", ""))
    return scope["method"] == "GET" and path in ("", "/")


def _host_name(host: str) -> str:
    """Return the name in a Host header, without the port.

    >>> _host_name("[::1]:8080"), _host_name("localhost:80"), _host_name("localhost")
    ('[::1]', 'localhost', 'localhost')
    """
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).lower()

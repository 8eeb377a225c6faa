"""A fake platform: records, OAuth with PKCE, expiring tokens, throttling and failures on demand."""

import base64
import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlencode

import httpx

from tablewright_systems.listbackup.platforms.oauth_client import challenge

TOKEN_LIFETIME = timedelta(hours=24)
API_KEY = "sk_test_listbackup"
CLIENT = ("listbackup", "fake-client-secret")
RETRY_AFTER = 7
ACCOUNT = "acct-ada"
"""The platform's own id of the account that authorizes ListBackup."""

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply of a fake."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Faults:
    """How many of the next API requests fail, and in which way."""

    throttled: int = 0
    failing: int = 0
    redirected: int = 0


class FakePlatform:
    """What all fakes share. A platform adds `serve`, which returns the reply to an authenticated request."""

    name: str

    def __init__(self, records: Mapping[str, Mapping[str, Row]], now: Callable[[], datetime]) -> None:
        self.records = {kind: dict(rows) for kind, rows in records.items()}
        self.now = now
        self.faults = Faults()
        self.requests: list[httpx.Request] = []
        self.api_keys = {API_KEY}
        self._codes: dict[str, tuple[str, str]] = {}
        self._access: dict[str, datetime] = {}
        self._refresh: set[str] = set()

    def serve(self, method: str, path: str, query: Mapping[str, str], request: httpx.Request) -> Reply:
        """Return the reply to an authenticated request of the API."""
        raise NotImplementedError

    def presented_secret(self, request: httpx.Request) -> str:
        """Return the token or key of a request."""
        return str(request.headers.get("authorization", "")).removeprefix("Bearer ")

    def handle(self, request: httpx.Request, path: str) -> httpx.Response:
        """Return the reply to a request; `path` is relative to the platform."""
        self.requests.append(request)
        query = dict(request.url.params)
        if path == "/oauth/authorize":
            reply = self._authorize(request.method, query)
        elif path == "/oauth/token" and request.method == "POST":
            reply = self._token(dict(parse_qsl(request.content.decode())), request)
        else:
            reply = self._fault() or self._authenticated(request, path, query)
        return httpx.Response(reply.status, headers=reply.headers, json=reply.body)

    def authorize(self, code_challenge: str, redirect_uri: str) -> str:
        """Authorize the application as the user of the platform does; return the code."""
        code = secrets.token_urlsafe(16)
        self._codes[code] = (code_challenge, redirect_uri)
        return code

    def expire_tokens(self) -> None:
        """Let every access token expire."""
        self._access = dict.fromkeys(self._access, self.now())

    def revoke(self) -> None:
        """Withdraw the authorization, as the user of the platform can."""
        self._access.clear()
        self._refresh.clear()

    def change(self, data_type: str, record_id: str, **changes: Any) -> Row:
        """Change a record of the platform now; return it."""
        row = {**self.records[data_type][record_id], **changes, **self.changed_now(data_type)}
        self.records[data_type][record_id] = row
        return row

    def changed_now(self, data_type: str) -> Row:
        """Return the fields that hold the time of change."""
        raise NotImplementedError

    def _fault(self) -> Reply | None:
        for name, reply in (
            ("throttled", Reply({"message": "slow down"}, 429, {"retry-after": str(RETRY_AFTER)})),
            ("failing", Reply({"message": "try again"}, 503)),
            ("redirected", Reply({}, 302, {"location": "https://elsewhere.example/contacts"})),
        ):
            if left := getattr(self.faults, name):
                setattr(self.faults, name, left - 1)
                return reply
        return None

    def _authenticated(self, request: httpx.Request, path: str, query: Mapping[str, str]) -> Reply:
        secret = self.presented_secret(request)
        if secret not in self.api_keys and self._access.get(secret, self.now()) <= self.now():
            return Reply({"message": f"the token {secret} is not valid"}, 401)
        return self.serve(request.method, path, query, request)

    def _authorize(self, method: str, query: Mapping[str, str]) -> Reply:
        """Authorize at once, and redirect the browser back with a code: a fake asks no user."""
        missing = {"client_id", "redirect_uri", "state", "code_challenge", "scope"} - set(query)
        if missing or query["client_id"] != CLIENT[0] or query.get("code_challenge_method") != "S256":
            return Reply({"message": f"the request lacks {', '.join(sorted(missing)) or 'a client'}"}, 400)
        code = self.authorize(query["code_challenge"], query["redirect_uri"])
        back = f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"
        return Reply({}, 303, {"location": back})

    def _token(self, form: Mapping[str, str], request: httpx.Request) -> Reply:
        if CLIENT not in ((form.get("client_id"), form.get("client_secret")), _basic(request)):
            return Reply({"error": "invalid_client"}, 401)
        if form.get("grant_type") == "refresh_token":
            is_valid = form.get("refresh_token") in self._refresh
            self._refresh.discard(form.get("refresh_token", ""))
        else:
            expected, redirect_uri = self._codes.pop(form.get("code", ""), ("", ""))
            is_valid = bool(expected) and challenge(form.get("code_verifier", "")) == expected
            is_valid = is_valid and form.get("redirect_uri") == redirect_uri
        return self._issue() if is_valid else Reply({"error": "invalid_grant"}, 400)

    def _issue(self) -> Reply:
        access, refresh = f"at-{secrets.token_urlsafe(16)}", f"rt-{secrets.token_urlsafe(16)}"
        self._access[access] = self.now() + TOKEN_LIFETIME
        self._refresh.add(refresh)
        tokens = {"access_token": access, "refresh_token": refresh, "token_type": "bearer", "scope": "full"}
        return Reply({**tokens, "expires_in": int(TOKEN_LIFETIME.total_seconds()), **self.token_extras()})

    def token_extras(self) -> Row:
        """Return the platform's own fields of a token reply."""
        return {}


def not_found() -> Reply:
    """Return the reply for a record or a path that does not exist."""
    return Reply({"message": "not found"}, 404)


def form_of(request: httpx.Request) -> dict[str, str]:
    """Return the form fields of a request."""
    return dict(parse_qsl(request.content.decode(), keep_blank_values=True))


def json_of(request: httpx.Request) -> Row:
    """Return the JSON object of a request."""
    found: Row = json.loads(request.content or b"{}")
    return found


def _basic(request: httpx.Request) -> tuple[str, ...]:
    kind, _, encoded = request.headers.get("authorization", "").partition(" ")
    return tuple(base64.b64decode(encoded).decode().split(":", 1)) if kind == "Basic" else ()

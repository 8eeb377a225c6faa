"""A fake platform: records, OAuth with PKCE, expiring tokens, throttling and failures on demand.

Codes and tokens are signed, not stored, so that those of sample data stay valid after a restart.
"""

import base64
import hashlib
import hmac
import json
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any
from urllib.parse import parse_qsl, urlencode

import httpx

from tablewright_systems.listbackup.platforms.oauth_client import challenge
from tablewright_systems.listbackup.platforms.webhooks import WebhookRequest

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


class FakePlatform(ABC):
    """What all fakes share. Each platform adds its own paths, webhooks and times of change."""

    name: str

    def __init__(self, records: Mapping[str, Mapping[str, Row]], now: Callable[[], datetime]) -> None:
        self.records = {kind: dict(rows) for kind, rows in records.items()}
        self.now = now
        self.faults = Faults()
        self.requests: list[httpx.Request] = []
        self.api_keys = {API_KEY}
        self._used: set[str] = set()
        """Codes and refresh tokens that were used."""
        self._access_generation = 0
        self._refresh_generation = 0

    @abstractmethod
    def serve(self, method: str, path: str, query: Mapping[str, str], request: httpx.Request) -> Reply:
        """Return the reply to an authenticated request of the API."""

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
        return self._signed("code", challenge=code_challenge, redirect=redirect_uri)

    def expire_tokens(self) -> None:
        """Let every access token expire."""
        self._access_generation += 1

    def revoke(self) -> None:
        """Withdraw the authorization, as the user of the platform can."""
        self._access_generation += 1
        self._refresh_generation += 1

    def change(self, data_type: str, record_id: str, **changes: Any) -> Row:
        """Change a record of the platform now; return it."""
        row = {**self.records[data_type][record_id], **changes, **self.changed_now(data_type)}
        self.records[data_type][record_id] = row
        return row

    @abstractmethod
    def delivery(self, event_id: str, secret: str = "") -> WebhookRequest:
        """Return a webhook of the platform, sent now; `secret` is that of the endpoint."""

    @abstractmethod
    def changed_now(self, data_type: str) -> Row:
        """Return the fields that hold the time of change."""

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
        claims = self._claims("access", secret)
        is_current = claims.get("generation", -1) >= self._access_generation
        is_valid = is_current and claims["until"] > self.now().timestamp()
        if secret not in self.api_keys and not is_valid:
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
            claims = self._once("refresh", form.get("refresh_token", ""))
            is_valid = claims.get("generation", -1) >= self._refresh_generation
        else:
            claims = self._once("code", form.get("code", ""))
            shown = (challenge(form.get("code_verifier", "")), form.get("redirect_uri"))
            is_valid = bool(claims) and shown == (claims["challenge"], claims["redirect"])
        return self._issue() if is_valid else Reply({"error": "invalid_grant"}, 400)

    def _issue(self) -> Reply:
        until = (self.now() + TOKEN_LIFETIME).timestamp()
        access = self._signed("access", until=until, generation=self._access_generation)
        refresh = self._signed("refresh", generation=self._refresh_generation)
        tokens = {"access_token": access, "refresh_token": refresh, "token_type": "bearer", "scope": "full"}
        return Reply({**tokens, "expires_in": int(TOKEN_LIFETIME.total_seconds()), **self.token_extras()})

    def _signed(self, kind: str, **claims: Any) -> str:
        text = json.dumps({**claims, "id": secrets.token_hex(8)})
        payload = base64.urlsafe_b64encode(text.encode()).decode()
        return f"{kind}.{payload}.{self._signature(kind, payload)}"

    def _signature(self, kind: str, payload: str) -> str:
        return hmac.new(b"fake", f"{self.name}.{kind}.{payload}".encode(), hashlib.sha256).hexdigest()[:24]

    def _claims(self, kind: str, token: str) -> Row:
        """Return what a code or token of this platform says; nothing for any other text."""
        name, _, rest = token.partition(".")
        payload, _, signature = rest.partition(".")
        if name != kind or signature != self._signature(kind, payload):
            return {}
        claims: Row = json.loads(base64.urlsafe_b64decode(payload))
        return claims

    def _once(self, kind: str, token: str) -> Row:
        """Return the claims of a code or token that was not used before, and mark it as used."""
        claims = {} if token in self._used else self._claims(kind, token)
        self._used.add(token)
        return claims

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
    document: Row = json.loads(request.content or b"{}")
    return document


def _basic(request: httpx.Request) -> tuple[str, ...]:
    kind, _, encoded = request.headers.get("authorization", "").partition(" ")
    return tuple(base64.b64decode(encoded).decode().split(":", 1)) if kind == "Basic" else ()


PEOPLE = (
    "Ada Lovelace",
    "Grace Hopper",
    "Alan Turing",
    "Katherine Johnson",
    "Edsger Dijkstra",
    "Radia Perlman",
)
PRODUCTS = ("Notebook", "Pen", "Desk lamp", "Chair", "Bookshelf", "Calendar", "Backpack", "Mug")
COUNTRIES = ("DE", "AT", "US", "GB")


def times(count: int, now: datetime, seed: str) -> Iterator[datetime]:
    """Yield times of change before `now`, in the last 60 days, oldest first; the same for the same seed."""
    random = Random(seed)
    ages = sorted((random.uniform(0.1, 60.0) for _ in range(count)), reverse=True)
    return (now.replace(microsecond=0) - timedelta(days=age // 1, hours=int(age % 1 * 24)) for age in ages)


def person(number: int) -> tuple[str, str, str, str]:
    """Return first name, last name, e-mail address and country of a sample person."""
    first, last = PEOPLE[number % len(PEOPLE)].split()
    return first, last, f"{first.lower()}.{number}@example.org", COUNTRIES[number % len(COUNTRIES)]


def product(number: int) -> tuple[str, int]:
    """Return name and price in cents of a sample product."""
    return f"{PRODUCTS[number % len(PRODUCTS)]} {number}", 500 + number * 125

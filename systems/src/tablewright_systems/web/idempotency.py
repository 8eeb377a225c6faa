"""Idempotency keys: a POST request that a client sends again has its effect once.

A client that gets no reply cannot know whether its request was executed. With the header `Idempotency-Key`, a new
random value for each change, it can send the request again: the first reply is stored, and is sent again to the same
caller for the same key and the same request.

A record stores, for each caller and key, which request it was and, when it is done, its reply. It is
written before the request runs. So a request never runs twice for a key: while it runs, a second one gets 409; when the
process was killed before it stored the reply, a second one gets 409 `unknown_outcome`, because only the client can tell
whether the change is there. An error reply means that nothing was changed: its record is deleted, and the request can
be sent again with the same key. Records expire after a day.

A caller who was suspended or banned since the first request gets the error of that instead of the stored reply: see
`check_caller` of `application`.

Stored replies are encrypted with a key that is derived from the idempotency key, which is stored only as a hash.
"""

import hashlib
import json
import re
from datetime import timedelta
from secrets import token_bytes

from anyio.to_thread import run_sync
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tablewright import errors, writes
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import ApiError, Unauthenticated, Unavailable
from tablewright_systems.web.error_replies import api_error_reply, error_reply
from tablewright_systems.web.records import IdempotentRequest, RequestById, records_of
from tablewright_systems.web.request_bodies import with_body
from tablewright_systems.web.requests import client_network

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
MAX_LENGTH = 255
PATTERN = "^[!-~]+$"
LONGEST_RUN = timedelta(minutes=1)
"""A record without a reply that is older belongs to a request that was interrupted."""


class IdempotencyKeys:
    """ASGI middleware that runs a POST request with an idempotency key once."""

    def __init__(self, app: ASGIApp, api: FastAPI) -> None:
        self._app = app
        self._api = api

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        key = request.headers.get(HEADER)
        identity = await run_sync(self._identity, request) if key is not None else None
        if key is None or identity is None:
            await self._app(scope, receive, send)
            return
        name, caller = identity
        if len(key) > MAX_LENGTH or not re.fullmatch(PATTERN, key):
            detail = f"{HEADER} must have 1 to {MAX_LENGTH} printable ASCII characters without spaces"
            await error_reply(422, "invalid", detail, HEADER)(scope, receive, send)
            return
        body = await request.body()
        secret = hashlib.sha256(json.dumps([self._api.title, name, key]).encode()).digest()
        fingerprint = hashlib.sha256(f"{scope['path']}?{request.url.query}\n".encode() + body).hexdigest()
        record = await run_sync(self._begin, _hash(secret), fingerprint)
        if isinstance(record, IdempotentRequest):
            reply = await self._run(record, secret, scope, with_body(body, receive))
        else:
            rejection = await run_sync(self._rejection, caller)
            reply = rejection or _reply_to_repeated(*record, fingerprint, secret)
        await reply(scope, receive, send)

    def _identity(self, request: Request) -> tuple[str, Caller | None] | None:
        """Return the owner of the key and the caller; None if the token is invalid: then the request is rejected."""
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer":
            return f"anonymous {client_network(request)}", None
        try:
            caller = self._api.state.authenticator.authenticate(token)
        except (Unauthenticated, Unavailable):
            return None
        return f"user {caller.user_id}", caller

    def _rejection(self, caller: Caller | None) -> Response | None:
        """Return the error of a caller who may not use the API any more, or None."""
        if caller is None or self._api.state.check_caller is None:
            return None
        try:
            self._api.state.check_caller(self._api.state.db, caller)
        except ApiError as error:
            return api_error_reply(error)
        return None

    @writes.retrying(on=errors.AlreadyExists)
    def _begin(
        self, request_id: str, fingerprint: str
    ) -> "IdempotentRequest | tuple[IdempotentRequest, bool]":
        """Return a new record, or the existing one with whether its request still runs."""
        db = records_of(self._api)
        now = db.now()
        recorded = db.run(RequestById(request_id=request_id))
        if recorded is None:
            return db.create(
                IdempotentRequest(request_id=request_id, fingerprint=fingerprint, started_at=now)
            )
        is_running = recorded.reply is None and not recorded.is_interrupted
        return recorded, is_running and now - recorded.started_at < LONGEST_RUN

    async def _run(
        self, record: IdempotentRequest, secret: bytes, scope: Scope, receive: Receive
    ) -> Response:
        """Run the request, store its reply, and return it."""
        sent: list[Message] = []

        async def collect(message: Message) -> None:
            sent.append(message)

        try:
            await self._app(scope, receive, collect)
        except BaseException:
            records_of(self._api).update(record, set={"is_interrupted": True})
            raise
        reply = _response(sent)
        await run_sync(self._end, record, secret, reply)
        return reply

    def _end(self, record: IdempotentRequest, secret: bytes, reply: Response) -> None:
        if reply.status_code < 400:
            records_of(self._api).update(record, set={"reply": _encrypted(secret, reply)})
        elif reply.status_code == 500 or b'"unknown_outcome"' in bytes(reply.body):
            records_of(self._api).update(record, set={"is_interrupted": True})
        else:
            records_of(self._api).delete(record)


def _reply_to_repeated(
    recorded: IdempotentRequest, is_running: bool, fingerprint: str, secret: bytes
) -> Response:
    if recorded.fingerprint != fingerprint:
        detail = f"this {HEADER} was used for another request; use a new key for each request"
        return error_reply(422, "idempotency_key_reused", detail, HEADER)
    if recorded.reply is not None:
        return _decrypted(secret, recorded.reply)
    if is_running:
        reply = error_reply(409, "in_progress", f"the request with this {HEADER} is still running; try again")
        reply.headers["retry-after"] = "1"
        return reply
    detail = (
        f"an earlier request with this {HEADER} was interrupted; read the resource to see whether the change was made, "
        "and use a new key if it was not"
    )
    return error_reply(409, "unknown_outcome", detail)


def _response(sent: list[Message]) -> Response:
    """Return the reply that an application has sent."""
    body = b"".join(message.get("body", b"") for message in sent[1:])
    reply = Response(body, sent[0]["status"])
    reply.raw_headers = list(sent[0]["headers"])
    return reply


def _encrypted(secret: bytes, reply: Response) -> bytes:
    headers = [[name.decode("latin-1"), value.decode("latin-1")] for name, value in reply.raw_headers]
    text = json.dumps([reply.status_code, headers, bytes(reply.body).decode()])
    nonce = token_bytes(12)
    return nonce + AESGCM(secret).encrypt(nonce, text.encode(), None)


def _decrypted(secret: bytes, stored: bytes) -> Response:
    status, headers, body = json.loads(AESGCM(secret).decrypt(stored[:12], stored[12:], None))
    reply = Response(body, status)
    reply.raw_headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    reply.headers[REPLAYED] = "true"
    return reply


def _hash(secret: bytes) -> str:
    return hashlib.sha256(b"id" + secret).hexdigest()

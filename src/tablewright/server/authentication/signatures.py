"""Signatures: AWS's Signature Version 4 (SigV4), verified in AWS's order, with AWS's error messages.

The order of DynamoDB: the signature exists, has all its parts, has a valid and recent date, covers the required
headers, has the right scope and a known key, and matches the request.
"""

import hashlib
import hmac
import re
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import parse_qsl, quote

from tablewright.errors import (
    IncompleteSignature,
    InvalidSignature,
    MissingAuthenticationToken,
    UnrecognizedClient,
)
from tablewright.server.authentication.credentials import Credential, Keyring
from tablewright.server.http_messages import Request

ALGORITHM = "AWS4-HMAC-SHA256"
TERMINATOR = "aws4_request"
SERVICE = "dynamodb"
LEEWAY = timedelta(minutes=15)
# An unsigned target could be replaced by another operation on the same body.
MUST_BE_SIGNED = {"host": "'Host' or ':authority'", "x-amz-target": "'X-Amz-Target'"}

_BASIC = "%Y%m%dT%H%M%SZ"
_IN_QUERY = ("X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature", "X-Amz-SignedHeaders", "X-Amz-Date")
_MISMATCH = (
    "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key "
    "and signing method. Consult the service documentation for details."
)
_UNKNOWN_KEY = "The security token included in the request is invalid."


class Signature(NamedTuple):
    """A parsed Authorization header, with the date of the request."""

    algorithm: str
    credential: str
    signed: tuple[str, ...]
    signature: str
    date: datetime


class Signatures:
    """Verifies that a request was signed with a known key, for this region, recently, and was not changed."""

    def __init__(self, keys: Keyring, region: str, now: Callable[[], float] = time.time) -> None:
        self._keys = keys
        self._region = region
        self._now = now

    def verify(self, request: Request) -> str:
        """The access key ID of a valid signature; otherwise raise the error of AWS."""
        signature = read_signature(request)
        self._require_recent(signature.date)
        for name, shown in MUST_BE_SIGNED.items():
            if name not in signature.signed:
                raise InvalidSignature(f"{shown} must be a 'SignedHeader' in the AWS Authorization.")
        if signature.algorithm != ALGORITHM:
            raise IncompleteSignature(
                f"Unsupported AWS 'algorithm': '{signature.algorithm}' (only {ALGORITHM} for now). "
            )
        key_id, scope = self._scope(signature)
        credential = self._keys.get(key_id)
        if credential is None:
            raise UnrecognizedClient(_UNKNOWN_KEY)
        expected = sign(request, credential, signature, scope)
        if not hmac.compare_digest(expected.encode(), signature.signature.encode()):
            raise InvalidSignature(_MISMATCH)
        _require_token(request, credential)
        return key_id

    def _require_recent(self, date: datetime) -> None:
        now = datetime.fromtimestamp(self._now(), UTC)
        shown = date.strftime(_BASIC)
        if date < now - LEEWAY:
            raise InvalidSignature(
                f"Signature expired: {shown} is now earlier than {(now - LEEWAY).strftime(_BASIC)} "
                f"({now.strftime(_BASIC)} - 15 min.)"
            )
        if date > now + LEEWAY:
            raise InvalidSignature(
                f"Signature not yet current: {shown} is still later than {(now + LEEWAY).strftime(_BASIC)} "
                f"({now.strftime(_BASIC)} + 15 min.)"
            )

    def _scope(self, signature: Signature) -> tuple[str, str]:
        """The access key ID, and the scope of the signature."""
        parts = signature.credential.rstrip("/").split("/")
        if len(parts) != 5:
            raise IncompleteSignature(
                "Credential must have exactly 5 slash-delimited elements, e.g. "
                f"keyid/date/region/service/term, got '{signature.credential}'"
            )
        key_id, day, region, service, terminator = parts
        shown = signature.date.strftime(_BASIC)
        problems = {
            f"Credential should be scoped to a valid region, not '{region}'. ": region == self._region,
            f"Credential should be scoped to correct service: '{SERVICE}'. ": service == SERVICE,
            f"Credential should be scoped with a valid terminator: '{TERMINATOR}', not '{terminator}'. ": (
                terminator == TERMINATOR
            ),
            "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
            f"'{day}' != '{shown[:8]}', from '{shown}'.": day == shown[:8],
        }
        if wrong := "".join(problem for problem, is_met in problems.items() if not is_met):
            raise InvalidSignature(wrong)
        return key_id, "/".join(parts[1:])


def read_signature(request: Request) -> Signature:
    """The signature of a request, with all its parts."""
    query = dict(parse_qsl(request.query.decode("latin-1"), keep_blank_values=True))
    header = request.headers.get(b"authorization", b"").decode("latin-1")
    if header and "X-Amz-Algorithm" in query:
        raise InvalidSignature(
            "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header."
        )
    if "X-Amz-Algorithm" in query:
        missing = [
            f"AWS query-string parameters must include '{name}'. "
            for name in _IN_QUERY
            if not query.get(name)
        ]
        if missing:
            raise IncompleteSignature("".join(missing) + "Re-examine the query-string parameters.")
    # A signature in the query is for presigned URLs; DynamoDB clients do not make them.
    if not header.startswith("AWS4-"):
        raise MissingAuthenticationToken("Request is missing Authentication Token")
    return _read_header(request, header)


def _read_header(request: Request, header: str) -> Signature:
    algorithm, _, rest = header.partition(" ")
    parts = dict(pair.partition("=")[::2] for pair in re.split(r"[\s,]+", rest) if pair)
    date = request.headers.get(b"x-amz-date") or request.headers.get(b"date")
    missing = [
        f"Authorization header requires '{name}' parameter. "
        for name in ("Credential", "Signature", "SignedHeaders")
        if not parts.get(name)
    ]
    if not date:
        missing.append(
            "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
        )
    if missing or not date:
        raise IncompleteSignature(f"{''.join(missing)}Authorization={header}")
    signed = tuple(sorted(name.lower() for name in parts["SignedHeaders"].split(";")))
    return Signature(
        algorithm, parts["Credential"], signed, parts["Signature"], _date(date.decode("latin-1"))
    )


def _date(text: str) -> datetime:
    try:
        return datetime.strptime(text, _BASIC).replace(tzinfo=UTC)
    except ValueError:
        pass
    try:
        date = parsedate_to_datetime(text)
        return date.replace(tzinfo=date.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        raise IncompleteSignature(
            f"Date must be in ISO-8601 'basic format'. Got '{text}'. See http://en.wikipedia.org/wiki/ISO_8601"
        ) from None


def sign(request: Request, credential: Credential, signature: Signature, scope: str) -> str:
    """The signature that the request should have."""
    headers = "".join(f"{name}:{_trimmed(request, name)}\n" for name in signature.signed)
    pairs = [
        (quote(name, safe="-_.~"), quote(value, safe="-_.~"))
        for name, value in parse_qsl(request.query.decode("latin-1"), keep_blank_values=True)
    ]
    canonical = "\n".join(
        (
            request.method.decode(),
            request.path.decode("latin-1"),
            "&".join(f"{name}={value}" for name, value in sorted(pairs)),
            headers,
            ";".join(signature.signed),
            hashlib.sha256(request.body).hexdigest(),
        )
    )
    digest = hashlib.sha256(canonical.encode("latin-1")).hexdigest()
    text = "\n".join((ALGORITHM, signature.date.strftime(_BASIC), scope, digest))
    return hmac.digest(_signing_key(credential.secret, scope), text.encode("latin-1"), "sha256").hex()


def _trimmed(request: Request, name: str) -> str:
    return b" ".join(request.headers.get(name.encode("latin-1"), b"").split()).decode("latin-1")


# A signing key is valid for a day, a region and a service; to derive it costs as much as the rest of the check.
@lru_cache(maxsize=64)
def _signing_key(secret: str, scope: str) -> bytes:
    key = b"AWS4" + secret.encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode("latin-1"), "sha256")
    return key


def _require_token(request: Request, credential: Credential) -> None:
    header = request.headers.get(b"x-amz-security-token", b"")
    if not hmac.compare_digest(header, (credential.token or "").encode()):
        raise UnrecognizedClient(_UNKNOWN_KEY)

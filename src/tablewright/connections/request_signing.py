"""Signature Version 4 for the requests of DynamoDB: `POST`, a JSON body, no query string.

botocore derives the signing key again for each request and composes the canonical request from any method, path, query
and headers. The requests of DynamoDB differ only in the target, the time and the body, so that everything else is
prepared once: the key for a day, the texts for each operation. `direct_route` compares a signature with botocore's own
before the first request is sent.
"""

from hashlib import sha256
from hmac import digest
from typing import NamedTuple

ALGORITHM = "AWS4-HMAC-SHA256"
CONTENT_TYPE = "application/x-amz-json-1.0"


class SigningKey(NamedTuple):
    """The key of one day, and the scope of the signatures made with it."""

    day: str
    scope: str
    key: bytes


class Signer:
    """Signs requests to one host with one set of credentials. Threads may share it."""

    def __init__(
        self,
        access_key: str,
        secret_key: str,
        token: str | None,
        region: str,
        service: str,
        host: str,
        path: str,
    ) -> None:
        self.token = token
        self._access_key = access_key
        self._secret_key = secret_key
        self._region = region
        self._service = service
        self._head = f"POST\n{path}\n\ncontent-type:{CONTENT_TYPE}\nhost:{host}\nx-amz-date:"
        self._token_line = f"x-amz-security-token:{' '.join(token.split())}\n" if token else ""
        self.signed_headers = "content-type;host;x-amz-date;{}x-amz-target".format(
            "x-amz-security-token;" if token else ""
        )
        self._key = SigningKey("", "", b"")

    def authorization(self, target: str, timestamp: str, body: bytes) -> str:
        """Return the header `Authorization` of a request; `timestamp` is that of `X-Amz-Date`."""
        signing = self._key
        if not timestamp.startswith(signing.day) or not signing.day:
            signing = self._key = self._key_of(timestamp[:8])
        canonical = (
            f"{self._head}{timestamp}\n{self._token_line}x-amz-target:{target}\n\n"
            f"{self.signed_headers}\n{sha256(body).hexdigest()}"
        )
        text = f"{ALGORITHM}\n{timestamp}\n{signing.scope}\n{sha256(canonical.encode()).hexdigest()}"
        signature = digest(signing.key, text.encode(), "sha256").hex()
        return (
            f"{ALGORITHM} Credential={self._access_key}/{signing.scope}, "
            f"SignedHeaders={self.signed_headers}, Signature={signature}"
        )

    def _key_of(self, day: str) -> SigningKey:
        key = f"AWS4{self._secret_key}".encode()
        for part in (day, self._region, self._service, "aws4_request"):
            key = digest(key, part.encode(), "sha256")
        return SigningKey(day, f"{day}/{self._region}/{self._service}/aws4_request", key)

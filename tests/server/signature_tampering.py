"""Signed requests, changed in one place each: none may be accepted. Seeded, so that a failure can be repeated."""

import random
from collections.abc import Callable
from copy import deepcopy
from typing import NamedTuple

from tablewright.errors import ServiceError
from tablewright.server.authentication import signatures
from tablewright.server.authentication.credentials import Credential
from tablewright.server.authentication.signatures import Signature, Signatures
from tablewright.server.http_messages import Request
from tests.server.authentication.test_signatures import KEYS, signed, signing_time

Sign = Callable[[Request, Credential, Signature, str], str]
PRINTABLE = [bytes([code]) for code in range(0x21, 0x7F)]


class Tampering(NamedTuple):
    """A changed request, and what was changed."""

    kind: str
    request: Request
    original: Request


class Tamperer:
    """Changes signed requests."""

    def __init__(self, seed: int, sign: Sign | None = None) -> None:
        """The requests are signed by botocore; with `sign`, by that function."""
        self._random = random.Random(seed)
        self._originals = [
            signed(body=b'{"TableName":"orders","Limit":%d}' % number, Meerkat=f"Hello {number}")
            for number in range(10)
        ] + [signed("ASIATEMP", "other", "token", body=b'{"Limit":1}')]
        if sign is not None:
            for original in self._originals:
                self._sign_again(original, sign)
        self._kinds: list[Callable[[Request], None]] = [
            self._change_body,
            self._extend_body,
            self._change_signed_header,
            self._change_signature,
            self._shorten_signature,
            self._change_scope,
            self._change_method,
            self._change_target,
            self._sign_fewer_headers,
            self._sign_more_headers,
            self._take_body_of_another,
            self._take_signature_of_another,
            self._change_key,
            self._change_token,
            self._remove_header,
        ]

    def tampering(self) -> Tampering:
        """The next changed request."""
        original = self._random.choice(self._originals)
        kind = self._random.choice(self._kinds)
        request = deepcopy(original)
        while request == original:
            kind(request)
        return Tampering(kind.__name__, request, original)

    def _sign_again(self, request: Request, sign: Sign) -> None:
        stated = signatures.read_signature(request)
        key, _, scope = stated.credential.partition("/")
        again = sign(request, KEYS[key], stated, scope).encode()
        self._authorization(request, b"Signature", lambda _: again)

    def _spoil(self, text: bytes) -> bytes:
        """Replace one byte by another printable one."""
        place = self._random.randrange(len(text))
        return text[:place] + self._random.choice(PRINTABLE) + text[place + 1 :]

    def _authorization(self, request: Request, name: bytes, change: Callable[[bytes], bytes]) -> None:
        """Change one part of the Authorization header."""
        before, _, rest = request.headers[b"authorization"].partition(name + b"=")
        value, comma, after = rest.partition(b", ")
        request.headers[b"authorization"] = before + name + b"=" + change(value) + comma + after

    def _other(self, request: Request) -> Request:
        return self._random.choice(
            [original for original in self._originals if original.body != request.body]
        )

    def _change_body(self, request: Request) -> None:
        request.body = self._spoil(request.body)

    def _extend_body(self, request: Request) -> None:
        request.body = self._random.choice((request.body + b" ", b" " + request.body, request.body[:-1], b""))

    def _change_signed_header(self, request: Request) -> None:
        name = self._random.choice((b"host", b"x-amz-target", b"content-type", b"x-amz-date"))
        request.headers[name] = self._spoil(request.headers[name])

    def _change_signature(self, request: Request) -> None:
        self._authorization(request, b"Signature", self._spoil)

    def _shorten_signature(self, request: Request) -> None:
        kept = self._random.randrange(64)
        self._authorization(request, b"Signature", lambda text: text[:kept])

    def _change_scope(self, request: Request) -> None:
        self._authorization(request, b"Credential", self._spoil)

    def _change_method(self, request: Request) -> None:
        request.method = self._random.choice((b"GET", b"PUT", b"DELETE", b"post"))

    def _change_target(self, request: Request) -> None:
        request.target = self._random.choice((b"/?a=b", b"//", b"/x", b"/?Action=DeleteTable", b"/%2F"))

    def _sign_fewer_headers(self, request: Request) -> None:
        def drop(names: bytes) -> bytes:
            kept = names.split(b";")
            kept.pop(self._random.randrange(len(kept)))
            return b";".join(kept)

        self._authorization(request, b"SignedHeaders", drop)

    def _sign_more_headers(self, request: Request) -> None:
        request.headers[b"added"] = b"value"
        self._authorization(request, b"SignedHeaders", lambda names: b"added;" + names)

    def _take_body_of_another(self, request: Request) -> None:
        request.body = self._other(request).body

    def _take_signature_of_another(self, request: Request) -> None:
        request.headers[b"authorization"] = self._other(request).headers[b"authorization"]

    def _change_key(self, request: Request) -> None:
        key = self._random.choice((b"AKIDEXAMPLE", b"ASIATEMP", b"AKIDOTHER", b""))
        self._authorization(request, b"Credential", lambda text: key + text[text.index(b"/") :])

    def _change_token(self, request: Request) -> None:
        request.headers[b"x-amz-security-token"] = self._random.choice(
            (b"token", b"other", b"toke", b"tokens")
        )

    def _remove_header(self, request: Request) -> None:
        del request.headers[self._random.choice((b"host", b"x-amz-target", b"x-amz-date", b"authorization"))]


def accepted(seed: int, count: int, sign: Sign | None = None) -> tuple[list[Tampering], set[str]]:
    """The changed requests that were accepted, of so many; and the kinds of changes that were made."""
    tamperer = Tamperer(seed, sign)
    tamperings: list[Tampering] = []
    kinds: set[str] = set()
    for _ in range(count):
        tampering = tamperer.tampering()
        kinds.add(tampering.kind)
        clock = signing_time(tampering.original)
        try:
            Signatures(KEYS, "us-east-1", lambda clock=clock: clock).verify(tampering.request)  # type: ignore[misc]
        except ServiceError as error:
            if error.status >= 500:
                raise
        else:
            tamperings.append(tampering)
    return tamperings, kinds

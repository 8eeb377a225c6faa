"""Signatures of the requests that AWS published, and of none that differs from them."""

from datetime import UTC, datetime

import pytest

from tablewright.server.authentication.credentials import Credential
from tablewright.server.authentication.signatures import ALGORITHM, Signature, sign
from tablewright.server.http_messages import parse_head
from tests.server.signature_vectors import DATE, HOST, SCOPE, SECRET, VECTORS, Vector

pytestmark = pytest.mark.figure


def signature_of(vector: Vector, secret: str = SECRET) -> str:
    lines = [f"{vector.line} HTTP/1.1", f"Host:{HOST}", *vector.headers, f"X-Amz-Date:{DATE}"]
    request = parse_head("\r\n".join(lines).encode())
    request.body = vector.body.encode()
    signed = tuple(sorted(name.decode() for name in request.headers))
    date = datetime.strptime(DATE, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    stated = Signature(ALGORITHM, f"AKIDEXAMPLE/{SCOPE}", signed, "", date)
    return sign(request, Credential("AKIDEXAMPLE", secret), stated, SCOPE)


@pytest.mark.parametrize("name", VECTORS)
def test_the_signature_is_the_published_one(name: str) -> None:
    assert signature_of(VECTORS[name]) == VECTORS[name].signature


@pytest.mark.parametrize("name", VECTORS)
def test_a_changed_request_has_another_signature(name: str) -> None:
    vector = VECTORS[name]
    changed = (
        vector._replace(body=vector.body + " "),
        vector._replace(line=vector.line.replace(" /", " /x")),
        vector._replace(headers=(*vector.headers, "More:header")),
    )
    for each in changed:
        assert signature_of(each) != vector.signature
    assert signature_of(vector, SECRET + "x") != vector.signature

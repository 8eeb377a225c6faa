"""Signatures, compared with botocore's signer: its signatures are accepted, and changed requests are not."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tablewright.errors import ServiceError
from tablewright.server.authentication.credentials import Credential
from tablewright.server.authentication.signatures import Signatures
from tablewright.server.http_messages import Request

KEYS = {
    "AKIDEXAMPLE": Credential("AKIDEXAMPLE", "secret"),
    "ASIATEMP": Credential("ASIATEMP", "other", "token"),
}
TARGET = "DynamoDB_20120810.ListTables"


def signed(
    key: str = "AKIDEXAMPLE",
    secret: str = "secret",
    token: str | None = None,
    region: str = "us-east-1",
    service: str = "dynamodb",
    body: bytes = b"{}",
    **headers: str,
) -> Request:
    """A request as botocore would send it now."""
    sent = {"X-Amz-Target": TARGET, "Content-Type": "application/x-amz-json-1.0", "Host": "localhost:8000"}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    ask: Any = AWSRequest("POST", "http://localhost:8000/", headers=sent, data=body)
    SigV4Auth(Credentials(key, secret, token), service, region).add_auth(ask)
    return Request(
        b"POST", b"/", {name.lower().encode(): value.encode() for name, value in ask.headers.items()}, body
    )


def signing_time(request: Request) -> float:
    """The signing time that a request states; an arbitrary time if it states none."""
    date = request.headers.get(b"x-amz-date", b"").decode()
    try:
        return datetime.strptime(date, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return at(2026)


def error_of(request: Request, now: float | None = None) -> tuple[str, str]:
    clock = signing_time(request) if now is None else now
    with pytest.raises(ServiceError) as error:
        Signatures(KEYS, "us-east-1", lambda: clock).verify(request)
    assert error.value.status == 400
    return error.value.code, error.value.message


def verify(request: Request) -> None:
    Signatures(KEYS, "us-east-1", lambda: signing_time(request)).verify(request)


def test_signatures_of_botocore_are_accepted() -> None:
    verify(signed())
    verify(signed(body=b'{"Limit":1}', Meerkat="Hello world"))
    verify(signed("ASIATEMP", "other", "token"))


def test_spaces_and_the_case_of_names_do_not_matter() -> None:
    request = signed(Meerkat="Hello world")
    request.headers[b"meerkat"] = b"Hello    world"
    request.headers[b"authorization"] = request.headers[b"authorization"].replace(b", ", b",")
    verify(request)


def test_the_query_is_signed() -> None:
    request = signed()
    request.target = b"/?a=b"
    assert error_of(request)[0] == "InvalidSignatureException"


def change(name: bytes, old: bytes, new: bytes) -> Callable[[Request], None]:
    def spoil(request: Request) -> None:
        assert old in request.headers[name]
        request.headers[name] = request.headers[name].replace(old, new)

    return spoil


def change_body(request: Request) -> None:
    request.body = b'{"Limit":2}'


@pytest.mark.parametrize(
    "spoil",
    [
        change_body,
        change(b"x-amz-target", b"ListTables", b"DeleteTable"),
        change(b"host", b"localhost", b"elsewhere"),
        change(b"content-type", b"json", b"text"),
        change(b"authorization", b"Signature=", b"Signature=0"),
        change(b"authorization", b";x-amz-date", b""),
    ],
)
def test_a_request_changed_after_signing_is_rejected(spoil: Callable[[Request], None]) -> None:
    request = signed()
    spoil(request)
    code, message = error_of(request)
    assert code == "InvalidSignatureException"
    assert message.startswith(
        "The request signature we calculated does not match the signature you provided."
    )


def test_a_wrong_secret_is_rejected() -> None:
    assert error_of(signed(secret="guess"))[0] == "InvalidSignatureException"


@pytest.mark.parametrize(
    "request_",
    [
        signed("AKIDUNKNOWN"),
        signed("ASIATEMP", "other"),
        signed("ASIATEMP", "other", "stale"),
        signed(token="more"),
    ],
)
def test_an_unknown_key_or_token_is_rejected(request_: Request) -> None:
    assert error_of(request_) == (
        "UnrecognizedClientException",
        "The security token included in the request is invalid.",
    )


def test_the_scope_must_be_ours() -> None:
    request = signed(region="eu-west-1", service="s3")
    day = request.headers[b"x-amz-date"].decode()
    change(b"authorization", b"aws4_request", b"aws5_request")(request)
    change(b"authorization", day[:8].encode(), b"20010101")(request)
    code, message = error_of(request)
    assert code == "InvalidSignatureException"
    assert message == (
        "Credential should be scoped to a valid region, not 'eu-west-1'. "
        "Credential should be scoped to correct service: 'dynamodb'. "
        "Credential should be scoped with a valid terminator: 'aws4_request', not 'aws5_request'. "
        "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
        f"'20010101' != '{day[:8]}', from '{day}'."
    )


def at(year: int, minute: int = 0, second: int = 0) -> float:
    return datetime(year, 3, 1, 12, minute, second, tzinfo=UTC).timestamp()


def dated(date: str) -> Request:
    request = signed()
    request.headers[b"x-amz-date"] = date.encode()
    return request


def test_a_signature_lasts_fifteen_minutes() -> None:
    old, new = dated("20260301T120000Z"), dated("20260301T121500Z")
    assert "expired" not in error_of(old, at(2026, 15))[1]
    assert error_of(old, at(2026, 15, 1)) == (
        "InvalidSignatureException",
        "Signature expired: 20260301T120000Z is now earlier than 20260301T120001Z (20260301T121501Z - 15 min.)",
    )
    assert "not yet current" not in error_of(new, at(2026))[1]
    assert error_of(dated("20260301T121501Z"), at(2026)) == (
        "InvalidSignatureException",
        "Signature not yet current: 20260301T121501Z is still later than 20260301T121500Z "
        "(20260301T120000Z + 15 min.)",
    )


def bare(authorization: str | None, *, target: bytes = b"/", **headers: str) -> Request:
    found = {name.replace("_", "-").lower().encode(): value.encode() for name, value in headers.items()}
    if authorization is not None:
        found[b"authorization"] = authorization.encode()
    return Request(b"POST", target, found, b"{}")


MISSING = ("MissingAuthenticationTokenException", "Request is missing Authentication Token")


@pytest.mark.parametrize(
    ("request_", "code", "message"),
    [
        (bare(None), *MISSING),
        (bare("AWS4"), *MISSING),
        (bare("Basic dXNlcjpwYXNz"), *MISSING),
        (bare("X", target=b"/?X-Amz-Algorith"), *MISSING),
        (
            bare("X", target=b"/?X-Amz-Algorithm"),
            "InvalidSignatureException",
            "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.",
        ),
        (
            bare("AWS4-"),
            "IncompleteSignatureException",
            "Authorization header requires 'Credential' parameter. "
            "Authorization header requires 'Signature' parameter. "
            "Authorization header requires 'SignedHeaders' parameter. "
            "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. Authorization=AWS4-",
        ),
        (
            bare("AWS4- Signature=b,Credential=a", Date="a"),
            "IncompleteSignatureException",
            "Authorization header requires 'SignedHeaders' parameter. Authorization=AWS4- Signature=b,Credential=a",
        ),
        (
            bare(None, target=b"/?X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-Signature=c&X-Amz-Date=d"),
            "IncompleteSignatureException",
            "AWS query-string parameters must include 'X-Amz-SignedHeaders'. Re-examine the query-string parameters.",
        ),
        (
            bare("AWS4-HMAC-SHA256 Credential=a, SignedHeaders=host, Signature=b", X_Amz_Date="201"),
            "IncompleteSignatureException",
            "Date must be in ISO-8601 'basic format'. Got '201'. See http://en.wikipedia.org/wiki/ISO_8601",
        ),
        (
            bare(
                "AWS4-HMAC-SHA256 Credential=a, SignedHeaders=host, Signature=b",
                Date="Fri, 31 Dec 9999 23:59:59 -2359",
            ),
            "IncompleteSignatureException",
            "Date must be in ISO-8601 'basic format'. Got 'Fri, 31 Dec 9999 23:59:59 -2359'. "
            "See http://en.wikipedia.org/wiki/ISO_8601",
        ),
    ],
)
def test_an_incomplete_signature_gets_the_message_of_aws(request_: Request, code: str, message: str) -> None:
    assert error_of(request_) == (code, message)


def test_headers_that_must_be_signed() -> None:
    def covering(names: str, algorithm: str = "AWS4-HMAC-SHA256", credential: str = "a") -> Request:
        return bare(
            f"{algorithm} Credential={credential}, SignedHeaders={names}, Signature=b",
            X_Amz_Date="20260301T120000Z",
        )

    assert (
        error_of(covering("x-amz-date"))[1]
        == "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization."
    )
    assert (
        error_of(covering("host"))[1] == "'X-Amz-Target' must be a 'SignedHeader' in the AWS Authorization."
    )
    assert error_of(covering("Host;X-Amz-Target", "AWS4-HMAC-SHA1"))[1] == (
        "Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA1' (only AWS4-HMAC-SHA256 for now). "
    )
    assert error_of(covering("host;x-amz-target", credential="a/b/c/d"))[1] == (
        "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got 'a/b/c/d'"
    )


def test_credentials_are_never_printed() -> None:
    assert "secret" not in repr(KEYS["AKIDEXAMPLE"])

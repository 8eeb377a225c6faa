"""Requests and replies of the data operations as JSON, by the service model of botocore.

botocore's serialiser and parser look at every value through its model, which is a third of a client's work. Here, the
model is compiled once into a function for each operation, and the JSON is written and read by the codec of `values`.

A request is encoded only if botocore would send the same members: any other request (an unknown member, a value of
another type, a table named by its ARN, which decides the endpoint) raises `UnusualRequest`, and boto3 sends or rejects
it. So a mistake in a request has the same result on both paths.

Signature Version 4 for the requests of DynamoDB: `POST`, a JSON body, no query string.

botocore derives the signing key again for each request and composes the canonical request from any method, path, query
and headers. The requests of DynamoDB differ only in the target, the time and the body, so that everything else is
prepared once: the key for a day, the texts for each operation. `direct_calls` compares a signature with botocore's own
before the first request is sent.
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Callable
from hashlib import sha256
from hmac import digest
from typing import Any, NamedTuple
from uuid import uuid4

from tablewright.dynamodb.values.stored_items import decode, encode

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


_NULL = re.compile(rb"[:,\[]\s*null\s*[,}\]]")
Convert = Callable[[Any], Any]
"""Returns a value in another form, or the same object where both forms are equal."""

Leaves = dict[str, Convert]
"""Conversions by the names of shapes, then by the types of values."""


class UnusualRequest(Exception):
    """A request that boto3 must send or reject."""


class WireOperation:
    """The JSON form of one operation, compiled from its model."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.target = f"{model.metadata['targetPrefix']}.{model.name}"
        self._request = _compile(model.input_shape, _REQUEST)
        self._reply = _compile(model.output_shape, _REPLY)
        self._binary_reply = _compile(model.output_shape, _BINARY_REPLY)
        # boto3 adds a token where the caller gave none.
        self._tokens = tuple(model.idempotent_members)

    def encode(self, request: dict[str, Any]) -> bytes:
        """Return the body of a request; raise `UnusualRequest` if boto3 must handle it."""
        try:
            converted = self._request(request)
            for name in self._tokens:
                if name not in converted:
                    converted = {**converted, name: str(uuid4())}
            return encode(converted)
        except (TypeError, RecursionError) as error:
            raise UnusualRequest from error

    def decode(self, body: bytes | bytearray) -> dict[str, Any] | None:
        """Return a reply, with binary values as `bytes`; None if botocore's parser must read it."""
        if b"null" in body and _NULL.search(body):  # botocore leaves out members that are null
            return None
        may_have_binary = b'"B"' in body or b'"BS"' in body or b"\\u0042" in body
        try:
            converted = (self._binary_reply if may_have_binary else self._reply)(decode(body))
        except (UnusualRequest, AttributeError, TypeError, ValueError):
            return None
        return converted  # type: ignore[no-any-return]


def _compile(shape: Any, leaves: Leaves) -> Convert:
    """Return the conversion of values of a shape."""
    if shape.name in leaves:
        return leaves[shape.name]
    match shape.type_name:
        case "structure":
            members = {name: _compile(member, leaves) for name, member in shape.members.items()}
            return _drop_unknown(members) if leaves is not _REQUEST else _require_known(members)
        case "map" if shape.value.name == "AttributeValue":
            return leaves["attributes"]
        case "map":
            return _map_of(_compile(shape.key, leaves), _compile(shape.value, leaves))
        case "list":
            return _list_of(_compile(shape.member, leaves))
    return leaves[shape.type_name]


def _require_known(members: dict[str, Convert]) -> Convert:
    def convert(value: Any) -> Any:
        if type(value) is not dict:
            raise UnusualRequest
        changed = None
        for name, member in value.items():
            if name not in members:
                raise UnusualRequest
            converted = members[name](member)
            if converted is not member:
                changed = changed or {}
                changed[name] = converted
        return value if changed is None else {**value, **changed}

    return convert


def _drop_unknown(members: dict[str, Convert]) -> Convert:
    def convert(value: Any) -> Any:
        return {name: members[name](member) for name, member in value.items() if name in members}

    return convert


def _map_of(key: Convert, member: Convert) -> Convert:
    if key is _same and member is _same:
        return _same

    def convert(value: Any) -> Any:
        if type(value) is not dict:
            raise UnusualRequest
        return {key(name): member(content) for name, content in value.items()}

    return convert


def _list_of(member: Convert) -> Convert:
    if member is _same:
        return _same

    def convert(value: Any) -> Any:
        if type(value) is not list:
            raise UnusualRequest
        return [member(element) for element in value]

    return convert


def _same(value: Any) -> Any:
    return value


def _of_type(kind: type) -> Convert:
    def convert(value: Any) -> Any:
        if type(value) is not kind:
            raise UnusualRequest
        return value

    return convert


def _table_name(value: Any) -> Any:
    # The ARN of a table names an account, which may decide the endpoint.
    if type(value) is not str or value.startswith("arn:"):
        raise UnusualRequest
    return value


def _attributes(item: Any) -> Any:
    """Return a request's attributes with binary values as base64 text."""
    if type(item) is not dict:
        raise UnusualRequest
    changed = None
    for name, value in item.items():
        if type(value) is not dict or len(value) != 1:
            raise UnusualRequest
        for kind, content in value.items():
            if type(content) is str and (kind == "S" or kind == "N"):
                continue
            if kind not in _CONTENTS:
                raise UnusualRequest
            converted = _CONTENTS[kind](content)
            if converted is not content:
                changed = changed or {}
                changed[name] = {kind: converted}
    return item if changed is None else {**item, **changed}


def _attribute(value: Any) -> Any:
    return _attributes({"": value})[""]


def _elements(values: Any) -> Any:
    if type(values) is not list:
        raise UnusualRequest
    converted = [_attributes({"": value})[""] for value in values]
    return values if all(new is old for new, old in zip(converted, values, strict=True)) else converted


def _texts(values: Any) -> Any:
    if type(values) is not list or any(type(value) is not str for value in values):
        raise UnusualRequest
    return values


def _base64(content: Any) -> str:
    if type(content) is not bytes and type(content) is not bytearray:
        raise UnusualRequest
    return b64encode(content).decode()


def _base64_set(values: Any) -> list[str]:
    if type(values) is not list:
        raise UnusualRequest
    return [_base64(value) for value in values]


_CONTENTS: dict[str, Convert] = {
    "S": _of_type(str),
    "N": _of_type(str),
    "B": _base64,
    "BOOL": _of_type(bool),
    "NULL": _of_type(bool),
    "SS": _texts,
    "NS": _texts,
    "BS": _base64_set,
    "L": _elements,
    "M": _attributes,
}


def _decode_attributes(item: dict[str, Any]) -> dict[str, Any]:
    return {name: _decode_attribute(value) for name, value in item.items()}


def _decode_attribute(value: dict[str, Any]) -> dict[str, Any]:
    for kind, content in value.items():
        if kind in _DECODED:
            return {kind: _DECODED[kind](content)}
    return value


_DECODED: dict[str, Convert] = {
    "B": b64decode,
    "BS": lambda values: [b64decode(value) for value in values],
    "L": lambda values: [_decode_attribute(value) for value in values],
    "M": _decode_attributes,
}

_REQUEST: Leaves = {
    "TableArn": _table_name,
    "TableName": _table_name,
    "AttributeValue": _attribute,
    "attributes": _attributes,
    "string": _of_type(str),
    "integer": _of_type(int),
    "boolean": _of_type(bool),
}
_REPLY: Leaves = {
    "AttributeValue": _same,
    "attributes": _same,
    "string": _same,
    "integer": _same,
    "long": _same,
    "boolean": _same,
    "double": float,
}
_BINARY_REPLY: Leaves = {**_REPLY, "AttributeValue": _decode_attribute, "attributes": _decode_attributes}

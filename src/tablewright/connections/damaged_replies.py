"""Replies that were damaged or cut on their way: their checksum, their length, and whether they are JSON.

botocore notices a wrong checksum only to decide about a retry, and Tablewright disables botocore's retries (`access`
retries). botocore returns a reply that was cut, or that is no JSON, as an empty result. Here, each is a lost reply.
"""

from collections.abc import Mapping
from typing import Any
from zlib import crc32

from botocore.exceptions import HTTPClientError


class DamagedReply(HTTPClientError):  # type: ignore[misc]
    """A reply that cannot be used. Whether the request was executed is unknown."""

    fmt = "the reply is damaged: {error}"


def check_reply(
    status: int, headers: Mapping[str, str], body: bytes | bytearray, *, has_content: bool = True
) -> None:
    """Raise `DamagedReply` if a reply is not as it was sent. The names of headers are in lower case.

    `has_content` is false for operations that reply with nothing, such as TagResource.
    """
    length = headers.get("content-length")
    if length is not None and int(length) != len(body):
        raise DamagedReply(error=f"{len(body)} of {length} bytes arrived")
    checksum = headers.get("x-amz-crc32")
    if checksum is not None and int(checksum) != crc32(body):
        raise DamagedReply(error=f"its checksum is {crc32(body)}, but the header x-amz-crc32 is {checksum}")
    if status < 300 and has_content and not (body[:1] == b"{" and body[-1:] == b"}"):
        raise DamagedReply(error="it is not a JSON object")


def reject_damaged_reply(response_dict: dict[str, Any], operation_model: Any, **_: Any) -> None:
    """Check a reply on botocore's own path; for its event `before-parse`."""
    headers = {name.lower(): value for name, value in response_dict["headers"].items()}
    has_content = operation_model.output_shape is not None
    check_reply(response_dict["status_code"], headers, response_dict["body"], has_content=has_content)

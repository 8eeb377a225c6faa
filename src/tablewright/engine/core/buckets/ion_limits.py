"""Ion limits: reject what amazon.ion would take minutes or gigabytes to read, before it is read.

The C code of amazon.ion needs time in the square of a number's length, while it holds the interpreter: 2 seconds for
an integer of 60,000 digits, hours for one of 8 MB. It also allocates the length that a binary value states, up to 2 GB,
before it reads the value. DynamoDB numbers have 38 digits and items 400 KB, so both are limited here. It does not check
either that a value ends inside its container: 80 bytes can make it loop forever, so each value of a binary file is
checked. A name that is not UTF-8 crashes the process, so all text must be UTF-8.

Text is split into tokens by one regular expression, to tell a number from digits in a string or a blob. Binary Ion is
walked by its headers. https://amazon-ion.github.io/ion-docs/docs/binary.html
"""

import re
from codecs import getincrementaldecoder
from collections.abc import Iterator
from typing import Protocol

# An item may have 400 KB; text may be escaped, and binary is base64 in text.
LONGEST_VALUE = 8 * 1024 * 1024
LONGEST_NUMBER = 4096
# Deeper than an item may be, and far from the depth at which Python gives up.
DEEPEST = 64

_BINARY_MARKER = b"\xe0\x01\x00\xea"
_CHUNK = 256 * 1024

# Complete tokens. A token that the text ends in is left over, and seen again with the next chunk.
_TOKENS = re.compile(
    rb"""(?: [^"'/{0-9]++
           | "(?:[^"\\]++|\\.)*+"
           | '''(?:[^'\\]++|\\.|'{1,2}+(?!'))*+'''
           | ''(?=[^'])
           | '(?:[^'\\]++|\\.)++'
           | /\*(?:[^*]++|\*(?!/))*+\*/ | //[^\n]*+\n | /(?=[^/*])
           | \{\{[^"'}]*+\}\} | \{\{\s*+(?=["']) | \{(?=[^{])
           | [0-9]\w{0,%d}+(?=\W)
         )*+"""
    % (LONGEST_NUMBER - 1),
    re.VERBOSE | re.DOTALL,
)
_LONG_NUMBER = re.compile(rb"[0-9]\w{%d}" % LONGEST_NUMBER)


class IonError(ValueError):
    """The file is not Ion, or contains a value that no item can have."""


class Readable(Protocol):
    """A file of bytes."""

    def read(self, size: int, /) -> bytes:
        """At most `size` bytes; none at the end."""


def checked_pieces(file: Readable) -> Iterator[bytes]:
    """The content of a file, text or binary Ion, in pieces that are within the limits."""
    start = file.read(len(_BINARY_MARKER))
    if start == _BINARY_MARKER:
        yield start
        yield from _binary_values(file)
    else:
        yield from _text_chunks(start, file)


def _text_chunks(chunk: bytes, file: Readable) -> Iterator[bytes]:
    rest = b""
    decoder = getincrementaldecoder("utf-8")()
    while chunk:
        failure: Exception | None = None
        try:
            following = file.read(_CHUNK)
        except Exception as error:
            # The chunk before it was read, and may have values.
            following, failure = b"", error
        try:
            decoder.decode(chunk, final=not following)
        except UnicodeDecodeError as error:
            raise failure or IonError(f"not UTF-8: {error.reason}") from None
        text = rest + chunk
        tokens = _TOKENS.match(text)
        assert tokens is not None
        rest = text[tokens.end() :]
        if _LONG_NUMBER.match(rest):
            raise IonError(f"a number has more than {LONGEST_NUMBER} digits")
        if len(rest) > LONGEST_VALUE:
            raise IonError(f"a value has more than {LONGEST_VALUE} bytes")
        yield chunk
        if failure is not None:
            raise failure
        chunk = following


def _binary_values(file: Readable) -> Iterator[bytes]:
    """The top-level values, each whole."""
    while head := file.read(1):
        if head == _BINARY_MARKER[:1]:
            marker = head + file.read(len(_BINARY_MARKER) - 1)
            if marker != _BINARY_MARKER:
                raise IonError("only version 1.0 of Ion can be read")
            yield marker
            continue
        if _has_length(head[0]):
            while head[-1] < 0x80 or len(head) == 1:
                byte = file.read(1)
                if not byte or len(head) > _LONGEST_LENGTH:
                    raise IonError("the length of a value is not complete")
                head += byte
        _, at, length = _header(head, 0)
        if length > LONGEST_VALUE:
            raise IonError(f"a value has more than {LONGEST_VALUE} bytes")
        value = head + file.read(length)
        if len(value) < at + length:
            raise IonError("the file ends inside a value")
        _require_nested(value)
        yield value


_INTEGER, _NEGATIVE, _DECIMAL, _TIMESTAMP, _SYMBOL, _STRING = 2, 3, 5, 6, 7, 8
_NUMBERS = {_INTEGER, _NEGATIVE, _DECIMAL, _TIMESTAMP, _SYMBOL}
_LIST, _SEXP, _STRUCT, _ANNOTATION = 11, 12, 13, 14
_CONTAINERS = {_LIST, _SEXP, _STRUCT, _ANNOTATION}
# Bytes of a variable-length number: 56 bits.
_LONGEST_LENGTH = 8


def _has_length(head: int) -> bool:
    """Whether the length of a value follows its first byte."""
    return head & 0x0F == 0x0E or head == 0xD1


def _header(data: bytes, at: int) -> tuple[int, int, int]:
    """The type of the value at a position, where its content begins, and how long its content is."""
    head = data[at]
    kind, length = head >> 4, head & 0x0F
    at += 1
    if _has_length(head):
        length, at = _number(data, at)
    elif length == 0x0F or kind == 1:  # a null, or a bool
        length = 0
    return kind, at, length


def _number(data: bytes, at: int) -> tuple[int, int]:
    """The variable-length number at a position, and where it ends."""
    number = 0
    for place in range(at, at + _LONGEST_LENGTH):
        byte = data[place]
        number = number << 7 | byte & 0x7F
        if byte >= 0x80:
            return number, place + 1
    raise IonError("a length or a symbol has too many digits")


def _require_nested(value: bytes) -> None:
    """Reject a value that contains a long number, is nested too deeply, or has a member that ends outside of it.

    amazon.ion follows padding out of its container, reads the values after it as members, and can do so forever.
    """
    at, open_ends = 0, [(len(value), False)]
    try:
        while open_ends:
            end, is_struct = open_ends[-1]
            if at == end:
                open_ends.pop()
                continue
            if is_struct:
                _, at = _number(value, at)
            kind, at, length = _header(value, at)
            inner_end = at + length
            if inner_end > end:
                raise IonError("a value is longer than the value that contains it")
            if kind in _NUMBERS and length > LONGEST_NUMBER:
                raise IonError(f"a number has more than {LONGEST_NUMBER} bytes")
            if kind == _STRING:
                value[at:inner_end].decode()
            if kind not in _CONTAINERS:
                at = inner_end
                continue
            open_ends.append((inner_end, kind == _STRUCT))
            if kind == _ANNOTATION:
                at = _annotated_at(value, at, inner_end)
            if len(open_ends) > 2 * DEEPEST:
                raise IonError("a value is nested too deeply")
    except IndexError:
        raise IonError("a value is not complete") from None
    except UnicodeDecodeError as error:
        raise IonError(f"a text is not UTF-8: {error.reason}") from None


def _annotated_at(value: bytes, at: int, end: int) -> int:
    """The position of the one value that annotations are followed by."""
    length, at = _number(value, at)
    at += length
    if at >= end:
        raise IonError("a value is longer than the value that contains it")
    kind, inner_at, inner_length = _header(value, at)
    if inner_at + inner_length != end or (kind == 0 and value[at] != _NULL):
        raise IonError("annotations are not followed by one value")
    return at


_NULL = 0x0F

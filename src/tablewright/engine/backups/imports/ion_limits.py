"""Ion limits: reject what amazon.ion would take minutes or gigabytes to read, before it is read.

The C code of amazon.ion needs time in the square of a number's length, while it holds the interpreter: 2 seconds for
an integer of 60,000 digits, hours for one of 8 MB. It also allocates the length that a binary value states, up to 2 GB,
before it reads the value. DynamoDB numbers have 38 digits and items 400 KB, so both are limited here.

Text is split into tokens by one regular expression, to tell a number from digits in a string or a blob. Binary Ion is
walked by its headers. https://amazon-ion.github.io/ion-docs/docs/binary.html
"""

import re
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
    while chunk:
        text = rest + chunk
        tokens = _TOKENS.match(text)
        assert tokens is not None
        rest = text[tokens.end() :]
        if _LONG_NUMBER.match(rest):
            raise IonError(f"a number has more than {LONGEST_NUMBER} digits")
        if len(rest) > LONGEST_VALUE:
            raise IonError(f"a value has more than {LONGEST_VALUE} bytes")
        yield chunk
        chunk = file.read(_CHUNK)


def _binary_values(file: Readable) -> Iterator[bytes]:
    """The top-level values, each whole."""
    while head := file.read(1):
        if head == _BINARY_MARKER[:1]:
            yield head + file.read(len(_BINARY_MARKER) - 1)
            continue
        if _has_length(head[0]):
            while head[-1] < 0x80 or len(head) == 1:
                byte = file.read(1)
                if not byte or len(head) > 8:
                    raise IonError("the length of a value is not complete")
                head += byte
        _, at, length = _header(head, 0)
        if length > LONGEST_VALUE:
            raise IonError(f"a value has more than {LONGEST_VALUE} bytes")
        value = head + file.read(length)
        if len(value) < at + length:
            raise IonError("the file ends inside a value")
        if length > LONGEST_NUMBER:
            _require_short_numbers(value)
        yield value


_INTEGER, _NEGATIVE, _DECIMAL, _TIMESTAMP, _SYMBOL = 2, 3, 5, 6, 7
_NUMBERS = {_INTEGER, _NEGATIVE, _DECIMAL, _TIMESTAMP, _SYMBOL}
_LIST, _SEXP, _STRUCT, _ANNOTATION = 11, 12, 13, 14
_CONTAINERS = {_LIST, _SEXP, _STRUCT, _ANNOTATION}


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
    while True:
        byte = data[at]
        number = number << 7 | byte & 0x7F
        at += 1
        if byte >= 0x80:
            return number, at


def _require_short_numbers(value: bytes) -> None:
    """Reject a value that contains a long number, or is nested too deeply."""
    at, open_ends = 0, [(len(value), False)]
    try:
        while open_ends:
            end, is_struct = open_ends[-1]
            if at >= end:
                open_ends.pop()
                continue
            if is_struct:
                _, at = _number(value, at)
            kind, at, length = _header(value, at)
            if kind in _NUMBERS and length > LONGEST_NUMBER:
                raise IonError(f"a number has more than {LONGEST_NUMBER} bytes")
            if kind not in _CONTAINERS:
                at += length
                continue
            open_ends.append((at + length, kind == _STRUCT))
            if kind == _ANNOTATION:
                annotations, at = _number(value, at)
                at += annotations
            if len(open_ends) > 2 * DEEPEST:
                raise IonError("a value is nested too deeply")
    except IndexError:
        raise IonError("a value is not complete") from None

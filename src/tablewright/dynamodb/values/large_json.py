"""Large JSON, parsed and freed in pieces, so that other threads can run in between.

A parser in C holds the interpreter lock from the first byte to the last: for 16 MB of tiny elements, more than a second
in which no other thread runs. So does Python when it frees a document: a quarter of a second. Here the parser gets only
small pieces, cut after the comma of a member. The size of a piece is counted in elements, not in bytes: a long string
is parsed quickly, many short ones are not. A parsed document is freed one container after the other.
"""

import re
from collections import deque
from typing import Any

import orjson

# The maximum depth of orjson; an item may be 32 levels deep.
DEEPEST = 1000
# Members of one container. An item of 400 KB can have 200,000; freeing millions of objects takes long, too.
MOST_MEMBERS = 500_000
# Elements that are parsed quickly, whatever their length.
FEW = 50_000
BLANKS = b" \t\n\r"

_TEXT = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
# Containers small enough for the parser: with few members, which may be such containers, three levels deep.
_SMALL = _SMALLER = rf'(?:\{{(?:[^\[\]{{}}"]|{_TEXT}){{0,32}}+\}}|\[(?:[^\[\]{{}}"]|{_TEXT}){{0,32}}+\])'
for _ in range(2):
    _PARTS = rf'(?:[^\[\]{{}}"]|{_TEXT}|{_SMALLER}){{0,16}}+'
    _SMALLER = rf"(?:\{{{_PARTS}\}}|\[{_PARTS}\])"
_MEMBER = rf'(?:[^\[\]{{}}",]++|{_TEXT}|{_SMALLER}|{_SMALL})*+'

_WHOLE_MEMBERS = re.compile(rf"(?:{_MEMBER},){{1,16}}+".encode(), re.DOTALL)
_LAST_MEMBER = re.compile(_MEMBER.encode(), re.DOTALL)
_KEY = re.compile(rf"[ \t\n\r]*+({_TEXT})[ \t\n\r]*+:[ \t\n\r]*+".encode(), re.DOTALL)
_AFTER = re.compile(rb"[ \t\n\r]*+([,\]}])")
_CLOSING: dict[type, bytes] = {dict: b"}", list: b"]"}


def decode_in_pieces(text: bytes) -> dict[str, Any]:
    """As `orjson.loads`, but may reject a document that is no object, or has more members than any request can have.

    >>> decode_in_pieces(b'{"a": [1, {"b": []}], "c": "d"}')
    {'a': [1, {'b': []}], 'c': 'd'}
    """
    if sum(map(text.count, (b",", b"[", b"{"))) < FEW:
        return orjson.loads(text)  # type: ignore[no-any-return]
    start = len(text) - len(text.lstrip(BLANKS))
    if text[start : start + 1] != b"{":
        raise _not_json("it is no object", start)
    reading = _Reading(text, start + 1)
    try:
        return reading.document()
    except orjson.JSONDecodeError as error:
        # Also its frames refer to what was parsed.
        raise error.with_traceback(None) from None
    finally:
        reading.free()


def free_in_pieces(documents: list[Any]) -> None:
    """Empty the list of documents, container by container. What another object refers to is not changed.

    >>> documents = [{"a": [1, {"b": []}]}]
    >>> inner = documents[0]["a"]
    >>> free_in_pieces(documents)
    >>> documents, inner
    ([], [1, {'b': []}])
    """
    containers = deque(documents)
    documents.clear()
    # A container is dropped after its members were noted here, so that it does not free them all with it.
    while containers:
        container = containers.popleft()
        members = container.values() if type(container) is dict else container
        containers.extend([member for member in members if type(member) is dict or type(member) is list])
        del container, members


class _Reading:
    """A document while it is parsed; `at` is the position between two members of the innermost open container."""

    def __init__(self, text: bytes, at: int) -> None:
        self._text = text
        self._at = at
        self._root: dict[str, Any] = {}
        self._open: list[Any] = [self._root]

    def document(self) -> dict[str, Any]:
        while self._open:
            self._read_members()
        if self._text[self._at :].strip(BLANKS):
            raise _not_json("something follows the object", self._at)
        document, self._root = self._root, {}
        return document

    def free(self) -> None:
        """Free what was parsed of an invalid document."""
        documents: list[Any] = [self._root]
        self._root = {}
        self._open.clear()
        free_in_pieces(documents)

    def _read_members(self) -> None:
        """The rest of the innermost container's members, up to its end or to a large container within."""
        text, into = self._text, self._open[-1]
        may_end = not into
        while whole := _WHOLE_MEMBERS.match(text, self._at):
            self._add(into, text[self._at : whole.end() - 1])
            self._at = whole.end()
            may_end = False
        last = _LAST_MEMBER.match(text, self._at)
        assert last is not None
        end = last.end()
        sign = text[end : end + 1]
        if sign in (b"{", b"["):
            self._enter(into, end, {} if sign == b"{" else [])
        elif sign == _CLOSING[type(into)]:
            if not (may_end and not last[0].strip(BLANKS)):
                self._add(into, last[0])
            self._at = end + 1
            self._leave()
        else:
            raise _not_json("a container is not closed", end)

    def _add(self, into: Any, members: bytes) -> None:
        if not members.strip(BLANKS):
            raise _not_json("a member is missing", self._at)
        if type(into) is dict:
            into.update(orjson.loads(b"{%b}" % members))
        else:
            into.extend(orjson.loads(b"[%b]" % members))
        self._require_few(into)

    def _enter(self, into: Any, end: int, container: Any) -> None:
        """Open a large container, which is the next member."""
        if len(self._open) >= DEEPEST:
            raise _not_json("it is nested too deeply", end)
        before = self._text[self._at : end]
        if type(into) is dict:
            key = _KEY.fullmatch(before)
            if key is None:
                raise _not_json("a member has no name", self._at)
            into[orjson.loads(key[1])] = container
        elif before.strip(BLANKS):
            raise _not_json("a comma is missing", self._at)
        else:
            into.append(container)
        self._require_few(into)
        self._open.append(container)
        self._at = end + 1

    def _require_few(self, container: Any) -> None:
        if len(container) > MOST_MEMBERS:
            raise _not_json("it has too many members", self._at)

    def _leave(self) -> None:
        """Close containers until one has more members."""
        self._open.pop()
        while self._open:
            after = _AFTER.match(self._text, self._at)
            if after is None:
                raise _not_json("a comma is missing", self._at)
            self._at = after.end()
            if after[1] == b",":
                return
            if after[1] != _CLOSING[type(self._open[-1])]:
                raise _not_json("a container is not closed", self._at)
            self._open.pop()


def _not_json(reason: str, at: int) -> orjson.JSONDecodeError:
    return orjson.JSONDecodeError(reason, "", at)

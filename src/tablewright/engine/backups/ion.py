"""Amazon Ion, as far as DynamoDB's exports and imports use it: its text form, and the values that items have.

    S string   N decimal   B blob   BOOL bool   NULL null   L list   M struct
    SS, NS, BS  lists, annotated $dynamodb_SS, $dynamodb_NS, $dynamodb_BS

Ion is a superset of JSON. What it has beyond items (symbols, timestamps, clobs, s-expressions) is refused. Written by
hand, as the package on PyPI has to be compiled on newer Pythons. https://amazon-ion.github.io/ion-docs/docs/spec.html
"""

import re
from base64 import b64decode, b64encode
from typing import Any

from tablewright.values.attributes import AttributeValue, Item
from tablewright.values.stored_items import encode

MARKER = "$ion_1_0"
# Deeper than an item may be, and far from the depth at which Python gives up.
DEEPEST = 64

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*").fullmatch
_KEYWORDS = {"null", "true", "false", "nan"}


class IonError(ValueError):
    """The text is not Ion, or is more than an item can hold."""


class Unfinished(IonError):
    """The text ends inside of a value."""


def write_item(item: Item) -> str:
    """An item as an Ion struct.

    >>> write_item({"Id": {"N": "103"}, "Tags": {"SS": ["a", "b"]}, "to be": {"B": "YWJj"}})
    '{Id:103.,Tags:$dynamodb_SS::["a","b"],"to be":{{YWJj}}}'
    """
    return "{" + ",".join(f"{_field(name)}:{_write(value)}" for name, value in item.items()) + "}"


def _field(name: str) -> str:
    return name if _IDENTIFIER(name) and name not in _KEYWORDS else _text(name)


def _text(text: str) -> str:
    return encode(text).decode()


def _write(value: AttributeValue) -> str:
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return _text(content)
        case "N":
            return write_number(content)
        case "B":
            return f"{{{{{content}}}}}"
        case "BOOL":
            return "true" if content else "false"
        case "NULL":
            return "null"
        case "M":
            return write_item(content)
        case "L":
            return "[" + ",".join(map(_write, content)) + "]"
        case _:
            members = ",".join(_write({kind[0]: member}) for member in content)
            return f"$dynamodb_{kind}::[{members}]"


def write_number(numeral: str) -> str:
    """A canonical number as an Ion decimal; one without a point would be an integer.

    >>> write_number("600"), write_number("-0.5")
    ('600.', '-0.5')
    """
    return numeral if "." in numeral else f"{numeral}."


def read_values(text: str) -> list[AttributeValue]:
    """The values that a text consists of; version markers are passed over.

    >>> read_values('$ion_1_0 {Item:{Id:103.,Price:2d3}}')
    [{'M': {'Item': {'M': {'Id': {'N': '103.'}, 'Price': {'N': '2e3'}}}}}]
    """
    reader = _Reader(text)
    values = []
    while (value := reader.next_value()) is not None:
        values.append(value)
    return values


_BLANK = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)+", re.DOTALL)
_SYMBOL = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_NUMBER = re.compile(
    r"-?(?:0[xX][0-9a-fA-F_]+|0[bB][01_]+|(?:0|[1-9](?:_?[0-9])*)(?:\.(?:[0-9](?:_?[0-9])*)?)?(?:[dDeE][+-]?[0-9]+)?)"
)
# What may follow a number: nothing that would make it a timestamp or a word.
_STOP = re.compile(r"[\s,\]}/]|$")
_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"', re.DOTALL)
_LONG = re.compile(r"'''((?:[^'\\]|\\.|'(?!''))*)'''", re.DOTALL)
_QUOTED = re.compile(r"'((?:[^'\\\n]|\\.)*)'", re.DOTALL)
_BLOB = re.compile(r"\{\{\s*([A-Za-z0-9+/=\s]*)\}\}")
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|\r\n|.)", re.DOTALL)
_ESCAPED = {
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "n": "\n",
    "f": "\f",
    "r": "\r",
    "v": "\v",
    "\n": "",
    "\r\n": "",
    **{sign: sign for sign in "\"'?\\/"},
}
_SETS = {f"$dynamodb_{kind}": kind for kind in ("SS", "NS", "BS")}


def _plain(text: str) -> str:
    """A text without its escapes; two halves of a surrogate pair become one character."""
    if "\\" not in text:
        return text
    joined = _ESCAPE.sub(_character, text)
    try:
        return joined.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        raise IonError("a string has half of a character") from None


def _character(escape: "re.Match[str]") -> str:
    sign = escape[1]
    if sign in _ESCAPED:
        return _ESCAPED[sign]
    if sign[0] in "xuU" and len(sign) > 1 and int(sign[1:], 16) <= 0x10FFFF:
        return chr(int(sign[1:], 16))
    raise IonError(f"\\{sign} is no escape")


class _Reader:
    """Reads a text from its beginning to its end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def next_value(self) -> AttributeValue | None:
        """The next value at the top; None at the end."""
        while True:
            self._skip()
            if self._at == len(self._text):
                return None
            if not self._take(MARKER):
                return self._value(0)

    def _skip(self) -> None:
        if blank := _BLANK.match(self._text, self._at):
            self._at = blank.end()

    def _take(self, sign: str) -> bool:
        if not self._text.startswith(sign, self._at):
            return False
        self._at += len(sign)
        return True

    def _match(self, pattern: "re.Pattern[str]") -> "re.Match[str] | None":
        match = pattern.match(self._text, self._at)
        if match is not None:
            self._at = match.end()
        return match

    def _refuse(self, what: str) -> IonError:
        if self._at >= len(self._text):
            return Unfinished(f"the text ends where {what} was expected")
        return IonError(f"{self._text[self._at : self._at + 20]!r} is not {what}")

    def _value(self, depth: int) -> AttributeValue:
        if depth > DEEPEST:
            raise IonError("the value is nested too deeply")
        annotation = self._annotation()
        if annotation in _SETS and self._take("["):
            return _set(_SETS[annotation], self._list(depth))
        if self._text.startswith("{{", self._at):
            return self._blob()
        if self._take("{"):
            return {"M": self._struct(depth)}
        if self._take("["):
            return {"L": self._list(depth)}
        text = self._string()
        return {"S": text} if text is not None else self._scalar()

    def _annotation(self) -> str | None:
        """The last of the annotations before a value."""
        found = None
        while True:
            self._skip()
            start = self._at
            name = self._name()
            self._skip()
            if name is None or not self._take("::"):
                self._at = start
                return found
            found = name

    def _name(self) -> str | None:
        if self._text.startswith("'''", self._at):
            return None
        if match := self._match(_QUOTED):
            return _plain(match[1])
        match = self._match(_SYMBOL)
        return match[0] if match else None

    def _string(self) -> str | None:
        if match := self._match(_STRING):
            return _plain(match[1])
        if self._text.startswith(('"', "'''"), self._at) and not _LONG.match(self._text, self._at):
            raise Unfinished("a string does not end")
        parts = None
        while match := self._match(_LONG):
            parts = [*(parts or ()), _plain(match[1])]
            self._skip()
        return None if parts is None else "".join(parts)

    def _scalar(self) -> AttributeValue:
        start = self._at
        number = self._match(_NUMBER)
        if number and _STOP.match(self._text, self._at):
            return {"N": _numeral(number[0])}
        self._at = start
        word = self._match(_SYMBOL)
        match word[0] if word else "":
            case "null":
                if self._take("."):
                    self._match(_SYMBOL)
                return {"NULL": True}
            case "true":
                return {"BOOL": True}
            case "false":
                return {"BOOL": False}
        self._at = start
        raise self._refuse("a value that an item can have")

    def _blob(self) -> AttributeValue:
        match = self._match(_BLOB)
        if match is None:
            raise (
                Unfinished("a blob does not end")
                if "}}" not in self._text[self._at :]
                else self._refuse("a blob")
            )
        try:
            content = b64decode("".join(match[1].split()), validate=True)
        except ValueError:
            raise IonError("a blob is not base64") from None
        return {"B": b64encode(content).decode()}

    def _list(self, depth: int) -> list[AttributeValue]:
        members = []
        while not self._closes("]"):
            members.append(self._value(depth + 1))
            self._separate("]")
        return members

    def _struct(self, depth: int) -> dict[str, Any]:
        members = {}
        while not self._closes("}"):
            name = self._string()
            name = self._name() if name is None else name
            self._skip()
            if name is None or not self._take(":"):
                raise self._refuse("a field")
            members[name] = self._value(depth + 1)
            self._separate("}")
        return members

    def _closes(self, sign: str) -> bool:
        self._skip()
        return self._take(sign)

    def _separate(self, closing: str) -> None:
        self._skip()
        if not self._take(",") and not self._text.startswith(closing, self._at):
            raise self._refuse(f"a comma or {closing}")


def _numeral(text: str) -> str:
    """A number as DynamoDB writes one."""
    text = text.replace("_", "").lower()
    if "x" in text or "0b" in text:
        return str(int(text, 0))
    return text.replace("d", "e")


def _set(kind: str, members: list[AttributeValue]) -> AttributeValue:
    if not all(kind[0] in member for member in members):
        raise IonError(f"a member of a {kind} is of another type")
    return {kind: [member[kind[0]] for member in members]}

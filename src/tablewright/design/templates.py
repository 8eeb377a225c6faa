"""Key templates: `"ROLE#{role}"` as data that renders, parses back, and can be reasoned about.

A template is literal text with fields in it. Two rules make rendering reversible, so that two different sets of
values never render to the same text:

- Between two fields there is literal text.
- A value may not contain the first character of the literal text that follows its field. It is refused, with its
  name, instead of being stored under a key that means something else.

A field may have a width, `{level:06}`: numbers sort as text only when all are equally wide.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum
from functools import cached_property
from typing import Any
from uuid import UUID

from tablewright.design.timestamps import timestamp_text
from tablewright.errors import DesignError, KeyValueError

_FIELD = re.compile(r"\{(?P<name>[a-zA-Z_][a-zA-Z0-9_]*)(?::(?P<width>0[1-9][0-9]*))?\}")


@dataclass(frozen=True, slots=True)
class Field:
    """A place in a template that a value fills."""

    name: str
    width: int | None = None
    stop: str = ""
    """The character that ends it: the first of the literal text behind it; empty at the end of the template."""

    def render(self, value: Any) -> str:
        """The value as key text."""
        text = value if type(value) is str else key_text(self.name, value)
        if self.width is not None:
            text = text.zfill(self.width)
            if len(text) > self.width:
                raise KeyValueError(f"{self.name} = {text} is wider than the {self.width} digits of its key")
        if not text:
            raise KeyValueError(f"{self.name} is empty, and a key cannot be made of it")
        if self.stop and self.stop in text:
            raise KeyValueError(
                f"{self.name} = {text!r} contains {self.stop!r}, which ends it in the key; "
                f"remove or replace that character in {self.name}"
            )
        return text

    @property
    def pattern(self) -> str:
        """A regular expression for what it can hold."""
        return f"(?P<{self.name}>[^{re.escape(self.stop)}]+)" if self.stop else f"(?P<{self.name}>.+)"


Part = str | Field


class Template:
    """A key, or a part of one.

    >>> role = Template("ROLE#{role}#{level:03}")
    >>> role.render({"role": "admin", "level": 7})
    'ROLE#admin#007'
    >>> role.parse("ROLE#admin#007")
    {'role': 'admin', 'level': '007'}
    >>> role.prefix
    'ROLE#'
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.parts = tuple(_parts(text))
        self.prefix = self.parts[0] if isinstance(self.parts[0], str) else ""
        """The literal text it begins with."""
        self.fields = tuple(part for part in self.parts if isinstance(part, Field))
        """The fields, in order."""
        self.names = tuple(field.name for field in self.fields)
        """The names of the fields, in order."""
        self.is_constant = not self.fields
        """Whether it always renders to the same text."""
        # Most keys are "TYPE#{id}", and most values are texts: such a key needs nothing but to be put together.
        ends_open = len(self.fields) == 1 and self.parts[-1] is self.fields[0]
        self._open_end = self.names[0] if ends_open and self.fields[0].width is None else None

    def __repr__(self) -> str:
        return f"Template({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Template) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    @property
    def is_value(self) -> bool:
        """Whether it is one bare field, `"{email}"`: then the value is the key itself, of its own type."""
        return len(self.parts) == 1 and isinstance(self.parts[0], Field) and self.parts[0].width is None

    def render(self, values: Mapping[str, Any]) -> str:
        """The text, with every field filled."""
        if self.is_constant:
            return self.text
        if self._open_end is not None:
            value = values[self._open_end]
            if type(value) is str and value:
                return self.prefix + value
        return "".join(
            [part if isinstance(part, str) else part.render(values[part.name]) for part in self.parts]
        )

    def render_known(self, values: Mapping[str, Any]) -> str:
        """The text up to the first field without a value: a prefix of every key that has these values."""
        known = []
        for part in self.parts:
            if isinstance(part, Field):
                if values.get(part.name) is None:
                    break
                known.append(part.render(values[part.name]))
            else:
                known.append(part)
        return "".join(known)

    def parse(self, text: str) -> dict[str, str] | None:
        """What the fields held, or None when the text was not made by this template."""
        match = self._pattern.fullmatch(text)
        return match.groupdict() if match else None

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        patterns = (re.escape(part) if isinstance(part, str) else part.pattern for part in self.parts)
        return re.compile("".join(patterns), re.DOTALL)


def key_text(name: str, value: Any) -> str:
    """A value as it stands in a key; what has no one spelling, or does not sort, is refused."""
    match value:
        case Enum():
            return key_text(name, value.value)
        case bool():
            raise KeyValueError(
                f"{name} is a boolean, which cannot be part of a key; use a text such as 'open'"
            )
        case str():
            return value
        case int():
            return str(value)
        case datetime():
            return timestamp_text(value)
        case date():
            return value.isoformat()
        case UUID():
            return str(value)
        case None:
            raise KeyValueError(f"{name} has no value, and a key is made of it")
        case _:
            raise KeyValueError(f"{name} is a {type(value).__name__}, which cannot be part of a key")


def _parts(text: str) -> Iterable[Part]:
    position = 0
    parts: list[Part] = []
    for match in _FIELD.finditer(text):
        if match.start() > position:
            parts.append(_literal(text[position : match.start()], text))
        elif parts:
            raise DesignError(
                f'the key template "{text}" has two fields side by side; put text such as "#" between them'
            )
        width = match["width"]
        parts.append(Field(match["name"], int(width) if width else None))
        position = match.end()
    if position < len(text):
        parts.append(_literal(text[position:], text))
    if not parts:
        raise DesignError("a key template is empty; give it text or a field such as {user_id}")
    return [_stopped(part, following) for part, following in zip(parts, [*parts[1:], ""], strict=True)]


def _literal(literal: str, template: str) -> str:
    if "{" in literal or "}" in literal:
        raise DesignError(
            f'the key template "{template}" has a brace that names no field; write {{field_name}}'
        )
    return literal


def _stopped(part: Part, following: Part) -> Part:
    if isinstance(part, Field) and isinstance(following, str) and following:
        return Field(part.name, part.width, following[0])
    return part

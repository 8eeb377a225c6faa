"""Key templates: `"ROLE#{role}"` as data that renders, parses back, and can be reasoned about.

A template is literal text with fields in it. Two rules make rendering reversible, so that two different sets of
values never render to the same text:

- Between two fields there is literal text.
- A value may not contain the first character of the literal text that follows its field. It is refused, with its
  name, instead of being stored under a key that means something else.

A field may be spelt otherwise than its value is, `{level:06}`, `{created_at:%Y-%m-%d}`: see `spellings`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tablewright.design.keys.key_formats import Calendar, Shard, Spelling, Width, key_text, parse_spelling
from tablewright.errors import DesignError, KeyValueError

_FIELD = re.compile(r"\{(?P<name>[a-zA-Z_][a-zA-Z0-9_]*)(?::(?P<spelling>[^{}]+))?\}")


@dataclass(frozen=True, slots=True)
class Field:
    """A place in a template that a value fills."""

    name: str
    spelling: Spelling | None = None
    stop: str = ""
    """The character that ends it: the first of the literal text behind it; empty at the end of the template."""

    def __str__(self) -> str:
        return f"{{{self.name}:{self.spelling.text}}}" if self.spelling else f"{{{self.name}}}"

    @property
    def is_part(self) -> bool:
        """Whether many values have the same text, as those of one day or of one shard."""
        return isinstance(self.spelling, Calendar | Shard)

    @property
    def tells_value(self) -> bool:
        """Whether the value can be read back from the key."""
        return self.spelling is None or isinstance(self.spelling, Width)

    @property
    def shape(self) -> str:
        """An example of its texts, with a 0 for every digit; empty where they have no one shape."""
        return self.spelling.shape if self.spelling else ""

    def render(self, value: Any) -> str:
        """The value as key text."""
        if self.spelling is not None:
            text = self.spelling.spell(self.name, value)
        else:
            text = value if type(value) is str else key_text(self.name, value)
        if not text:
            raise KeyValueError(f"{self.name} is empty, and a key cannot be made of it")
        if self.stop and self.stop in text and not self.is_part:
            raise KeyValueError(
                f"{self.name} = {text!r} contains {self.stop!r}, which ends it in the key; "
                f"remove or replace that character in {self.name}"
            )
        return text

    @property
    def pattern(self) -> str:
        """A regular expression for what it can hold."""
        if self.is_part:
            return re.escape(self.shape).replace("0", "[0-9]")
        return f"[^{re.escape(self.stop)}]+" if self.stop else ".+"


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
    >>> from datetime import date
    >>> Template("DUE#{due_on:%Y%m%d}#{task_id:shard(4)}").render({"due_on": date(2025, 8, 8), "task_id": "t1"})
    'DUE#20250808#3'
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
        self.told = tuple(dict.fromkeys(field.name for field in self.fields if field.tells_value))
        """The names of those that can be read back from the key, each once."""
        self.is_constant = not self.fields
        """Whether it always renders to the same text."""
        # Most keys are "TYPE#{id}", and most values are texts: such a key needs nothing but to be put together.
        ends_open = len(self.fields) == 1 and self.parts[-1] is self.fields[0]
        self._open_end = self.names[0] if ends_open and self.fields[0].spelling is None else None

    def __repr__(self) -> str:
        return f"Template({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Template) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    @property
    def is_value(self) -> bool:
        """Whether it is one bare field, `"{email}"`: then the value is the key itself, of its own type."""
        return len(self.parts) == 1 and isinstance(self.parts[0], Field) and not self.parts[0].spelling

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
        """What the fields held, as far as the text tells; None when it was not made by this template."""
        match = self._pattern.fullmatch(text)
        return match.groupdict() if match else None

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        captured = set()
        pattern = ""
        for part in self.parts:
            if isinstance(part, str):
                pattern += re.escape(part)
            elif part.tells_value and part.name not in captured:
                captured.add(part.name)
                pattern += f"(?P<{part.name}>{part.pattern})"
            else:
                pattern += part.pattern
        return re.compile(pattern, re.DOTALL)


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
        parts.append(Field(match["name"], _spelling(match["spelling"], text)))
        position = match.end()
    if position < len(text):
        parts.append(_literal(text[position:], text))
    if not parts:
        raise DesignError("a key template is empty; give it text or a field such as {user_id}")
    return [_stopped(part, following) for part, following in zip(parts, [*parts[1:], ""], strict=True)]


def _spelling(spelling: str | None, template: str) -> Spelling | None:
    try:
        return parse_spelling(spelling) if spelling else None
    except DesignError as refusal:
        raise DesignError(f'in the key template "{template}", {refusal}') from None


def _literal(literal: str, template: str) -> str:
    if "{" in literal or "}" in literal:
        raise DesignError(
            f'the key template "{template}" has a brace that names no field; write {{field_name}}'
        )
    return literal


def _stopped(part: Part, following: Part) -> Part:
    if isinstance(part, Field) and isinstance(following, str) and following:
        return Field(part.name, part.spelling, following[0])
    return part

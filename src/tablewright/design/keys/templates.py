"""Key templates: `"ROLE#{role}"` as data that can be rendered, parsed and analysed.

A template is literal text that contains fields. Two rules make rendering reversible, so that different values never
render to the same text:

- Two fields are separated by literal text.
- A value must not contain the first character of the literal text that follows its field. Rendering raises
  `KeyValueError` with the name of the field, because the key would stand for other values.

A field may have a key format: `{level:06}`, `{created_at:%Y-%m-%d}`, `{points:08 desc}`; see `key_formats`.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from tablewright.deferred_dataclasses import dataclass
from tablewright.design.keys.key_formats import Descending, KeyFormat, parse_key_format
from tablewright.design.keys.number_formats import Width
from tablewright.design.keys.text_formats import Case, key_text
from tablewright.design.keys.time_formats import Calendar, Epoch
from tablewright.errors import DesignError, KeyValueError

_FIELD = re.compile(r"\{(?P<name>[a-zA-Z_][a-zA-Z0-9_]*)(?::(?P<format>[^{}]+))?\}")


@dataclass(frozen=True, slots=True)
class TemplateField:
    """A field in a template, with its key format."""

    name: str
    key_format: KeyFormat | None = None
    stop: str = ""
    """The first character of the literal text after it; empty at the end of the template."""

    def __str__(self) -> str:
        return f"{{{self.name}:{self.key_format.text}}}" if self.key_format else f"{{{self.name}}}"

    @property
    def is_part(self) -> bool:
        """Whether many values have the same text, such as the timestamps of one day."""
        return self.key_format is not None and self.key_format.is_part

    @property
    def is_reversible(self) -> bool:
        """Whether the value can be read back from the key."""
        return self.key_format is None or self.key_format.is_reversible

    @property
    def shape(self) -> str:
        """An example of its text, with a 0 for every digit; empty where texts have no common shape."""
        return self.key_format.shape if self.key_format else ""

    @property
    def time_text(self) -> str:
        """Its date format, such as `%Y-%m`; empty for other key formats."""
        base = self.key_format.base if isinstance(self.key_format, Descending) else self.key_format
        return base.text if isinstance(base, Calendar) else ""

    @property
    def has_fixed_shape(self) -> bool:
        """Whether its key format gives all values the same width, so that no separator can be inside."""
        if isinstance(self.key_format, Width):  # plain digits: keys of another width are still recognised
            return self.key_format.signed or self.key_format.decimals > 0
        return self.key_format is not None and not isinstance(self.key_format, Case)

    def render(self, value: Any) -> str:
        """The value as key text."""
        if self.key_format is not None:
            text = self.key_format.render(self.name, value)
        else:
            text = value if type(value) is str else key_text(self.name, value)
        if not text:
            raise KeyValueError(f"{self.name} is empty, and a key cannot contain an empty value")
        if self.stop and self.stop in text and not self.has_fixed_shape:
            raise KeyValueError(
                f"{self.name} = {text!r} contains {self.stop!r}, which separates it from the next part of the key; "
                f"remove or replace that character in {self.name}"
            )
        return text

    def render_number(self, value: Any) -> str:
        """The value of a number key, for the key formats that have one."""
        assert isinstance(self.key_format, Calendar | Epoch)  # the rules for keys reject others
        return self.key_format.render_number(self.name, value)

    @property
    def pattern(self) -> str:
        """A regular expression that matches its text."""
        if self.has_fixed_shape:
            return re.escape(self.shape).replace("0", "[0-9]") if self.shape else _TIME
        return f"[^{re.escape(self.stop)}]+" if self.stop else ".+"


_TIME = r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z)?"
"""The text of a date or of a timestamp, in any order."""

Part = str | TemplateField


class Template:
    """The template of one key attribute.

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
        """The literal text at its beginning."""
        self.fields = tuple(part for part in self.parts if isinstance(part, TemplateField))
        """The fields, in order."""
        self.names = tuple(field.name for field in self.fields)
        """The names of the fields, in order."""
        self.parsed_names = tuple(dict.fromkeys(field.name for field in self.fields if field.is_reversible))
        """The names of the fields whose values can be read back from the key, each once: what `parse` returns."""
        self.is_constant = not self.fields
        """Whether it contains no field."""
        captured = {field.name: field for field in reversed(self.fields) if field.is_reversible}
        self._restored = {
            field.name: field.key_format
            for field in captured.values()
            if field.key_format and field.has_fixed_shape
        }
        # Fast path: most keys are "TYPE#{id}" with a text value, and rendering is one concatenation.
        ends_open = len(self.fields) == 1 and self.parts[-1] is self.fields[0]
        self._open_end = self.names[0] if ends_open and self.fields[0].key_format is None else None

    def __repr__(self) -> str:
        return f"Template({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Template) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    @property
    def is_value(self) -> bool:
        """Whether it is one field without other text, `"{email}"`: then the key is the value, in its own type."""
        return (
            len(self.parts) == 1 and isinstance(self.parts[0], TemplateField) and not self.parts[0].key_format
        )

    @property
    def is_number(self) -> bool:
        """Whether it can be a number key: one field, without a key format or with one that is a number."""
        if len(self.parts) != 1 or not isinstance(self.parts[0], TemplateField):
            return False
        key_format = self.parts[0].key_format
        return key_format is None or key_format.is_number

    def render(self, values: Mapping[str, Any]) -> str:
        """The key text for the values of all fields."""
        if self.is_constant:
            return self.text
        if self._open_end is not None:
            value = values[self._open_end]
            if type(value) is str and value:
                return self.prefix + value
        return "".join(
            [part if isinstance(part, str) else part.render(values[part.name]) for part in self.parts]
        )

    def fits(self, text: str, values: Mapping[str, Any]) -> bool:
        """Whether a text can be the key of something that has these values; those of other fields are not known.

        >>> Template("{day}#{task_id}").fits("2026-05-01#7", {"task_id": "7"})
        True
        """
        parts = [
            re.escape(part)
            if isinstance(part, str)
            else re.escape(part.render(values[part.name]))
            if part.name in values
            else part.pattern
            for part in self.parts
        ]
        return re.fullmatch("".join(parts), text, re.DOTALL) is not None

    def parse(self, text: str) -> dict[str, str] | None:
        """The texts of the fields that can be read back; None if the text does not match the template."""
        match = self._pattern.fullmatch(text)
        if match is None:
            return None
        texts = match.groupdict()
        if self._restored:
            for name, key_format in self._restored.items():
                texts[name] = key_format.restore(texts[name])
        return texts

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        captured = set()
        pattern = ""
        for part in self.parts:
            if isinstance(part, str):
                pattern += re.escape(part)
            elif part.is_reversible and part.name not in captured:
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
                f'the key template "{text}" has two adjacent fields; put text such as "#" between them'
            )
        parts.append(TemplateField(match["name"], _key_format(match["format"], text)))
        position = match.end()
    if position < len(text):
        parts.append(_literal(text[position:], text))
    if not parts:
        raise DesignError("a key template is empty; write text or a field such as {user_id}")
    return [_with_stop(part, following) for part, following in zip(parts, [*parts[1:], ""], strict=True)]


def _key_format(text: str | None, template: str) -> KeyFormat | None:
    try:
        return parse_key_format(text) if text else None
    except DesignError as error:
        raise DesignError(f'in the key template "{template}", {error}') from None


def _literal(literal: str, template: str) -> str:
    if "{" in literal or "}" in literal:
        raise DesignError(
            f'the key template "{template}" has a brace that is not part of a field; write {{field_name}}'
        )
    return literal


def _with_stop(part: Part, following: Part) -> Part:
    if isinstance(part, TemplateField) and isinstance(following, str) and following:
        return TemplateField(part.name, part.key_format, following[0])
    return part

"""Key parts: the text of a key, split into the literal text of its template and the values of its fields."""

import re
from functools import lru_cache
from typing import TypedDict

from tablewright.design.keys.templates import Template


class KeyPart(TypedDict):
    """A part of a key; `field` is None for literal text."""

    text: str
    field: str | None


def key_parts(template: Template, text: str) -> list[KeyPart] | None:
    """Split the text of a key by its template; None if the text does not match.

    >>> key_parts(Template("USER#{user_id}"), "USER#u1")
    [{'text': 'USER#', 'field': None}, {'text': 'u1', 'field': 'user_id'}]
    """
    match = _pattern(template).fullmatch(text)
    if match is None:
        return None
    fields = [None if isinstance(part, str) else part.name for part in template.parts]
    return [KeyPart(text=part, field=name) for part, name in zip(match.groups(), fields, strict=True)]


@lru_cache(maxsize=1024)
def _pattern(template: Template) -> re.Pattern[str]:
    parts = (re.escape(part) if isinstance(part, str) else part.pattern for part in template.parts)
    return re.compile("".join(f"({part})" for part in parts), re.DOTALL)

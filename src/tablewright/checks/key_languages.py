"""Key languages: all texts that a key template can render, and whether two templates share one.

A template is a sequence of steps over characters: literal text is one step for each character, a field is what its type
allows. Two sequences share a text if and only if walking both at once, by the same characters, can reach both ends; the
walk also yields the shortest such text, for the message.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice, product
from string import ascii_letters
from typing import Any
from uuid import UUID

from tablewright.deferred_dataclasses import dataclass
from tablewright.design.keys.key_formats import key_shape
from tablewright.design.keys.templates import Template, TemplateField
from tablewright.design.keys.text_formats import Case
from tablewright.design.layouts.field_values import allowed_values

_DIGITS = frozenset("0123456789")
_HEXADECIMAL = _DIGITS | frozenset("abcdef")
_MAX_ALTERNATIVES = 256
"""A template with several enums has the product of their values as alternatives; beyond this it counts as any text."""


@dataclass(frozen=True, slots=True)
class LanguageStep:
    """One character out of `members` (or not in `members`), or any number of such characters."""

    members: frozenset[str]
    negated: bool = False
    repeated: bool = False

    def shared(self, other: "LanguageStep") -> str | None:
        """A character that both allow, or None."""
        if self.negated and other.negated:
            return next(
                letter for letter in map(chr, _readable()) if letter not in self.members | other.members
            )
        if self.negated:
            return min(other.members - self.members, default=None)
        rest = self.members - other.members if other.negated else self.members & other.members
        return min(rest, default=None)


Steps = tuple[LanguageStep, ...]
Language = tuple[Steps, ...]
"""The alternatives: the texts of a language match one of them."""

ANY = LanguageStep(frozenset(), negated=True, repeated=True)
ANYTHING: Language = ((ANY,),)


def language(
    template: Template, type_of: Callable[[str], Any], *, prefix: bool = False, without: str = ""
) -> Language:
    """The texts of a template, or the texts that begin with them (`prefix`).

    `type_of` returns the type of a field; `without` are characters that no free text contains.
    """
    alternatives = [
        [_literal(part)] if isinstance(part, str) else _alternatives(part, type_of(part.name), without)
        for part in template.parts
    ]
    end = (ANY,) if prefix else ()
    made = list(islice((sum(parts, ()) + end for parts in product(*alternatives)), _MAX_ALTERNATIVES + 1))
    return tuple(made) if len(made) <= _MAX_ALTERNATIVES else ANYTHING


def delimiters(*templates: Template) -> str:
    """The characters that separate fields: those in literal text that are neither letters nor digits.

    >>> delimiters(Template("USER#{id}"), Template("{a}/{b}"))
    '#/'
    """
    literals = "".join(part for template in templates for part in template.parts if isinstance(part, str))
    return "".join(sorted({letter for letter in literals if not letter.isalnum()}))


def shared_text(one: Language, other: Language) -> str | None:
    """The shortest text that is in both languages, or None.

    >>> def text(name: str) -> type:
    ...     return str
    >>> user, order = Template("USER#{id}"), Template("USER#{id}#ORDER#{order}")
    >>> shared_text(language(user, text), language(order, text))
    'USER#a#ORDER#a'
    >>> shared_text(language(Template("{id}#A"), text), language(Template("{id}#B"), text)) is None
    True
    """
    found = (_walk(left, right) for left, right in product(one, other))
    return min((text for text in found if text is not None), key=len, default=None)


def _walk(left: Steps, right: Steps) -> str | None:
    """Breadth first over pairs of positions, so that the first text found is the shortest."""
    ends = (len(left), len(right))
    waiting: deque[tuple[tuple[int, int], str]] = deque([((0, 0), "")])
    seen: set[tuple[int, int]] = set()
    while waiting:
        position, text = waiting.popleft()
        for at in _skipping(position, left, right):
            if at == ends:
                return text
            if at in seen or at[0] == ends[0] or at[1] == ends[1]:
                continue
            seen.add(at)
            one, other = left[at[0]], right[at[1]]
            letter = one.shared(other)
            if letter is not None and not (
                one.repeated and other.repeated
            ):  # two repeated steps would only make the text longer
                waiting.append(((at[0] + (not one.repeated), at[1] + (not other.repeated)), text + letter))
    return None


def _skipping(position: tuple[int, int], left: Steps, right: Steps) -> Iterable[tuple[int, int]]:
    """The position, and those reached by skipping repeated steps."""
    return product(_after(position[0], left), _after(position[1], right))


def _after(at: int, steps: Steps) -> Iterator[int]:
    yield at
    while at < len(steps) and steps[at].repeated:
        at += 1
        yield at


def _alternatives(field: TemplateField, annotation: Any, without: str) -> list[Steps]:
    """The alternatives for a field of a type, see `design.keys.key_formats`."""
    shape = key_shape(field.key_format, annotation)
    if shape:
        return [_shape(shape)]
    known = allowed_values(annotation)
    if known is not None:
        return [_literal(_cased(field, value)) for value in known]
    if annotation is UUID:
        return [_shape("ffffffff-ffff-ffff-ffff-ffffffffffff")]
    never = frozenset(letter for letter in ascii_letters if _cased(field, letter) != letter)
    free = LanguageStep(never | frozenset(field.stop + without), negated=True)
    once = LanguageStep(_DIGITS | {"-"}) if annotation is int else free
    return [(once, LanguageStep(once.members, once.negated, repeated=True))]


def _cased(field: TemplateField, text: str) -> str:
    return field.key_format.render(field.name, text) if isinstance(field.key_format, Case) else text


def _literal(text: str) -> Steps:
    return tuple(LanguageStep(frozenset(letter)) for letter in text)


def _shape(example: str) -> Steps:
    kinds = {"0": _DIGITS, "f": _HEXADECIMAL}
    return tuple(LanguageStep(kinds.get(letter, frozenset(letter))) for letter in example)


def _readable() -> Iterable[int]:
    return chain(range(ord("a"), ord("z") + 1), range(ord("0"), 0x10FFFF))

"""Wording: a text that a regular expression matches, for fields that are held to one."""

import random
from importlib import import_module
from typing import Any

# Where Python itself reads expressions; it has no public name.
parser = import_module("re._parser")

# How often a part without an upper bound is repeated.
MOST = 6
_CLASSES = {
    "CATEGORY_DIGIT": "0123456789",
    "CATEGORY_WORD": "abcdefghijklmnopqrstuvwxyz",
    "CATEGORY_SPACE": " ",
}


def text_like(pattern: str, chance: random.Random) -> str:
    """A text that the pattern matches, as far as it is made of letters, classes, choices and repeats.

    >>> text_like("^[a-c]{2}-(x|y)$", random.Random(1)) in {a + b + "-" + c for a in "abc" for b in "abc" for c in "xy"}
    True
    """
    return _sequence(parser.parse(pattern), chance)


def _sequence(parts: Any, chance: random.Random) -> str:
    return "".join(_part(str(name), value, chance) for name, value in parts)


def _part(name: str, value: Any, chance: random.Random) -> str:
    match name:
        case "LITERAL":
            return chr(value)
        case "IN":
            return chance.choice(_letters(value))
        case "ANY" | "NOT_LITERAL":
            return chance.choice("abcdefghijklmnopqrstuvwxyz")
        case "BRANCH":
            return _sequence(chance.choice(value[1]), chance)
        case "SUBPATTERN":
            return _sequence(value[-1], chance)
        case "MAX_REPEAT" | "MIN_REPEAT":
            least, most, inner = value
            times = chance.randint(least, max(least, min(int(most), least + MOST)))
            return "".join(_sequence(inner, chance) for _ in range(times))
        case _:
            return ""


def _letters(members: Any) -> list[str]:
    found: list[str] = []
    for name, value in members:
        match str(name):
            case "LITERAL":
                found.append(chr(value))
            case "RANGE":
                found.extend(map(chr, range(value[0], value[1] + 1)))
            case "CATEGORY":
                found.extend(_CLASSES.get(str(value), "a"))
            case "NEGATE":
                return list("abcdefghijklmnopqrstuvwxyz")
    return found

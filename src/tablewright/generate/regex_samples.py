"""Regex samples: random texts that match a regular expression, for fields with a `pattern`."""

import random
from importlib import import_module
from typing import Any

# The parser of Python itself; it has no public name.
parser = import_module("re._parser")

# The number of repeats beyond the minimum for a part without an upper limit.
MAX_REPEATS = 6
_CLASSES = {
    "CATEGORY_DIGIT": "0123456789",
    "CATEGORY_WORD": "abcdefghijklmnopqrstuvwxyz",
    "CATEGORY_SPACE": " ",
}


def matching_text(pattern: str, source: random.Random) -> str:
    """A random text that matches the pattern; supports literals, classes, alternatives and repeats.

    >>> matching_text("^a{2}-(x|y)$", random.Random(1)) in {"aa-x", "aa-y"}
    True
    """
    return _sequence(parser.parse(pattern), source)


def _sequence(parts: Any, source: random.Random) -> str:
    return "".join(_part(str(name), value, source) for name, value in parts)


def _part(name: str, value: Any, source: random.Random) -> str:
    match name:
        case "LITERAL":
            return chr(value)
        case "IN":
            return source.choice(_letters(value))
        case "ANY" | "NOT_LITERAL":
            return source.choice("abcdefghijklmnopqrstuvwxyz")
        case "BRANCH":
            return _sequence(source.choice(value[1]), source)
        case "SUBPATTERN":
            return _sequence(value[-1], source)
        case "MAX_REPEAT" | "MIN_REPEAT":
            least, most, inner = value
            times = source.randint(least, max(least, min(int(most), least + MAX_REPEATS)))
            return "".join(_sequence(inner, source) for _ in range(times))
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

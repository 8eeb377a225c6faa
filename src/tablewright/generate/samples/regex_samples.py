"""Regex samples: random texts that match a regular expression, for fields with a `pattern`."""

import random
from importlib import import_module
from typing import Any

from tablewright.generate.samples.sample_words import WORDS

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

    Words are used where the pattern accepts them.

    >>> matching_text("^a{2}-(x|y)$", random.Random(1)) in {"aa-x", "aa-y"}
    True
    """
    return _sequence(parser.parse(pattern), source)


def _sequence(parts: Any, source: random.Random) -> str:
    texts, place, parts = [], 0, list(parts)
    while place < len(parts):
        word, used = _word(parts[place : place + 2], source)
        texts.append(word or _part(str(parts[place][0]), parts[place][1], source))
        place += used if word else 1
    return "".join(texts)


def _word(parts: Any, source: random.Random) -> tuple[str, int]:
    """A word where the pattern accepts one, `[a-z]+` or `[A-Z][a-z]+`, and the number of parts that it matches."""
    classes: list[set[str]] = []
    limits = (0, 0)
    for name, value in parts:
        if str(name) == "IN" and not classes:
            classes.append(set(_letters(value)))
        elif str(name) == "MAX_REPEAT" and len(value[2]) == 1 and str(value[2][0][0]) == "IN":
            limits = (value[0] + len(classes), int(value[1]) + len(classes))
            classes.append(set(_letters(value[2][0][1])))
            break
        else:
            return "", 0
    if limits[1] < 4:
        return "", 0
    known = [word for word in WORDS if limits[0] <= len(word) <= limits[1]]
    known += [word.capitalize() for word in known]
    fitting = [word for word in known if word[0] in classes[0] and set(word[1:]) <= classes[-1]]
    return (source.choice(fitting), len(classes)) if fitting else ("", 0)


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

"""Text widths: how wide a text is in a diagram, at most, whatever font the reader has.

SVG does not wrap text, and the font of the reader is not known. So widths are estimated from above: key templates in a
monospace font (0.6 of the size in all common ones), names in a bold sans font by a table for the widest common one.
"""

import re

_MONOSPACE = 0.62
_NARROW = frozenset("ijl.,:;'|!`()[]{}/\\ ")
_MEDIUM = frozenset('ftrI-"*^1')
_WIDE = frozenset("mwMW@%&")


def mono_width(text: str, size: float) -> float:
    """The width of a text in a monospace font.

    >>> mono_width("USER#", 10)
    31.0
    """
    return len(text) * _MONOSPACE * size


def sans_width(text: str, size: float) -> float:
    """The width of a text in a bold sans font, estimated from above.

    >>> sans_width("Will", 10) < sans_width("MMMM", 10)
    True
    """
    return sum(map(_letter, text)) * size


def _letter(letter: str) -> float:
    if letter in _NARROW:
        return 0.42
    if letter in _MEDIUM:
        return 0.52
    if letter in _WIDE:
        return 1.06
    return 0.82 if letter.isupper() or not letter.isascii() else 0.7


def wrapped(text: str, most: int) -> list[str]:
    """The lines of a key template, each of at most that many characters; broken at `#`, fields and blanks if possible.

    >>> wrapped("STARTUP#{startup_id}#ROLE#{role_id}", 24)
    ['STARTUP#{startup_id}', '#ROLE#{role_id}']
    """
    lines = [""]
    for piece in re.findall(r"\{[^}]*\}|#[^#{ ]*| [^#{ ]*|[^#{ ]+", text):
        if len(lines[-1]) + len(piece) <= most:
            lines[-1] += piece
            continue
        rest = piece.lstrip()
        lines += [""] if lines[-1] else []
        while len(rest) > most:
            lines[-1], rest = rest[:most], rest[most:]
            lines.append("")
        lines[-1] = rest
    return lines

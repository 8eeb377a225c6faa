"""Nearest names: what a misspelt name was probably meant to be, for messages."""

from collections.abc import Iterable


def suggestion(name: str, known: Iterable[str], otherwise: str = "it has") -> str:
    """The nearest of the known names; all of them if none is near.

    >>> suggestion("nmae", ["name", "email"])
    'did you mean name?'
    >>> suggestion("colour", ["name", "email"])
    'it has: name, email'
    """
    from difflib import get_close_matches  # loaded for a mistake only

    names = list(dict.fromkeys(known))
    close = get_close_matches(name, names, n=1)
    return f"did you mean {close[0]}?" if close else f"{otherwise}: {', '.join(names) or 'none'}"

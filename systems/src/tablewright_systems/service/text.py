"""Text that people type: names, prose and e-mail addresses.

    class UserProfile(Entity, ...):
        name: Annotated[Line, Field(min_length=1, max_length=100)]
        about: Annotated[Prose, Field(max_length=2_000)]
        email: Annotated[EmailAddress, fields.Unique(normalise=fold_email)]

Control characters break logs and terminals. Characters that change the direction of text, and invisible ones, make one
name look like another. All are invalid in names. Joiners are valid, because Persian words and many emoji need them.
"""

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Annotated

import idna
from pydantic import AfterValidator, BeforeValidator

_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE = "\u00ad\u034f\u115f\u1160\u180e\u200b\u2060-\u2064\u3164\ufeff\uffa0"
_HIDDEN_IN_NAMES = re.compile(rf"[\x00-\x1f\x7f-\x9f\u2028\u2029{_BIDI}{_INVISIBLE}]")
_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_HIDDEN_IN_PROSE = re.compile(rf"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f{_BIDI}]")


def fold_email(address: str) -> str:
    """Return the form in which two e-mail addresses of one mailbox are equal.

    Compatibility forms and upper case do not count. The domain is in the ASCII form of IDNA 2008, so that both forms of
    an international domain are equal. No letter is replaced with others: straße.de and strasse.de have two owners.

    >>> fold_email(" Bob@STRASSE.de"), fold_email("bob@stra\N{LATIN SMALL LETTER SHARP S}e.de")
    ('bob@strasse.de', 'bob@xn--strae-oqa.de')
    """
    local, at, domain = unicodedata.normalize("NFKC", address).strip().rpartition("@")
    return f"{_lower(local)}{at}{_ascii_domain(domain)}"


def require_email(address: str) -> str:
    """Return an e-mail address without surrounding spaces, for use in an `AfterValidator`; ValueError if it is none.

    >>> require_email(" Ada@Example.org ")
    'Ada@Example.org'
    """
    trimmed = address.strip()
    folded = fold_email(trimmed)
    local, _, domain = folded.rpartition("@")
    if (
        not re.fullmatch(r"[^@\s]{1,64}", local)
        or "." not in domain
        or len(trimmed) > 254
        or len(folded) > 254
    ):
        raise ValueError("not a valid e-mail address")
    if not domain.isascii():
        raise ValueError("not a valid e-mail address: its domain is not a valid international domain")
    if not all(map(_LABEL.fullmatch, domain.split("."))):
        raise ValueError(f"not a valid e-mail address: {domain} is not a valid domain")
    return require_name(trimmed)


def require_name(text: str) -> str:
    """Return a name, for use in an `AfterValidator`; ValueError if it has control characters or invisible ones.

    Characters that change the direction of text are among them: they make one name look like another.
    """
    if hidden := _HIDDEN_IN_NAMES.search(text):
        raise ValueError(f"must not contain the control character U+{ord(hidden[0]):04X}")
    return text


def require_prose(text: str) -> str:
    """Return a text of one or more lines; ValueError if it has control characters besides tabs and line ends."""
    if hidden := _HIDDEN_IN_PROSE.search(text):
        raise ValueError(f"must not contain the control character U+{ord(hidden[0]):04X}")
    return text


def one_line(text: str) -> str:
    """Return text in Unicode form NFC, in one line, with single spaces; ValueError if it has control characters.

    >>> one_line("  Ada \\t Lovelace ")
    'Ada Lovelace'
    """
    return require_name(" ".join(unicodedata.normalize("NFC", text).split()))


def prose(text: str) -> str:
    """Return text in Unicode form NFC, trimmed, with its line ends; ValueError if it has control characters.

    >>> prose("first\\r\\n  second ")
    'first\\n  second'
    """
    return require_prose(unicodedata.normalize("NFC", text).replace("\r\n", "\n").strip())


def _if_text(clean: Callable[[str], str]) -> BeforeValidator:
    """Clean text before its length is checked; a value of another type is an error of the field itself."""
    return BeforeValidator(lambda value: clean(value) if isinstance(value, str) else value)


Line = Annotated[str, _if_text(one_line)]
"""Text in one line, such as a name."""
Prose = Annotated[str, _if_text(prose)]
"""Text of one or more lines, such as a description."""
EmailAddress = Annotated[str, AfterValidator(require_email)]
"""An e-mail address as the user wrote it; `fold_email` compares two addresses."""


@lru_cache(maxsize=1024)
def _ascii_domain(domain: str) -> str:
    """The domain in ASCII; as given, in lower case, if it is no valid domain."""
    try:
        return idna.encode(domain, uts46=True).decode()
    except idna.IDNAError:
        return _lower(domain)


def _lower(text: str) -> str:
    return unicodedata.normalize("NFKC", text.lower())

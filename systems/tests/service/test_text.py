"""Text that people type: identity of e-mail addresses, characters that are rejected."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError
from tablewright_systems.service.text import (
    EmailAddress,
    Line,
    Prose,
    fold_email,
    require_email,
    require_name,
    require_prose,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bob@Example.org", "bob@example.ORG"),
        (" bob@example.org ", "bob@example.org"),
        ("\uff42ob@example.org", "bob@example.org"),
        ("bob@stra\u00dfe.de", "BOB@xn--strae-oqa.de"),
        ("bob@\u00e9t\u00e9.fr", "bob@e\u0301te\u0301.fr"),
        ("\u00c9va@example.org", "e\u0301va@example.org"),
    ],
)
def test_forms_of_one_address_are_equal(one: str, other: str) -> None:
    assert fold_email(one) == fold_email(other)
    assert fold_email(fold_email(one)) == fold_email(one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("bob@stra\u00dfe.de", "bob@strasse.de"),
        ("stra\u00dfe@example.org", "strasse@example.org"),
        ("bob@example.org", "bob@example.com"),
        ("b.ob@example.org", "bob@example.org"),
        ("\u0131rma@example.org", "irma@example.org"),
        ("bob@ex\u0430mple.org", "bob@example.org"),
    ],
)
def test_addresses_of_two_mailboxes_differ(one: str, other: str) -> None:
    assert fold_email(one) != fold_email(other)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "bob",
        "bob@",
        "@example.org",
        "bob@example",
        "a b@example.org",
        "bob@exa\u0000mple.org",
        "b\u202eob@example.org",
        "a\uff20b@example.org",
        "x" * 65 + "@example.org",
        "bob@-.example.\u00e9\u0301-",
        "a@x.de.",
        "a@x..de",
        "a@.x.de",
        "a@-x.de",
        "a@x-.de",
        "a@x_y.de",
        "a@[192.0.2.1]",
        "a@" + "x" * 64 + ".de",
    ],
)
def test_invalid_addresses_are_rejected(address: str) -> None:
    with pytest.raises(ValueError, match=r"e-mail address|U\+"):
        require_email(address)


@pytest.mark.parametrize(
    "address",
    ["a@x.de", "A.b+c@mail.X-1.example.org", "bob@stra\u00dfe.de", "bob@xn--strae-oqa.de", "o'hara@x.de"],
)
def test_valid_addresses_are_accepted_as_they_are_written(address: str) -> None:
    assert require_email(address) == address


def test_hidden_characters_are_rejected() -> None:
    assert require_name("Ada Lovelace") == "Ada Lovelace"
    assert require_prose("one\n\ttwo\r\n") == "one\n\ttwo\r\n"
    for hidden in ("\x00", "\x1b", "\x7f", "\x85", "\u202e", "\u2066", "\u200f"):
        with pytest.raises(ValueError, match=f"U\\+{ord(hidden):04X}"):
            require_name(f"Ada{hidden}")
        with pytest.raises(ValueError, match=f"U\\+{ord(hidden):04X}"):
            require_prose(f"Ada{hidden}")
    with pytest.raises(ValueError, match="U\\+000A"):
        require_name("two\nlines")
    for invisible in "\u00ad\u200b\u2060\ufeff\u3164":
        with pytest.raises(ValueError, match=f"U\\+{ord(invisible):04X}"):
            require_name(f"Ada{invisible}")
    assert require_name("\N{FAMILY}\u200d\N{GIRL} \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645")


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("  Ada   Lovelace\n", "Ada Lovelace"),
        ("Cafe\u0301", "Caf\u00e9"),
        ("\u06cc\u200c\u0648", "\u06cc\u200c\u0648"),
        ("\U0001f469\u200d\U0001f680", "\U0001f469\u200d\U0001f680"),
        ("", ""),
    ],
    ids=["blanks", "composed", "persian non-joiner", "emoji joiner", "empty"],
)
def test_line_is_trimmed_and_composed(text: str, cleaned: str) -> None:
    assert TypeAdapter(Line).validate_python(text) == cleaned


def test_prose_keeps_its_lines() -> None:
    assert TypeAdapter(Prose).validate_python(" one\r\n\ttwo\n") == "one\n\ttwo"


@pytest.mark.parametrize(
    ("kind", "value"), [(Line, "ad\0min"), (Prose, "ad\u202emin"), (EmailAddress, "bob"), (Line, 5)]
)
def test_fields_reject_invalid_text(kind: Any, value: object) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(kind).validate_python(value)

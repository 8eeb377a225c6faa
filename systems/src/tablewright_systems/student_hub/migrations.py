"""Migrations of the stored data of Student Hub, in order.

Due dates become keys of an index (F7): what is no date would be left out of it without a word, and could not be
edited any more. Budgets, texts as students typed them, become numbers (F6). What cannot be read as one amount is
left unchanged and reported, for a person to clarify.
"""

import re
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from tablewright import migrations
from tablewright_systems.student_hub.design import Deadline, UserProfile

_SYMBOLS = {"€": "EUR", "£": "GBP", "¥": "JPY", "$": None}
_SIGN = "[€£¥$]|[A-Z]{3}"
_AMOUNT = re.compile(rf"(?P<before>{_SIGN})?\s*(?P<figures>[0-9][0-9., '\u00a0]*?)\s*(?P<after>{_SIGN})?")
_CENTS = "(?:[.,](?P<cents>[0-9]{1,2}))?"
_PLAIN = re.compile("[0-9]+" + _CENTS)
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?P<mark>[.,' \u00a0])[0-9]{3}(?:(?P=mark)[0-9]{3})*" + _CENTS)


def amount(text: str) -> tuple[Decimal, str | None]:
    """Parse an amount typed by a user, and its currency; raise ValueError if the text is not one amount.

    Money has two decimals at most, so three figures behind a mark are thousands, whatever the country.

    >>> amount("1,200"), amount("€ 1.200,50"), amount("12,5 EUR")
    ((Decimal('1200'), None), (Decimal('1200.50'), '€'), (Decimal('12.5'), 'EUR'))
    """
    match = _AMOUNT.fullmatch(text.strip())
    figures = match["figures"] if match else ""
    number = _PLAIN.fullmatch(figures) or _GROUPED.fullmatch(figures)
    if match is None or number is None or (match["before"] and match["after"]):
        raise ValueError(f"{text!r} is not one amount")
    cents = number["cents"]
    whole = figures[: -len(cents) - 1] if cents else figures
    if cents and figures[-len(cents) - 1] in whole:
        raise ValueError(f"{text!r} is not one amount")
    sign = match["before"] or match["after"]
    return Decimal("".join(re.findall("[0-9]", whole)) + (f".{cents}" if cents else "")), sign


def _currency(sign: str | None, stored: str | None) -> str | None:
    """Return the currency of an amount: its own, or that of the profile."""
    if sign is None:
        return stored
    written = _SYMBOLS.get(sign, sign)
    if written is None and stored is None:
        raise ValueError(f"{sign} is the sign of several currencies, and budgetCurrency is not set")
    if written is not None and stored is not None and written != stored:
        raise ValueError(f"the amount is in {written}, but budgetCurrency is {stored}")
    return stored or written


def _as_number(name: str, item: dict[str, Any]) -> dict[str, Any] | None:
    text = item.get(name)
    if not isinstance(text, str):
        return None
    try:
        value, sign = amount(text)
        currency = _currency(sign, item.get("budgetCurrency"))
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    return item | {name: value, "budgetCurrency": currency}


def _as_text(name: str, item: dict[str, Any]) -> dict[str, Any] | None:
    return None if isinstance(item.get(name, ""), str) else item | {name: str(item[name])}


def _plain_date(item: dict[str, Any]) -> dict[str, Any] | None:
    """Convert a date or timestamp to the date format of the index."""
    text = str(item.get("dueDate", ""))
    try:
        day = datetime.fromisoformat(text).date() if "T" in text else date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"dueDate: {text!r} is not a date") from None
    return None if day.isoformat() == text else item | {"dueDate": day.isoformat()}


DUE_DATES = migrations.Migration("2026-03-due-dates-are-dates", Deadline, up=_plain_date)

MONTHLY_BUDGET = migrations.Migration(
    "2026-03-monthly-budget-as-number",
    UserProfile,
    up=lambda item: _as_number("monthlyBudget", item),
    down=lambda item: _as_text("monthlyBudget", item),
)

HOUSING_BUDGET = migrations.Migration(
    "2026-03-housing-budget-as-number",
    UserProfile,
    up=lambda item: _as_number("housingBudget", item),
    down=lambda item: _as_text("housingBudget", item),
)

"""Sample records of the fake platforms: people, what they bought, and the products, the same on every platform."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random

PEOPLE = (
    "Ada Lovelace",
    "Grace Hopper",
    "Alan Turing",
    "Katherine Johnson",
    "Edsger Dijkstra",
    "Radia Perlman",
)
PRODUCTS = ("Notebook", "Pen", "Desk lamp", "Chair", "Bookshelf", "Calendar", "Backpack", "Mug")
COUNTRIES = ("DE", "AT", "US", "GB")


def times(count: int, now: datetime, seed: str) -> Iterator[datetime]:
    """Yield times of change before `now`, in the last 60 days, oldest first; the same for the same seed."""
    random = Random(seed)
    ages = sorted((random.uniform(0.1, 60.0) for _ in range(count)), reverse=True)
    return (now.replace(microsecond=0) - timedelta(days=age // 1, hours=int(age % 1 * 24)) for age in ages)


def person(number: int) -> tuple[str, str, str, str]:
    """Return first name, last name, e-mail address and country of a sample person."""
    first, last = PEOPLE[number % len(PEOPLE)].split()
    return first, last, f"{first.lower()}.{number}@example.org", COUNTRIES[number % len(COUNTRIES)]


def product(number: int) -> tuple[str, int]:
    """Return name and price in cents of a sample product."""
    return f"{PRODUCTS[number % len(PRODUCTS)]} {number}", 500 + number * 125

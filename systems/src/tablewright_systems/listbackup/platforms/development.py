"""Fakes of platforms in a server for development, and the worker in the same process that reads them."""

from functools import cache
from weakref import WeakKeyDictionary

from tablewright import Repository
from tablewright_systems.listbackup.platforms.fakes.fake_platforms import FakePlatforms
from tablewright_systems.listbackup.platforms.platforms import Platforms

FAKES: WeakKeyDictionary[Repository, FakePlatforms] = WeakKeyDictionary()
"""The fakes of each store that a server for development serves in this process."""


def platforms_for(db: Repository) -> Platforms:
    """Return the platforms for the worker of a store: the fakes of its server, or those of the environment."""
    fakes = FAKES.get(db)
    return fakes.platforms() if fakes is not None else _configured()


@cache
def _configured() -> Platforms:
    """Return the platforms of the environment, once: they keep connections open."""
    return Platforms.from_environment()

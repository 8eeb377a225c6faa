"""The catalogue: which types of service there are (F14). It is seeded by hand, and as often as one likes."""

from collections.abc import Iterable
from contextlib import suppress

from tablewright import Repository, errors, writes
from tablewright_systems.api_errors import Forbidden, Invalid, NotFound
from tablewright_systems.authentication import Caller
from tablewright_systems.boards.design import AvailableService, ServiceByType, ServiceCatalogue
from tablewright_systems.boards.service.settling import Step
from tablewright_systems.boards.values import APPROVE_JOIN

SEED = (
    AvailableService(
        service_type=APPROVE_JOIN,
        display_name="Need approval to join",
        description="Allow a board to handle requests to join.",
    ),
)
"""What the document seeds (69-79)."""


def seed(
    db: Repository, caller: Caller, entries: Iterable[AvailableService] = SEED
) -> list[AvailableService]:
    """Put entries into the catalogue; those that are there already stay as they are. Which were new."""
    if "admin" not in caller.roles:
        raise Forbidden("only administrators may change the catalogue")
    added = []
    for entry in entries:
        with suppress(errors.AlreadyExists):
            added.append(db.create(entry))
    return added


def entry(db: Repository, service_type: str) -> AvailableService:
    """A type of service."""
    found = db.run(ServiceByType(service_type=service_type))
    if found is None:
        raise NotFound(f"service type {service_type}")
    return found


def entries(db: Repository) -> list[AvailableService]:
    """All types of service, by name: few enough to read the whole table."""
    return sorted(db.all(ServiceCatalogue()), key=lambda each: each.service_type)


def catalogued(service_type: str) -> Step:
    """The type is in the catalogue."""
    refusal = Invalid(f"{service_type} is not in the catalogue of services", field="serviceType")
    return writes.Check(ServiceByType(service_type=service_type)), refusal

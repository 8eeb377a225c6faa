"""Catalogue of service types (F14), seeded by an administrator; seeding again changes nothing."""

from collections.abc import Iterable
from contextlib import suppress

from tablewright import Repository, errors, writes
from tablewright_systems.boards.design import AvailableService, ServiceByType, ServiceCatalogue
from tablewright_systems.boards.values import APPROVE_JOIN
from tablewright_systems.service import Caller, Invalid, require_found

SEED = (
    AvailableService(
        service_type=APPROVE_JOIN,
        display_name="Need approval to join",
        description="Allow a board to handle requests to join.",
    ),
)
"""Service types of the document."""


def seed(
    db: Repository, caller: Caller, entries: Iterable[AvailableService] = SEED
) -> list[AvailableService]:
    """Add service types to the catalogue, leave existing ones unchanged, and return the new ones."""
    caller.require_role("admin")
    added = []
    for entry in entries:
        with suppress(errors.AlreadyExists):
            added.append(db.create(entry))
    return added


def entry(db: Repository, service_type: str) -> AvailableService:
    """Return a service type."""
    return require_found(db.run(ServiceByType(service_type=service_type)), f"service type {service_type}")


def entries(db: Repository) -> list[AvailableService]:
    """Return all service types by name; they are few enough for a scan."""
    return sorted(db.all(ServiceCatalogue()), key=lambda each: each.service_type)


def type_exists(service_type: str, field: str = "serviceType") -> writes.Write:
    """Check that a service type, the value of a field of the request, is in the catalogue."""
    error = Invalid(f"service type {service_type} is not in the catalogue", field=field)
    return writes.Check(ServiceByType(service_type=service_type), otherwise=error)

"""Catalogue of service types (F14), seeded by an administrator; seeding again changes nothing."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Annotated

from pydantic import Field

from tablewright import Repository, errors, reads, writes
from tablewright_systems.boards.design import AvailableService, ServiceByType, ServiceCatalogue
from tablewright_systems.boards.values import APPROVE_JOIN, NewServiceType, ServiceType
from tablewright_systems.service import MAX_LIMIT, Caller, Invalid, Line, Prose, require_found, sorted_page
from tablewright_systems.web import AUTHENTICATED, Body, CurrentCaller, Db, PageRequest, Router

router = Router("Catalogue", "The types of services.")


class NewEntry(Body):
    """A service type to add to the catalogue."""

    service_type: NewServiceType
    display_name: Annotated[Line, Field(min_length=1, max_length=100)]
    description: Annotated[Prose, Field(max_length=1_000)]


class NewEntries(Body):
    """Service types to add to the catalogue."""

    entries: Annotated[list[NewEntry], Field(max_length=MAX_LIMIT)]


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


@router.get("/catalogue/{service_type}", dependencies=[AUTHENTICATED], name="get_catalogue_entry")
def entry(db: Db, service_type: ServiceType) -> AvailableService:
    """Get a service type."""
    return require_found(db.run(ServiceByType(service_type=service_type)), f"service type {service_type}")


def entries(db: Repository) -> list[AvailableService]:
    """Return all service types by name; they are few enough for a scan."""
    return sorted(db.all(ServiceCatalogue()), key=lambda service: service.service_type)


def type_exists(service_type: str, field: str = "serviceType") -> writes.Write:
    """Check that a service type, the value of a field of the request, is in the catalogue."""
    error = Invalid(f"service type {service_type} is not in the catalogue", field=field)
    return writes.Check(ServiceByType(service_type=service_type), otherwise=error)


@router.get("/catalogue")
def list_catalogue(db: Db, caller: CurrentCaller, paging: PageRequest) -> reads.Page[AvailableService]:
    """List the service types by name."""
    return sorted_page(entries(db), paging, "catalogue", lambda entry: entry.service_type)


@router.post("/catalogue")
def seed_catalogue(db: Db, caller: CurrentCaller, body: NewEntries | None = None) -> list[AvailableService]:
    """Add service types (administrators); without a body, those of the system itself.

    Existing types are unchanged. The reply lists the types that were added.
    """
    if body is None:
        return seed(db, caller)
    return seed(db, caller, [AvailableService(**entry.sent()) for entry in body.entries])

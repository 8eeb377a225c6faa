"""Adoption: rows that were written as the document prints them get the items that this design keeps beside them.

The migrations add keys, locks and fields. Here are the claims of applications, the grants of access requests, the
participants of conversations, the links of direct conversations, and the counts of open roles. Adoption can run at any
time, and again: what exists stays as it is. The job `adoption` runs it once.
"""

from tablewright import Entity, Repository, Scan, errors, writes
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import (
    AccessGrant,
    AccessRequest,
    AccessStatus,
    Application,
    ApplicationStatus,
    Conversation,
    Startup,
)
from tablewright_systems.collabhub.service.messages import create_seats
from tablewright_systems.service import Adopted, migrate_rows, transact


class _Adoptable(Scan[Startup | Application | AccessRequest | Conversation]):
    """All entities with items beside them."""


def adopt(db: Repository) -> Adopted:
    """Migrate all rows and add the missing items beside them.

    A row that cannot be adopted, such as a second user with the same address, is logged and stays as it is.
    """
    adopted = migrate_rows(db)
    adopted.added = sum(_add_missing(db, entity) for entity in db.iterate(_Adoptable(), unknown="skip"))
    return adopted


def _add_missing(db: Repository, entity: Startup | Application | AccessRequest | Conversation) -> int:
    match entity:
        case Startup():
            return _count_roles(db, entity.startup_id)
        case Application():
            return _add_claim(db, entity)
        case AccessRequest():
            return _add_grant(db, entity)
        case Conversation():
            return _add_participants(db, entity)


@writes.retrying
def _count_roles(db: Repository, startup_id: str) -> int:
    startup = db.get_or_raise(design.StartupById(startup_id=startup_id))
    roles = db.all(design.RolesOfStartup(startup_id=startup_id), unknown="skip")
    opened = sum(role.is_open for role in roles)
    if opened == startup.open_roles:
        return 0
    db.update(startup, add={"open_roles": opened - startup.open_roles})
    return 1


def _add_claim(db: Repository, application: Application) -> int:
    if application.status == ApplicationStatus.WITHDRAWN:
        return 0
    claim = design.ApplicationClaim(
        role_id=application.role_id,
        user_id=application.applicant_id,
        application_id=application.application_id,
    )
    unchanged = Application.status == application.status
    return _create(db, writes.Check(application, unchanged), claim)


def _add_grant(db: Repository, request: AccessRequest) -> int:
    ends = request.expires_at
    is_approved = request.status == AccessStatus.APPROVED
    if request.status not in (AccessStatus.PENDING, AccessStatus.APPROVED) or (ends and ends <= db.now()):
        return 0
    grant = AccessGrant(
        startup_id=request.startup_id,
        investor_id=request.requester_id,
        access_id=request.access_id,
        access_level=request.access_level if is_approved else None,
        expires_at=ends if is_approved else None,
        ttl=int(ends.timestamp()) if ends and is_approved else None,
    )
    return _create(db, writes.Check(request, AccessRequest.status == request.status), grant)


def _add_participants(db: Repository, conversation: Conversation) -> int:
    added = create_seats(db, conversation)
    if conversation.type == design.ConversationType.DIRECT and len(conversation.participants) == 2:
        low, high = sorted(conversation.participants)
        link = design.DirectLink(low_id=low, high_id=high, conversation_id=conversation.conversation_id)
        added += _create(db, writes.Check(conversation), link)
    return added


def _create(db: Repository, check: writes.Write, item: Entity) -> int:
    """Create an item, if it is missing and the check holds; return whether it was missing."""
    try:
        transact(db, check, writes.Create(item))
    except (errors.AlreadyExists, errors.ConditionNotMet, errors.DoesNotExist):
        return 0
    return 1

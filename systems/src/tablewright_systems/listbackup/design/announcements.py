"""Announcements: notifications to all owners and admins of an account that are still to be created.

An event writes one announcement in its transaction, however many recipients there are; a background job creates the
notifications. They are stored in users-accounts, beside the memberships that name the recipients.
"""

from typing import Annotated, ClassVar

from pydantic import Field

from tablewright import Keys, Query
from tablewright_systems.listbackup.design.memberships import AccountRole, users_accounts
from tablewright_systems.listbackup.design.notifications import Category
from tablewright_systems.listbackup.design.vocabulary import Id, Priority, ResourceType
from tablewright_systems.service import OutboxMessage


class Announcement(OutboxMessage, table=users_accounts, type="ANNOUNCEMENT", schema_version=1):
    """A notification to the members of an account who have one of these roles."""

    account_id: Annotated[Id, Field(alias="announcedIn")]
    roles: list[AccountRole]
    category: Category
    priority: Priority
    subject: str
    message: str
    resource_type: ResourceType
    resource_id: str

    keys = Keys(primary=("OUTBOX#announcements", "{message_id}#announcements"))
    suppress: ClassVar = {"TW401": "few, and deleted within seconds"}


class Announcements(Query[Announcement]):
    """Get the announcements of all accounts that wait to be delivered."""

    key = "userId = OUTBOX#announcements"
    consistent = True


ENTITIES = (Announcement,)
PATTERNS = (Announcements,)

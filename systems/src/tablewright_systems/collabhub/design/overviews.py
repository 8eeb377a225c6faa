"""Patterns across areas: all entities of a type and time, all data of a user."""

from enum import StrEnum
from typing import ClassVar

from tablewright import Query, fields
from tablewright_systems.collabhub.design.access import AccessRequest
from tablewright_systems.collabhub.design.applications import Application
from tablewright_systems.collabhub.design.notifications import Notification
from tablewright_systems.collabhub.design.startups import Startup, StartupRole
from tablewright_systems.collabhub.design.subscriptions import Subscription
from tablewright_systems.collabhub.design.users import User


class Kind(StrEnum):
    """The types in GSI3; types that are written with every message or action are not in it (R7)."""

    USER = "USER"
    STARTUP = "STARTUP"
    STARTUP_ROLE = "STARTUP_ROLE"
    APPLICATION = "APPLICATION"
    ACCESS_REQUEST = "ACCESS_REQUEST"
    SUBSCRIPTION = "SUBSCRIPTION"


class CreatedBetween(Query[User | Startup | StartupRole | Application | AccessRequest | Subscription]):
    """List entities of a type that were created in a part of a month (A24)."""

    kind: Kind
    start: fields.Timestamp
    end: fields.Timestamp
    key = "GSI3PK = {kind}#{start:%Y-%m} AND GSI3SK BETWEEN {start} AND {end}#~"


class UserBundle(Query[User | Subscription | Notification]):
    """Get a user's subscription, profile and newest notifications, in one read (A34)."""

    suppress: ClassVar = {"TW309": "in reverse order: two single items, then the newest notifications"}

    user_id: str
    key = "PK = USER#{user_id}"
    descending = True

"""Accounts and their hierarchy (001:62-107).

A path is made of ids, `/<root>/<child>/`, and always ends in a slash: names change, and may hold slashes themselves.
Counters stand beside the limits, so that a limit is kept by the write that would pass it.
"""

from enum import Enum
from typing import Annotated, ClassVar

from pydantic import Field

from tablewright import Entity, Find, Get, Index, Keys, Query, Sparse, Table, fields
from tablewright_systems.listbackup.design.vocabulary import Document, Id, Part, new_uuid

ROOT_SHARDS = 4

accounts = Table(
    "${AWS::StackName}-accounts",
    key="accountId",
    indexes=[
        Index("parentAccountId-index", "parentAccountId"),
        Index("accountPath-index", "accountPath"),
        Index("rootAccountId-accountPath-index", "rootAccountId", "accountPath"),
        Index("rootAccounts-index", "rootShard", "createdAt#accountId"),
    ],
)


class AccountType(Enum):
    """What an account is in its hierarchy, the highest first; a child is always of a lower type."""

    CONGLOMERATE = "conglomerate"
    SUBSIDIARY = "subsidiary"
    DIVISION = "division"
    LOCATION = "location"

    @property
    def depth(self) -> int:
        """The higher, the deeper it stands."""
        return list(AccountType).index(self)


class AccountStatus(Enum):
    """Whether anything may be done in an account."""

    ACTIVE = "active"
    INACTIVE = "inactive"
    SUSPENDED = "suspended"


class Plan(Enum):
    """What an account pays for."""

    FREE = "free"
    STARTER = "starter"
    PROFESSIONAL = "professional"
    ENTERPRISE = "enterprise"


class BillingInfo(Part):
    """Where bills go."""

    stripe_customer_id: str | None = None
    subscription_id: str | None = None
    payment_method: str | None = None


class Limits(Part):
    """How much an account may have; storage in bytes."""

    sources: Annotated[int, Field(ge=0)]
    users: Annotated[int, Field(ge=0)]
    storage: Annotated[int, Field(ge=0)]


class AccountMetadata(Part):
    """What else is known of an account."""

    industry: str | None = None
    size: str | None = None
    custom_fields: Document = Field(default_factory=dict)


class Account(Entity, table=accounts, schema_version=1):
    """A tenant; everything but users belongs to one."""

    account_id: Id = new_uuid()
    account_name: Annotated[str, Field(min_length=1, max_length=200)]
    parent_account_id: Id | None = None
    account_path: str
    root_account_id: Id
    account_type: AccountType
    level: Annotated[int, Field(ge=0)]
    status: AccountStatus = AccountStatus.ACTIVE
    plan: Plan = Plan.FREE
    billing_info: BillingInfo = Field(default_factory=BillingInfo)
    limits: Limits
    metadata: AccountMetadata = Field(default_factory=AccountMetadata)
    created_at: fields.Timestamp = fields.now()
    updated_at: fields.Timestamp = fields.touched()
    created_by: Id
    sources_used: Annotated[int, fields.Counter()] = 0
    users_used: Annotated[int, fields.Counter()] = 0
    storage_used: Annotated[int, fields.Counter()] = 0
    owners: Annotated[int, fields.Counter()] = 0
    children: Annotated[int, fields.Counter()] = 0
    moving: Id | None = None
    """In the root of a tree: the account whose descendants are being moved; till then the tree stays as it is."""
    moved_from: Id | None = None
    """In the account that is being moved: the root of the tree that it comes from."""
    closing_at: fields.Timestamp | None = None
    """When it was closed; what belongs to it is being deleted."""

    keys = Keys(
        indexes={
            "parentAccountId-index": Sparse("{parent_account_id}", when="parent_account_id"),
            "rootAccounts-index": Sparse(
                "{account_id:shard(4)}", "{created_at}#{account_id}", when={"level": 0}
            ),
        }
    )
    suppress: ClassVar = {"TW307": "a path ends in the id of its account, and so is as unique"}


class AccountById(Get[Account]):
    """Get account by ID."""

    account_id: str
    consistent = True


class ChildAccounts(Query[Account]):
    """Get child accounts."""

    parent_account_id: str
    index = "parentAccountId-index"
    suppress: ClassVar = {"TW311": "a set of a few, shown by name"}


class AccountByPath(Find[Account]):
    """Get the account at a path."""

    account_path: str
    index = "accountPath-index"


class AccountsInPath(Query[Account]):
    """Get accounts in path: the one at the path, and all below it, from the top down."""

    root_account_id: str
    path_prefix: Annotated[str, Field(pattern=r"^/.*/$")]
    key = "rootAccountId = {root_account_id} AND begins_with(accountPath, {path_prefix})"


class RootAccounts(Query[Account]):
    """One shard of the accounts that have no parent, the oldest first."""

    shard: int
    key = "rootShard = {shard}"


ENTITIES = (Account,)
PATTERNS = (AccountById, ChildAccounts, AccountByPath, AccountsInPath, RootAccounts)

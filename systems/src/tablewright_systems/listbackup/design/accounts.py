"""Accounts and their hierarchy (F2).

A path consists of ids, `/<root>/<child>/`, and always ends in a slash: names change, and may contain slashes.
Counters are stored beside the limits, so that a write can be rejected that would exceed a limit.
"""

from enum import Enum
from typing import Annotated, ClassVar

from pydantic import Field

from tablewright import Find, Get, Index, Keys, Query, Sparse, Table, fields
from tablewright_systems.listbackup.design.vocabulary import AWS_MANAGED_KEY, Document, Id, Part, new_uuid
from tablewright_systems.service import Timestamped

SHARDS = 4
"""Shards of the lists of accounts of the whole platform."""

accounts = Table(
    "${AWS::StackName}-accounts",
    key="accountId",
    encryption_key=AWS_MANAGED_KEY,
    indexes=[
        Index("parentAccountId-index", "parentAccountId"),
        Index("accountPath-index", "accountPath"),
        Index("rootAccountId-accountPath-index", "rootAccountId", "accountPath"),
        Index("rootAccounts-index", "rootShard", "createdAt#accountId"),
        Index("unfinished-index", "unfinishedShard", "unfinishedSince#accountId"),
    ],
)


class AccountType(Enum):
    """The level of an account in its hierarchy, highest first; a child always has a lower type."""

    CONGLOMERATE = "conglomerate"
    SUBSIDIARY = "subsidiary"
    DIVISION = "division"
    LOCATION = "location"

    @property
    def depth(self) -> int:
        """The depth of the type: 0 for the highest."""
        return list(AccountType).index(self)


class AccountStatus(Enum):
    """Whether an account can be used."""

    ACTIVE = "active"
    INACTIVE = "inactive"
    SUSPENDED = "suspended"


class Plan(Enum):
    """The plan that an account pays for."""

    FREE = "free"
    STARTER = "starter"
    PROFESSIONAL = "professional"
    ENTERPRISE = "enterprise"


class BillingInfo(Part):
    """The billing information."""

    stripe_customer_id: str | None = None
    subscription_id: str | None = None
    payment_method: str | None = None


class Limits(Part):
    """The limits of an account; storage in bytes."""

    sources: Annotated[int, Field(ge=0)]
    users: Annotated[int, Field(ge=0)]
    storage: Annotated[int, Field(ge=0)]


class AccountMetadata(Part):
    """More information about an account."""

    industry: str | None = None
    size: str | None = None
    custom_fields: Document = Field(default_factory=dict)


class Account(Timestamped, table=accounts, schema_version=1):
    """A tenant; everything except users belongs to one."""

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
    created_by: Id
    sources_used: Annotated[int, fields.Counter()] = 0
    users_used: Annotated[int, fields.Counter()] = 0
    storage_used: Annotated[int, fields.Counter()] = 0
    owners: Annotated[int, fields.Counter()] = 0
    children: Annotated[int, fields.Counter()] = 0
    moving: Id | None = None
    """In the root of a tree: the account whose descendants are being moved. The tree accepts no change until then."""
    moved_from: Id | None = None
    """In the account that is being moved: the root of its previous tree."""
    closing_at: fields.Timestamp | None = None
    """When the account was closed; its data is being deleted."""
    unfinished_since: fields.Timestamp | None = None
    """Since when a move in the tree of this root, or the closing of this account, is unfinished."""

    keys = Keys(
        indexes={
            "parentAccountId-index": Sparse("{parent_account_id}", when="parent_account_id"),
            "rootAccounts-index": Sparse(
                "{account_id:shard(4)}", "{created_at}#{account_id}", when={"level": 0}
            ),
            "unfinished-index": Sparse(
                "{account_id:shard(4)}", "{unfinished_since}#{account_id}", when="unfinished_since"
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
    suppress: ClassVar = {"TW311": "few items, shown by name"}


class AccountByPath(Find[Account]):
    """Get the account at a path."""

    account_path: str
    index = "accountPath-index"


class AccountsInPath(Query[Account]):
    """Get accounts in path: the one at the path and all its descendants, from the top down."""

    root_account_id: str
    path_prefix: Annotated[str, Field(pattern=r"^/.*/$")]
    key = "rootAccountId = {root_account_id} AND begins_with(accountPath, {path_prefix})"


class RootAccounts(Query[Account]):
    """One shard of the accounts without a parent, oldest first."""

    shard: int
    key = "rootShard = {shard}"


class UnfinishedAccounts(Query[Account]):
    """One shard of the roots with a move in progress and of the closed accounts, the longest waiting first."""

    shard: int
    key = "unfinishedShard = {shard}"


ENTITIES = (Account,)
PATTERNS = (AccountById, ChildAccounts, AccountByPath, AccountsInPath, RootAccounts, UnfinishedAccounts)

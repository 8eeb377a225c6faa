"""Companies and their offers (F8), and discovery by tag (F7)."""

from enum import StrEnum
from typing import ClassVar

from pydantic import Field

from tablewright import Copy, Entity, Get, Keys, Query, Sparse, fields
from tablewright_systems.goalsguild.design.goals import Goal
from tablewright_systems.goalsguild.design.tables import Id, StoredTags, core
from tablewright_systems.service.stored_values import StoredTime


class OfferStatus(StrEnum):
    """The document gives no values (R27). Items of other programs may have others, which only their company sees."""

    DRAFT = "draft"
    OPEN = "open"
    CLOSED = "closed"


class Company(Entity, table=core, type="Company"):
    """A company; the document gives only its key prefix (R32)."""

    id: str = fields.new_id()
    owner_id: Id
    name: str
    closing: bool = Field(default=False, exclude=True)
    """Whether the company is being deleted, which blocks new offers."""
    created_at: fields.Timestamp = fields.now()

    keys = Keys(primary=("COMPANY#{id}", "META"), GSI6=("COMPANY#{id}", "Company#{id}"))
    listing = Copy(primary=("USER#{owner_id}", "COMPANY#{id}"))


class Offer(Entity, table=core, type="Offer"):
    """An offer of a company."""

    id: str = fields.new_id()
    company_id: str
    title: str
    tags: StoredTags = Field(default_factory=list)
    created_at: StoredTime = fields.now()
    status: str = OfferStatus.DRAFT

    keys = Keys(
        primary=("OFFER#{id}", "OFFER#{id}"),
        GSI6=("COMPANY#{company_id}", "Offer#{id}"),
    )
    listing = Copy(primary=("COMPANY#{company_id}", "OFFER#{id}"))
    tagged = Copy(
        type="OfferTag",
        each="tags",
        name="tag",
        fields=("id", "company_id", "title", "status", "created_at"),
        primary=("OFFER#{id}", "TAG#{tag}"),
        GSI5=Sparse("TAG#{tag}", "Offer#{id}", when={"status": OfferStatus.OPEN}),
    )


class OfferById(Get[Offer]):
    """Get an offer."""

    offer_id: str
    key = "PK = OFFER#{offer_id} AND SK = OFFER#{offer_id}"
    consistent = True


class CompanyById(Get[Company]):
    """Get a company."""

    company_id: str
    key = "PK = COMPANY#{company_id} AND SK = META"
    consistent = True


class CompaniesOfUser(Query[Company]):
    """List the companies that a user owns, oldest first."""

    user_id: str
    key = "PK = USER#{user_id} AND begins_with(SK, 'COMPANY#')"
    consistent = True


class EntitiesByTag(Query[Goal | Offer]):
    """Tag search for discovery: public goals and open offers."""

    tag: str
    key = "GSI5PK = TAG#{tag:fold}"


class CompanyListings(Query[Company | Offer]):
    """Org/company listings for admin views."""

    company_id: str
    key = "GSI6PK = COMPANY#{company_id}"
    suppress: ClassVar = {"TW309": "by kind, as the document has it, each in the order of its ULIDs (R21)"}


class OffersOfCompany(Query[Offer]):
    """List the offers of a company, newest first."""

    company_id: str
    key = "PK = COMPANY#{company_id} AND begins_with(SK, 'OFFER#')"
    descending = True
    consistent = True

"""HTTP endpoints for companies, offers and discovery."""

from typing import Any

from tablewright_systems.goalsguild.api.bodies import Id
from tablewright_systems.goalsguild.design.goals import Goal
from tablewright_systems.goalsguild.design.offers import CompaniesOfUser, Company, Offer, OfferStatus
from tablewright_systems.goalsguild.design.tables import Tags, Title
from tablewright_systems.goalsguild.service import offers
from tablewright_systems.web import (
    Body,
    CurrentCaller,
    Db,
    MixedEntries,
    PageReply,
    PageRequest,
    Router,
    omittable,
    problems,
)

router = Router("Offers", "Companies and their offers.")

LISTINGS = MixedEntries(Company=Company, Offer=Offer)
DISCOVERED = MixedEntries(Goal=Goal, Offer=Offer)


class NewCompany(Body):
    """Name of a company."""

    name: Title


class NewOffer(Body):
    """A new offer."""

    title: Title
    tags: Tags = omittable()


class OfferChanges(Body):
    """Changes to an offer."""

    title: Title = omittable()
    tags: Tags = omittable()
    status: OfferStatus = omittable()


@router.post("/companies", status_code=201)
def create_company(db: Db, caller: CurrentCaller, body: NewCompany) -> Company:
    """Create a company that you own."""
    return offers.create_company(db, caller, name=body.name)


@router.get("/companies")
def my_companies(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[Company]:
    """List the companies that you own, oldest first."""
    return PageReply.of(paging.run(db, CompaniesOfUser(user_id=caller.user_id)))


@router.get("/companies/{company_id}")
def company_of(db: Db, caller: CurrentCaller, company_id: Id) -> Company:
    """Get a company."""
    return offers.company_of(db, company_id)


@router.patch("/companies/{company_id}")
def change_company(db: Db, caller: CurrentCaller, company_id: Id, body: NewCompany) -> Company:
    """Rename a company that you own."""
    return offers.change_company(db, caller, company_id, body.given())


@router.delete("/companies/{company_id}", status_code=204)
def delete_company(db: Db, caller: CurrentCaller, company_id: Id) -> None:
    """Delete a company that you own, with its offers.

    If the deletion is interrupted, send the request again to continue it.
    """
    offers.delete_company(db, caller, company_id)


@router.get("/companies/{company_id}/listings", response_model=LISTINGS.page, responses=problems(403))
def company_listings(db: Db, caller: CurrentCaller, company_id: Id, paging: PageRequest) -> PageReply[Any]:
    """List a company that you own and its offers; administrators can list any company."""
    return PageReply.map(offers.company_listings(db, caller, company_id, paging), LISTINGS.entry)


@router.get("/companies/{company_id}/offers", responses=problems())
def offers_of_company(db: Db, caller: CurrentCaller, company_id: Id, paging: PageRequest) -> PageReply[Offer]:
    """List the offers of a company, newest first; only open offers unless you own the company."""
    return PageReply.of(offers.offers_of_company(db, caller, company_id, paging))


@router.post("/companies/{company_id}/offers", status_code=201)
def create_offer(db: Db, caller: CurrentCaller, company_id: Id, body: NewOffer) -> Offer:
    """Create a draft offer of a company that you own."""
    return offers.create_offer(db, caller, company_id, **body.given())


@router.get("/offers/{offer_id}")
def offer_of(db: Db, caller: CurrentCaller, offer_id: Id) -> Offer:
    """Get an offer that is open, or that belongs to a company you own."""
    return offers.offer_of(db, caller, offer_id)


@router.patch("/offers/{offer_id}")
def change_offer(db: Db, caller: CurrentCaller, offer_id: Id, body: OfferChanges) -> Offer:
    """Update, open or close an offer of a company that you own."""
    return offers.change_offer(db, caller, offer_id, body.given())


@router.delete("/offers/{offer_id}", status_code=204)
def delete_offer(db: Db, caller: CurrentCaller, offer_id: Id) -> None:
    """Delete an offer of a company that you own."""
    offers.delete_offer(db, caller, offer_id)


@router.get("/discovery/{tag}", response_model=DISCOVERED.page, responses=problems())
def discover(db: Db, caller: CurrentCaller, tag: Id, paging: PageRequest) -> PageReply[Any]:
    """List public goals and open offers with a tag."""
    return PageReply.map(offers.discover(db, caller, tag, paging), DISCOVERED.entry)

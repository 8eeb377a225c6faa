"""Companies, offers and discovery over HTTP."""

from fastapi import APIRouter

from tablewright_systems.goalsguild.api.bodies import Body, Id, Kinded, kinded, left_out
from tablewright_systems.goalsguild.design.goals import Goal
from tablewright_systems.goalsguild.design.offers import Company, Offer, OfferStatus
from tablewright_systems.goalsguild.design.tables import Tags, Title
from tablewright_systems.goalsguild.service import offers
from tablewright_systems.http_api import CurrentCaller, Cursor, Db, Limit, PageReply

router = APIRouter()


class NewCompany(Body):
    """A company to be made."""

    name: Title


class NewOffer(Body):
    """An offer to be drafted."""

    title: Title
    tags: Tags = left_out()


class OfferChanges(Body):
    """What becomes otherwise of an offer."""

    title: Title = left_out()
    tags: Tags = left_out()
    status: OfferStatus = left_out()


@router.post("/companies", status_code=201)
def create_company(db: Db, caller: CurrentCaller, body: NewCompany) -> Company:
    """Make a company, and own it."""
    return offers.create_company(db, caller, name=body.name)


@router.get("/companies/{company_id}/listings")
def company_listings(
    db: Db, caller: CurrentCaller, company_id: Id, limit: Limit = 20, cursor: Cursor = None
) -> PageReply[Kinded[Company | Offer]]:
    """All that belongs to a company that you own. For administrators: to any."""
    page = offers.company_listings(db, caller, company_id, limit=limit, cursor=cursor)
    return PageReply.map(page, kinded)


@router.get("/companies/{company_id}/offers")
def offers_of_company(
    db: Db, caller: CurrentCaller, company_id: Id, limit: Limit = 20, cursor: Cursor = None
) -> PageReply[Offer]:
    """The offers of a company, the newest first; of one that you do not own, the open ones."""
    return PageReply.of(offers.offers_of_company(db, caller, company_id, limit=limit, cursor=cursor))


@router.post("/companies/{company_id}/offers", status_code=201)
def create_offer(db: Db, caller: CurrentCaller, company_id: Id, body: NewOffer) -> Offer:
    """Draft an offer of a company that you own."""
    return offers.create_offer(db, caller, company_id, **body.given())


@router.get("/offers/{offer_id}")
def offer_of(db: Db, caller: CurrentCaller, offer_id: Id) -> Offer:
    """An offer that is open, or of a company that you own."""
    return offers.offer_of(db, caller, offer_id)


@router.patch("/offers/{offer_id}")
def change_offer(db: Db, caller: CurrentCaller, offer_id: Id, body: OfferChanges) -> Offer:
    """Change an offer of a company that you own: open it, close it, say it otherwise."""
    return offers.change_offer(db, caller, offer_id, body.given())


@router.delete("/offers/{offer_id}", status_code=204)
def delete_offer(db: Db, caller: CurrentCaller, offer_id: Id) -> None:
    """Delete an offer of a company that you own."""
    offers.delete_offer(db, caller, offer_id)


@router.get("/discovery/{tag}")
def discover(
    db: Db, caller: CurrentCaller, tag: Id, limit: Limit = 20, cursor: Cursor = None
) -> PageReply[Kinded[Goal | Offer]]:
    """Public goals and open offers with a tag."""
    page = offers.discover(db, caller, tag, limit=limit, cursor=cursor)
    return PageReply.map(page, kinded)

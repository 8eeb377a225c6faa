"""Companies, their offers, and discovery: what may be found by tag is what its owner let be found."""

from collections.abc import Mapping
from typing import Any

from tablewright import Repository, writes
from tablewright_systems.api_errors import Forbidden, NotFound
from tablewright_systems.authentication import Caller
from tablewright_systems.goalsguild.design.goals import Goal, GoalsByIds, GoalStatus, Visibility
from tablewright_systems.goalsguild.design.offers import (
    Company,
    CompanyById,
    CompanyListings,
    EntitiesByTag,
    Offer,
    OfferById,
    OffersByIds,
    OffersOfCompany,
    OfferStatus,
)
from tablewright_systems.goalsguild.service.deeds import Feed, Step, active, changed, create, read


def create_company(db: Repository, caller: Caller, *, name: str) -> Company:
    """Make a company, and own it."""
    return create(db, Company(owner_id=caller.user_id, name=name), active(caller.user_id))


def create_offer(
    db: Repository, caller: Caller, company_id: str, *, title: str, tags: list[str] | None = None
) -> Offer:
    """Draft an offer of a company that the caller owns."""
    return create(
        db,
        Offer(company_id=company_id, title=title, tags=tags or []),
        _owned(caller, company_id),
        active(caller.user_id),
    )


def offer_of(db: Repository, caller: Caller, offer_id: str) -> Offer:
    """An offer: an open one to anybody, another to the company only."""
    offer = db.run(OfferById(offer_id=offer_id))
    if offer is None or not (offer.status is OfferStatus.OPEN or _owns(db, caller, offer.company_id)):
        raise NotFound(f"offer {offer_id}")
    return offer


def change_offer(db: Repository, caller: Caller, offer_id: str, changes: Mapping[str, Any]) -> Offer:
    """Change an offer of a company that the caller owns: open it, close it, say it otherwise."""
    offer = _own_offer(db, caller, offer_id)
    return db.update(offer, set=changed(changes))


def delete_offer(db: Repository, caller: Caller, offer_id: str) -> None:
    """Remove an offer of a company that the caller owns."""
    db.delete(_own_offer(db, caller, offer_id))


def offers_of_company(
    db: Repository, caller: Caller, company_id: str, *, limit: int = 20, cursor: str | None = None
) -> Feed[Offer]:
    """The offers of a company, the newest first: all to the company, the open ones to anybody."""
    page = read(db, OffersOfCompany(company_id=company_id), limit, cursor)
    owns = _owns(db, caller, company_id)
    return Feed(tuple(offer for offer in page if owns or offer.status is OfferStatus.OPEN), page.cursor)


def company_listings(
    db: Repository, caller: Caller, company_id: str, *, limit: int = 20, cursor: str | None = None
) -> Feed[Company | Offer]:
    """All that belongs to a company, for its owner and for staff."""
    if not _owns(db, caller, company_id):
        raise Forbidden("you do not own this company")
    return read(db, CompanyListings(company_id=company_id), limit, cursor)


def discover(
    db: Repository, caller: Caller, tag: str, *, limit: int = 20, cursor: str | None = None
) -> Feed[Goal | Offer]:
    """Public goals and open offers with a tag.

    GSI5 lags behind: what it shows is read again, so that nothing is shown that has become private meanwhile.
    """
    page = read(db, EntitiesByTag(tag=tag), limit, cursor)
    shown = _goals(db, [each for each in page if isinstance(each, Goal)])
    shown |= _offers(db, [each for each in page if isinstance(each, Offer)])
    return Feed(tuple(shown[each.id] for each in page if each.id in shown), page.cursor)


def _goals(db: Repository, found: list[Goal]) -> dict[str, Goal | Offer]:
    if not found:
        return {}
    pattern = GoalsByIds(user_id=[goal.user_id for goal in found], goal_id=[goal.id for goal in found])
    return {
        goal.id: goal
        for goal in db.run(pattern)
        if goal.visibility is Visibility.PUBLIC and goal.status is not GoalStatus.DELETING
    }


def _offers(db: Repository, found: list[Offer]) -> dict[str, Goal | Offer]:
    if not found:
        return {}
    pattern = OffersByIds(offer_id=[offer.id for offer in found])
    return {offer.id: offer for offer in db.run(pattern) if offer.status is OfferStatus.OPEN}


def _owned(caller: Caller, company_id: str) -> Step:
    check = writes.Check(CompanyById(company_id=company_id), Company.owner_id == caller.user_id)
    return check, Forbidden("you do not own this company")


def _owns(db: Repository, caller: Caller, company_id: str) -> bool:
    if "admin" in caller.roles:
        return True
    company = db.run(CompanyById(company_id=company_id))
    return company is not None and company.owner_id == caller.user_id


def _own_offer(db: Repository, caller: Caller, offer_id: str) -> Offer:
    offer = offer_of(db, caller, offer_id)
    if not _owns(db, caller, offer.company_id):
        raise Forbidden("you do not own this company")
    return offer

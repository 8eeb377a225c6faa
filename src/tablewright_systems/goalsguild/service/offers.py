"""Companies, their offers, and discovery by tag of public goals and open offers."""

from collections.abc import Mapping
from typing import Any

from tablewright import Get, Repository, reads, writes
from tablewright_systems.goalsguild.design.goals import Goal, GoalById, GoalStatus, Visibility
from tablewright_systems.goalsguild.design.offers import (
    Company,
    CompanyById,
    CompanyListings,
    EntitiesByTag,
    Offer,
    OfferById,
    OffersOfCompany,
    OfferStatus,
)
from tablewright_systems.goalsguild.service.transactions import (
    Action,
    account_is_active,
    create,
    require_changes,
)
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Forbidden, NotFound
from tablewright_systems.service.paging import FIRST_PAGE, Paging


def create_company(db: Repository, caller: Caller, *, name: str) -> Company:
    """Create a company owned by the caller."""
    return create(db, Company(owner_id=caller.user_id, name=name), account_is_active(caller.user_id))


def create_offer(
    db: Repository, caller: Caller, company_id: str, *, title: str, tags: list[str] | None = None
) -> Offer:
    """Create a draft offer of a company that the caller owns."""
    return create(
        db,
        Offer(company_id=company_id, title=title, tags=tags or []),
        _owned(caller, company_id),
        account_is_active(caller.user_id),
    )


def offer_of(db: Repository, caller: Caller, offer_id: str) -> Offer:
    """Return an offer: an open one to any user, another one to the owner of the company."""
    offer = db.run(OfferById(offer_id=offer_id))
    if offer is None or not (offer.status is OfferStatus.OPEN or _owns(db, caller, offer.company_id)):
        raise NotFound(f"offer {offer_id}")
    return offer


def change_offer(db: Repository, caller: Caller, offer_id: str, changes: Mapping[str, Any]) -> Offer:
    """Update, open or close an offer of a company that the caller owns."""
    offer = _own_offer(db, caller, offer_id)
    return db.update(offer, set=require_changes(changes))


def delete_offer(db: Repository, caller: Caller, offer_id: str) -> None:
    """Delete an offer of a company that the caller owns."""
    db.delete(_own_offer(db, caller, offer_id))


def offers_of_company(
    db: Repository, caller: Caller, company_id: str, paging: Paging = FIRST_PAGE
) -> reads.Page[Offer]:
    """Return the offers of a company, newest first: all to its owner, open ones to other users."""
    page = paging.run(db, OffersOfCompany(company_id=company_id))
    owns = _owns(db, caller, company_id)
    return reads.Page(tuple(offer for offer in page if owns or offer.status is OfferStatus.OPEN), page.cursor)


def company_listings(
    db: Repository, caller: Caller, company_id: str, paging: Paging = FIRST_PAGE
) -> reads.Page[Company | Offer]:
    """Return a company and its offers, to its owner and to administrators."""
    if not _owns(db, caller, company_id):
        raise Forbidden("you do not own this company")
    return paging.run(db, CompanyListings(company_id=company_id))


def discover(
    db: Repository, caller: Caller, tag: str, paging: Paging = FIRST_PAGE
) -> reads.Page[Goal | Offer]:
    """Return public goals and open offers with a tag.

    GSI5 can lag: each result is read again from the table, so that nothing private is returned.
    """
    page = paging.run(db, EntitiesByTag(tag=tag))
    stored = db.get_all(_by_id(each) for each in page)
    return reads.Page(tuple(each for each in stored if each and _is_public(each)), page.cursor)


def _by_id(found: Goal | Offer) -> Get[Goal | Offer]:
    if isinstance(found, Goal):
        return GoalById(user_id=found.user_id, goal_id=found.id)
    return OfferById(offer_id=found.id)


def _is_public(found: Goal | Offer) -> bool:
    if isinstance(found, Offer):
        return found.status is OfferStatus.OPEN
    return found.visibility is Visibility.PUBLIC and found.status is not GoalStatus.DELETING


def _owned(caller: Caller, company_id: str) -> Action:
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

"""Companies, their offers, and discovery by tag of public goals and open offers."""

from contextlib import suppress
from typing import Any

from tablewright import Get, Repository, errors, fields, reads, writes
from tablewright_systems.goalsguild.design.goals import Goal, GoalById
from tablewright_systems.goalsguild.design.offers import (
    CompaniesOfUser,
    Company,
    CompanyById,
    CompanyListings,
    EntitiesByTag,
    Offer,
    OfferById,
    OffersOfCompany,
    OfferStatus,
)
from tablewright_systems.goalsguild.design.tables import Tags, Title
from tablewright_systems.goalsguild.service.goals import is_public
from tablewright_systems.goalsguild.service.permissions import Id, active, require_changes, write_as
from tablewright_systems.service import (
    FIRST_PAGE,
    Caller,
    Forbidden,
    NotFound,
    require_found,
    transact,
)
from tablewright_systems.web import (
    AUTHENTICATED,
    Body,
    CurrentCaller,
    Db,
    MixedEntries,
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
def create_company(db: Db, caller: CurrentCaller, *, name: Title) -> Company:
    """Create a company that you own."""
    company, *_ = write_as(db, caller, writes.Create(Company(owner_id=caller.user_id, name=name)))
    return company


@router.get("/companies/{company_id}", dependencies=[AUTHENTICATED])
def company_of(db: Db, company_id: Id) -> Company:
    """Get a company."""
    return require_found(db.run(CompanyById(company_id=company_id)), f"company {company_id}")


@router.patch("/companies/{company_id}", body=NewCompany)
def change_company(db: Db, caller: CurrentCaller, company_id: Id, **changes: Any) -> Company:
    """Rename a company that you own."""
    return _update_company(db, caller, company_id, require_changes(changes))


@router.delete("/companies/{company_id}", status_code=204)
def delete_company(db: Db, caller: CurrentCaller, company_id: Id) -> None:
    """Delete a company that you own, with its offers.

    If the deletion is interrupted, send the request again to continue it.
    """
    # After an interruption, call again to continue.
    _delete_offers(db, _update_company(db, caller, company_id, {"closing": True}))


def erase_companies(db: Repository, user_id: str) -> None:
    """Delete the companies of an account that is being deleted, with their offers."""
    for company in db.iterate(CompaniesOfUser(user_id=user_id), unknown="skip"):
        with suppress(errors.DoesNotExist):  # another request is deleting it, and is ahead
            db.update(CompanyById(company_id=company.id), set={"closing": True})
        _delete_offers(db, company)


@router.post("/companies/{company_id}/offers", body=NewOffer, status_code=201)
def create_offer(db: Db, caller: CurrentCaller, company_id: Id, *, title: str, **details: Any) -> Offer:
    """Create a draft offer of a company that you own."""
    offer = Offer(company_id=company_id, title=title, **details)
    is_lasting = Company.closing != True  # noqa: E712
    company = writes.Check(
        CompanyById(company_id=company_id), _owned(caller) & is_lasting, otherwise=_foreign()
    )
    created, *_ = transact(db, writes.Create(offer), *_account(caller), company)
    return created


@router.get("/offers/{offer_id}")
def offer_of(db: Db, caller: CurrentCaller, offer_id: Id) -> Offer:
    """Get an offer that is open, or that belongs to a company you own."""
    offer = db.run(OfferById(offer_id=offer_id))
    if offer is None or not (offer.status == OfferStatus.OPEN or _owns(db, caller, offer.company_id)):
        raise NotFound(f"offer {offer_id}")
    return offer


@router.patch("/offers/{offer_id}", body=OfferChanges)
def change_offer(db: Db, caller: CurrentCaller, offer_id: Id, **changes: Any) -> Offer:
    """Update, open or close an offer of a company that you own."""
    offer = offer_of(db, caller, offer_id)
    target = OfferById(offer_id=offer_id)
    update = writes.Update(target, set=require_changes(changes), otherwise=NotFound(f"offer {offer_id}"))
    changed, *_ = transact(db, update, *_permission(caller, offer.company_id))
    return changed or db.get_or_raise(target)


@router.delete("/offers/{offer_id}", status_code=204)
def delete_offer(db: Db, caller: CurrentCaller, offer_id: Id) -> None:
    """Delete an offer of a company that you own."""
    offer = offer_of(db, caller, offer_id)
    transact(db, writes.Delete(OfferById(offer_id=offer_id)), *_permission(caller, offer.company_id))


@router.get("/companies/{company_id}/offers", responses=problems())
def offers_of_company(
    db: Db, caller: CurrentCaller, company_id: Id, paging: PageRequest = FIRST_PAGE
) -> reads.Page[Offer]:
    """List the offers of a company, newest first; only open offers unless you own the company."""
    page = paging.run(db, OffersOfCompany(company_id=company_id))
    owns = _owns(db, caller, company_id)
    return reads.Page(tuple(offer for offer in page if owns or offer.status == OfferStatus.OPEN), page.cursor)


@router.get("/companies/{company_id}/listings", reply=LISTINGS, responses=problems(403))
def company_listings(
    db: Db, caller: CurrentCaller, company_id: Id, paging: PageRequest = FIRST_PAGE
) -> reads.Page[Company | Offer]:
    """List a company that you own and its offers; administrators can list any company."""
    if not _owns(db, caller, company_id):
        raise _foreign()
    return paging.run(db, CompanyListings(company_id=company_id))


@router.get("/discovery/{tag}", reply=DISCOVERED, responses=problems())
def discover(
    db: Db, caller: CurrentCaller, tag: Id, paging: PageRequest = FIRST_PAGE
) -> reads.Page[Goal | Offer]:
    """List public goals and open offers with a tag."""
    # GSI5 can lag: each result is read again from the table, so that nothing private is returned.
    page = paging.run(db, EntitiesByTag(tag=tag))
    stored = db.get_all(_by_id(copy) for copy in page)
    return reads.Page(tuple(entity for entity in stored if entity and _is_visible(entity)), page.cursor)


def _by_id(entity: Goal | Offer) -> Get[Goal | Offer]:
    if isinstance(entity, Goal):
        return GoalById(user_id=entity.user_id, goal_id=entity.id)
    return OfferById(offer_id=entity.id)


def _is_visible(entity: Goal | Offer) -> bool:
    return entity.status == OfferStatus.OPEN if isinstance(entity, Offer) else is_public(entity)


def _delete_offers(db: Repository, company: Company) -> None:
    """Delete the offers of a closing company, then the company itself, so that it can be found again."""
    for offer in db.iterate(OffersOfCompany(company_id=company.id), unknown="skip"):
        db.delete(OfferById(offer_id=offer.id))
    db.delete(CompanyById(company_id=company.id))


def _update_company(db: Repository, caller: Caller, company_id: str, changes: dict[str, Any]) -> Company:
    otherwise = {errors.DoesNotExist: NotFound(f"company {company_id}"), errors.ConditionNotMet: _foreign()}
    target = CompanyById(company_id=company_id)
    update = writes.Update(target, set=changes, when=_owned(caller), otherwise=otherwise)
    changed, *_ = transact(db, update, *_account(caller))
    return changed or db.get_or_raise(target)


def _account(caller: Caller) -> list[writes.Write]:
    """Check of a write: the account of the caller is active; administrators need none."""
    return [] if "admin" in caller.roles else [active(caller.user_id)]


def _owned(caller: Caller) -> Any:
    """Condition of a company: the caller owns it; administrators may change any."""
    return (
        fields.of(Company.owner_id).exists()
        if "admin" in caller.roles
        else Company.owner_id == caller.user_id
    )


def _permission(caller: Caller, company_id: str) -> list[writes.Write]:
    """Checks of a write of an offer; administrators also change offers whose company another program left out."""
    if "admin" in caller.roles:
        return []
    company = writes.Check(CompanyById(company_id=company_id), _owned(caller), otherwise=_foreign())
    return [*_account(caller), company]


def _owns(db: Repository, caller: Caller, company_id: str) -> bool:
    if "admin" in caller.roles:
        return True
    company = db.run(CompanyById(company_id=company_id))
    return company is not None and company.owner_id == caller.user_id


def _foreign() -> Forbidden:
    return Forbidden("you do not own this company")


@router.get("/companies")
def my_companies(db: Db, caller: CurrentCaller) -> CompaniesOfUser:
    """List the companies that you own, oldest first."""
    return CompaniesOfUser(user_id=caller.user_id)

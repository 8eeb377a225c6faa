"""On a store that misbehaves: by trying again, or by a clear error, and never with wrong data."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from tablewright import Clock, Repository, errors
from tablewright_systems.api_errors import Conflict, Forbidden, Gone, Unauthenticated
from tablewright_systems.listbackup.design.accounts import Account, AccountById, Plan
from tablewright_systems.listbackup.design.memberships import (
    AccountRole,
    Invitation,
    Membership,
    MembershipStatus,
)
from tablewright_systems.listbackup.design.oauth import OAuthToken
from tablewright_systems.listbackup.design.sources import Source
from tablewright_systems.listbackup.design.teams import TeamPermissions, TeamsOfUser
from tablewright_systems.listbackup.design.users import User, UserById
from tablewright_systems.listbackup.design.vocabulary import Right
from tablewright_systems.listbackup.proofs.fixtures import (
    REDIRECT_URI,
    STAFF,
    account_tree,
    new_caller,
    new_member,
    new_owner,
    oauth_source,
    reload_account,
)
from tablewright_systems.listbackup.service.access import Area, require_right
from tablewright_systems.listbackup.service.accounts import closing, hierarchy
from tablewright_systems.listbackup.service.sources import oauth, oauth_tokens
from tablewright_systems.listbackup.service.sources.platforms import Sandbox
from tablewright_systems.listbackup.service.users import invitations, memberships, sessions, teams, users
from tests.systems.listbackup.faulty_store import (
    BROKEN,
    BUSY,
    START,
    count_errors,
    faulty_store,
    items_of,
    race_all,
    retry_until_known,
)
from tests.systems.races import winners

TROUBLES = [pytest.param(BUSY, id="busy"), pytest.param(BROKEN, id="broken")]


@pytest.mark.parametrize("faults", TROUBLES)
@pytest.mark.parametrize("seed", range(3))
def test_signing_up_is_all_or_nothing(faults: dict[str, Any], seed: int) -> None:
    with faulty_store(seed=seed, **faults) as db:
        for _ in range(6):
            ada = new_caller()
            retry_until_known(_sign_up, db, ada)
            user = retry_until_known(users.own_user, db, ada)
            seat = retry_until_known(db.run, Membership(user_id=ada.user_id, account_id=str(user.account_id)))
            account = retry_until_known(db.run, AccountById(account_id=str(user.account_id)))
            assert seat is not None
            assert seat.status is MembershipStatus.ACTIVE
            assert account is not None
            assert (account.users_used, account.owners) == (1, 1)


@pytest.mark.parametrize("faults", TROUBLES)
def test_limits_hold_and_counters_are_exact(faults: dict[str, Any]) -> None:
    with faulty_store(seed=5, **faults) as db:
        ada, account = retry_until_known(new_owner, db, Plan.STARTER)
        connect = partial(retry_until_known, oauth_source, db, ada, account.account_id)
        came = race_all(*(connect for _ in range(14)))
        sources = retry_until_known(items_of, db, Source)
        assert len(winners(came)) <= len(sources) <= account.limits.sources
        assert set(count_errors(came)) <= {Conflict, Gone}
        assert (
            retry_until_known(reload_account, db, account).sources_used
            == len(sources)
            == len(retry_until_known(items_of, db, OAuthToken))
        )


@pytest.mark.parametrize("faults", TROUBLES)
def test_a_refresh_token_gives_one_successor(faults: dict[str, Any]) -> None:
    with faulty_store(seed=6, **faults) as db:
        ada, account = retry_until_known(new_owner, db)
        token = retry_until_known(sessions.sign_in, db, ada, account.account_id).token
        for _ in range(5):
            came = race_all(*(partial(retry_until_known, sessions.rotate, db, token) for _ in range(4)))
            (issued,) = winners(came)
            assert count_errors(came) == {Conflict: 3}
            token = issued.token


@pytest.mark.parametrize("faults", TROUBLES)
def test_an_oauth_state_never_works_twice(faults: dict[str, Any]) -> None:
    with faulty_store(seed=7, **faults) as db:
        ada, account = retry_until_known(new_owner, db)
        for number in range(1, 4):
            asked = retry_until_known(
                oauth.start, db, ada, account.account_id, "keap", redirect_uri=REDIRECT_URI
            )
            answer = partial(
                retry_until_known,
                oauth.callback,
                db,
                ada,
                Sandbox(),
                state=asked.state,
                code="code",
                redirect_uri=REDIRECT_URI,
            )
            came = race_all(*(answer for _ in range(4)))
            assert len(winners(came)) <= 1
            assert set(count_errors(came)) == {Gone}
            assert len(retry_until_known(items_of, db, OAuthToken)) <= number


@pytest.mark.parametrize("faults", TROUBLES)
def test_the_last_owner_stays(faults: dict[str, Any]) -> None:
    with faulty_store(seed=8, **faults) as db:
        ada, account = retry_until_known(new_owner, db)
        others = [
            retry_until_known(new_member, db, ada, account.account_id, AccountRole.OWNER) for _ in range(3)
        ]
        race_all(
            *(
                partial(retry_until_known, memberships.leave_account, db, each, account.account_id)
                for each in (ada, *others)
            )
        )
        left = retry_until_known(reload_account, db, account)
        assert (left.owners, left.users_used) == (1, 1)


def test_a_person_the_index_does_not_show_yet_is_invited_by_address() -> None:
    with faulty_store(Clock(START), index_lag=60.0) as db:
        ada, account = new_owner(db)
        bob, _ = new_owner(db)
        offer = invitations.invite(db, ada, account.account_id, str(bob.claim("email")))
        assert isinstance(offer, Invitation)
        seat = invitations.accept(db, bob, account.account_id)
        assert seat.status is MembershipStatus.ACTIVE
        assert reload_account(db, account).users_used == 2


def test_a_person_invited_twice_because_an_index_lags_has_one_seat() -> None:
    clock = Clock(START)
    with faulty_store(clock, index_lag=60.0) as db:
        ada, account = new_owner(db)
        bob, _ = new_owner(db)
        email = str(bob.claim("email"))
        invitations.invite(db, ada, account.account_id, email)
        clock.advance(timedelta(seconds=61))
        invitations.invite(db, ada, account.account_id, email)
        assert reload_account(db, account).users_used == 3
        invitations.accept(db, bob, account.account_id)
        assert reload_account(db, account).users_used == 2
        assert invitations.own_invitations(db, bob) == []


def test_a_move_is_not_finished_before_the_index_shows_every_child() -> None:
    clock = Clock(START)
    with faulty_store(clock, index_lag=60.0) as db:
        ada, top = new_owner(db)
        _, division, location = account_tree(db, ada, top)
        other, *_ = account_tree(db, ada, top)
        hierarchy.move_account(db, ada, division.account_id, other.account_id)
        assert reload_account(db, location).account_path.startswith(division.account_path), (
            "nobody could know of it yet"
        )
        assert reload_account(db, top).moving == division.account_id
        with pytest.raises(Conflict):
            account_tree(db, ada, other)
        clock.advance(timedelta(seconds=61))
        assert hierarchy.finish_move(db, top.account_id)
        moved = reload_account(db, division)
        assert reload_account(db, location).account_path == f"{moved.account_path}{location.account_id}/"
        assert reload_account(db, top).moving is None


def test_a_session_that_no_index_shows_is_ended_with_the_others() -> None:
    with faulty_store(Clock(START), index_lag=60.0) as db:
        ada, account = new_owner(db)
        issued = sessions.sign_in(db, ada, account.account_id)
        assert sessions.sessions(db, ada) == []
        sessions.end_all_sessions(db, ada)
        with pytest.raises(Unauthenticated):
            sessions.rotate(db, issued.token)


def test_a_seat_in_a_team_that_an_index_hid_gives_no_rights_to_who_comes_back() -> None:
    clock = Clock(START)
    with faulty_store(clock, index_lag=60.0) as db:
        ada, account = new_owner(db)
        bob = new_member(db, ada, account.account_id)
        rights = TeamPermissions(sources=[Right.DELETE])
        team = teams.create_team(db, ada, account.account_id, team_name="makers", permissions=rights)
        teams.add_member(db, ada, account.account_id, team.team_id, bob.user_id)
        memberships.remove_member(db, ada, account.account_id, bob.user_id)
        clock.advance(timedelta(seconds=61))
        invitations.invite(db, ada, account.account_id, str(bob.claim("email")))
        invitations.accept(db, bob, account.account_id)
        assert len(db.all(TeamsOfUser(user_id=bob.user_id))) == 1, "the seat was left behind"
        with pytest.raises(Forbidden):
            require_right(db, bob, account.account_id, Area.SOURCES, Right.DELETE)


def test_an_account_closes_although_indexes_lag_and_batches_come_back() -> None:
    clock = Clock(START)
    with faulty_store(clock, seed=9, index_lag=30.0, unprocessed=0.4, short_pages=0.4) as db:
        ada, account = new_owner(db)
        for _ in range(3):
            oauth_source(db, ada, account.account_id)
        closing.close_account(db, ada, account.account_id)
        rounds = 1
        while not closing.finish_closing(db, account.account_id):
            clock.advance(timedelta(seconds=31))
            rounds += 1
        assert 2 <= rounds <= 5
        assert db.run(AccountById(account_id=account.account_id)) is None
        clock.advance(timedelta(seconds=31))
        assert [items_of(db, entity) for entity in (Source, OAuthToken, Account)] == [[], [], []]
        user = db.run(UserById(user_id=ada.user_id))
        assert isinstance(user, User)
        assert user.account_id is None


@pytest.mark.parametrize("faults", TROUBLES)
def test_renewing_tokens_never_spends_one_twice(faults: dict[str, Any]) -> None:
    clock = Clock(START)
    with faulty_store(clock, seed=10, **faults) as db:
        ada, account = retry_until_known(new_owner, db)
        source = retry_until_known(oauth_source, db, ada, account.account_id)
        renewed = retry_until_known(oauth_tokens.get_token, db, source.source_id).tokens.refresh_token
        for _ in range(4):
            race_all(*(partial(_renew, db, source) for _ in range(3)))
            held = retry_until_known(oauth_tokens.get_token, db, source.source_id)
            assert held.tokens.refresh_token != renewed
            renewed = held.tokens.refresh_token
            clock.advance(oauth_tokens.LEASE + timedelta(seconds=1))


def _renew(db: Repository, source: Source) -> OAuthToken | None:
    """As a worker does: not insisting, as the lease may be its own; the next round comes."""
    try:
        return oauth_tokens.refresh(db, STAFF, Sandbox(), source.source_id)
    except (Conflict, errors.OutcomeUnknown, errors.ProvisionedThroughputExceeded):
        return None


def _sign_up(db: Repository, caller: Any) -> User:
    try:
        return users.sign_up(db, caller, username=caller.user_id, name="Ada", account_name="Ada's")
    except Conflict:  # it was done, and only the answer was lost
        return users.own_user(db, caller)

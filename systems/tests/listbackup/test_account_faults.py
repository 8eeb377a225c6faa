"""Accounts, memberships, sessions and tokens on a faulty store: retried or a clear error, and never wrong data."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
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
    fake_platforms,
    new_caller,
    new_member,
    new_owner,
    oauth_source,
    reload_account,
    start_oauth,
)
from tablewright_systems.listbackup.service import (
    closing,
    hierarchy,
    invitations,
    memberships,
    oauth,
    oauth_tokens,
    sessions,
    teams,
    users,
)
from tablewright_systems.listbackup.service.access import Area, require_right
from tablewright_systems.service.errors import Conflict, Forbidden, Gone, Unauthenticated

from systems.tests.listbackup.faulty_store import (
    BROKEN,
    BUSY,
    START,
    faulty_store,
    items_of,
    retry_until_known,
)
from systems.tests.races import error_counts, race, winners
from tablewright import Clock, Repository, errors

FAULTS = [pytest.param(BUSY, id="busy"), pytest.param(BROKEN, id="broken")]


@pytest.mark.parametrize("faults", FAULTS)
@pytest.mark.parametrize("seed", range(3))
def test_sign_up_creates_everything_or_nothing(faults: dict[str, Any], seed: int) -> None:
    with faulty_store(seed=seed, **faults) as db:
        for _ in range(6):
            ada = new_caller()
            retry_until_known(_sign_up, db, ada)
            user = retry_until_known(users.own_user, db, ada)
            membership = retry_until_known(
                db.run, Membership(user_id=ada.user_id, account_id=str(user.account_id))
            )
            account = retry_until_known(db.run, AccountById(account_id=str(user.account_id)))
            assert membership is not None
            assert membership.status is MembershipStatus.ACTIVE
            assert account is not None
            assert (account.users_used, account.owners) == (1, 1)


@pytest.mark.parametrize("faults", FAULTS)
def test_limits_hold_and_counters_are_exact(faults: dict[str, Any]) -> None:
    with faulty_store(seed=5, **faults) as db:
        ada, account = retry_until_known(new_owner, db, Plan.STARTER)
        connect = partial(retry_until_known, oauth_source, db, ada, account.account_id)
        results = race(*(connect for _ in range(14)))
        sources = retry_until_known(items_of, db, Source)
        assert 1 <= len(winners(results)) <= len(sources) <= account.limits.sources
        assert set(error_counts(results)) <= {Conflict, Gone}
        assert (
            retry_until_known(reload_account, db, account).sources_used
            == len(sources)
            == len(retry_until_known(items_of, db, OAuthToken))
        )


@pytest.mark.parametrize("faults", FAULTS)
def test_a_session_token_has_one_successor(faults: dict[str, Any]) -> None:
    with faulty_store(seed=6, **faults) as db:
        ada, account = retry_until_known(new_owner, db)
        token = retry_until_known(sessions.sign_in, db, ada, account.account_id).token
        for _ in range(5):
            results = race(*(partial(retry_until_known, sessions.rotate, db, token) for _ in range(4)))
            (issued,) = winners(results)
            assert error_counts(results) == {Conflict: 3}
            token = issued.token


@pytest.mark.parametrize("faults", FAULTS)
def test_an_oauth_state_never_works_twice(faults: dict[str, Any]) -> None:
    with faulty_store(seed=7, **faults) as db:
        ada, account = retry_until_known(new_owner, db)
        connected = 0
        for number in range(1, 4):
            flow, platforms, code = retry_until_known(start_oauth, db, ada, account.account_id)
            callback = partial(
                retry_until_known,
                oauth.callback,
                db,
                ada,
                platforms,
                state=flow.state,
                code=code,
                redirect_uri=REDIRECT_URI,
            )
            results = race(*(callback for _ in range(4)))
            assert len(winners(results)) <= 1
            assert set(error_counts(results)) == {Gone}
            connected += len(winners(results))
            assert connected <= len(retry_until_known(items_of, db, OAuthToken)) <= number
        assert connected >= 1


@pytest.mark.parametrize("faults", FAULTS)
def test_the_last_owner_stays(faults: dict[str, Any]) -> None:
    with faulty_store(seed=8, **faults) as db:
        ada, account = retry_until_known(new_owner, db)
        others = [
            retry_until_known(new_member, db, ada, account.account_id, AccountRole.OWNER) for _ in range(3)
        ]
        results = race(
            *(
                partial(retry_until_known, memberships.leave_account, db, item, account.account_id)
                for item in (ada, *others)
            )
        )
        assert error_counts(results).total() >= 1
        left = retry_until_known(reload_account, db, account)
        assert (left.owners, left.users_used) == (1, 1)


def test_a_user_missing_in_a_lagging_index_is_invited_by_address() -> None:
    with faulty_store(Clock(START), index_lag=60.0) as db:
        ada, account = new_owner(db)
        bob, _ = new_owner(db)
        invited = invitations.invite(db, ada, account.account_id, str(bob.claim("email")))
        assert isinstance(invited, Invitation)
        membership = invitations.accept(db, bob, account.account_id)
        assert membership.status is MembershipStatus.ACTIVE
        assert reload_account(db, account).users_used == 2


def test_a_user_invited_twice_because_of_index_lag_is_counted_once() -> None:
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
            "the index does not show it yet"
        )
        assert reload_account(db, top).moving == division.account_id
        with pytest.raises(Conflict):
            account_tree(db, ada, other)
        clock.advance(timedelta(seconds=61))
        assert hierarchy.finish_move(db, top.account_id)
        moved = reload_account(db, division)
        assert reload_account(db, location).account_path == f"{moved.account_path}{location.account_id}/"
        assert reload_account(db, top).moving is None


def test_a_session_missing_in_a_lagging_index_is_ended_too() -> None:
    with faulty_store(Clock(START), index_lag=60.0) as db:
        ada, account = new_owner(db)
        issued = sessions.sign_in(db, ada, account.account_id)
        assert sessions.sessions(db, ada) == []
        sessions.end_all_sessions(db, ada)
        with pytest.raises(Unauthenticated):
            sessions.rotate(db, issued.token)


def test_an_old_team_membership_gives_no_rights_to_a_member_who_returns() -> None:
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
        assert len(db.all(TeamsOfUser(user_id=bob.user_id))) == 1, "the old team membership still exists"
        with pytest.raises(Forbidden):
            require_right(db, bob, account.account_id, Area.SOURCES, Right.DELETE)


def test_an_account_closes_despite_index_lag_and_unprocessed_items() -> None:
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


@pytest.mark.parametrize("faults", FAULTS)
def test_renewed_tokens_are_stored(faults: dict[str, Any]) -> None:
    clock = Clock(START)
    with faulty_store(clock, seed=10, **faults) as db:
        ada, account = retry_until_known(new_owner, db)
        source = retry_until_known(oauth_source, db, ada, account.account_id)
        stored = [retry_until_known(oauth_tokens.get_token, db, source.source_id).tokens]
        for _ in range(8):
            results = race(*(partial(_renew, db, source) for _ in range(3)))
            stored.append(retry_until_known(oauth_tokens.get_token, db, source.source_id).tokens)
            assert stored[-1] != stored[-2] or results == [None] * 3
            clock.advance(oauth_tokens.LEASE.length + timedelta(seconds=1))
        assert stored[-1] != stored[0]


def _renew(db: Repository, source: Source) -> OAuthToken | None:
    """Renew tokens as a worker does: without a retry, because the lease may be its own."""
    try:
        return oauth_tokens.refresh(db, STAFF, fake_platforms(db).platforms(), source.source_id)
    except (Conflict, errors.OutcomeUnknown, errors.ProvisionedThroughputExceeded):
        return None


def _sign_up(db: Repository, caller: Any) -> User:
    try:
        return users.sign_up(db, caller, username=caller.user_id, name="Ada", account_name="Ada's")
    except Conflict:  # it was done, and only the reply was lost
        return users.own_user(db, caller)

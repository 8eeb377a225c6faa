"""Races of accounts, memberships, sessions and tokens: one winner, exact counters, no lost update."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from threading import Barrier
from typing import Any

import pytest
from tablewright_systems.listbackup.design.accounts import AccountsInPath, AccountType, Plan
from tablewright_systems.listbackup.design.memberships import (
    AccountRole,
    AccountsOfUser,
    Membership,
    MembershipStatus,
    UserAccount,
    UsersOfAccount,
)
from tablewright_systems.listbackup.design.oauth import OAuthToken
from tablewright_systems.listbackup.design.sessions import TokensOfFamily
from tablewright_systems.listbackup.design.sources import Source
from tablewright_systems.listbackup.design.teams import MembersOfTeam
from tablewright_systems.listbackup.design.users import User, UserByEmail
from tablewright_systems.listbackup.platforms.oauth_client import Grant, OAuthClient
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
    hierarchy,
    invitations,
    limits,
    memberships,
    oauth,
    oauth_tokens,
    sessions,
    teams,
    users,
)
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, Forbidden, Gone, Unauthenticated

from systems.tests.listbackup.faulty_store import items_of
from systems.tests.races import Action, error_counts, race, race_in_order, winners
from tablewright import Repository, errors

MANY = 8


def sign_up(db: Repository, caller: Caller, username: str) -> User:
    return users.sign_up(db, caller, username=username, name="Ada", account_name="Ada's")


def is_large_transaction(operation: str, request: dict[str, Any]) -> bool:
    """Whether a call is the transaction that creates a source with its connection, tokens and counters."""
    return operation == "TransactWriteItems" and len(request["TransactItems"]) > 2


@pytest.mark.parametrize("shared", ["email", "username"])
def test_concurrent_sign_ups_with_one_name_have_one_winner(db: Repository, shared: str) -> None:
    callers = [new_caller() for _ in range(MANY)]
    if shared == "email":
        emails = [f"{'Ada' if n % 2 else 'aDA'}@example.org" for n in range(MANY)]
        callers = [
            Caller(value.user_id, {"email": emails[n], "email_verified": True})
            for n, value in enumerate(callers)
        ]
    names = ["Ada" if shared == "username" else caller.user_id for caller in callers]
    results = race(*(partial(sign_up, db, value, name) for value, name in zip(callers, names, strict=True)))
    (winner,) = winners(results)
    assert error_counts(results) == {errors.UniqueViolation: MANY - 1}
    assert {result.field for result in results if isinstance(result, errors.UniqueViolation)} == {shared}
    # The user and two locks; the losers left no account and no membership.
    assert len(items_of(db, User)) == 3
    assert [item["userId"]["S"] for item in items_of(db, UserAccount)] == [winner.user_id]


def test_concurrent_sign_ups_of_one_user_create_one_account(db: Repository) -> None:
    ada = new_caller()
    results = race(*(partial(sign_up, db, ada, ada.user_id) for _ in range(MANY)))
    (winner,) = winners(results)
    assert sum(error_counts(results).values()) == MANY - 1
    assert len(db.all(AccountsOfUser(user_id=ada.user_id))) == 1
    assert users.own_user(db, ada).account_id == winner.account_id


def test_a_limit_holds_for_concurrent_sources(db: Repository) -> None:
    ada, account = new_owner(db, Plan.STARTER)
    connect = partial(oauth_source, db, ada, account.account_id)
    results = race(*(connect for _ in range(16)), is_contested=is_large_transaction)
    assert len(winners(results)) == account.limits.sources == 10
    assert error_counts(results) == {Conflict: 6}
    assert len(items_of(db, Source)) == len(items_of(db, OAuthToken)) == 10
    assert reload_account(db, account).sources_used == 10


def test_storage_is_counted_exactly(db: Repository) -> None:
    _, account = new_owner(db, Plan.FREE)
    added = race(*(partial(db.transact, limits.use(account, storage=7)) for _ in range(16)))
    freed = race(*(partial(db.transact, limits.use(account, storage=-3)) for _ in range(8)))
    assert error_counts(added + freed) == {}
    assert reload_account(db, account).storage_used == 16 * 7 - 8 * 3


def test_concurrent_invitations_are_created_and_accepted_once(db: Repository) -> None:
    ada, account = new_owner(db, Plan.FREE)
    bob = new_caller()
    email = str(bob.claim("email"))
    invited = race(*(partial(invitations.invite, db, ada, account.account_id, email) for _ in range(MANY)))
    assert len(winners(invited)) == 1
    assert error_counts(invited) == {Conflict: MANY - 1}
    assert reload_account(db, account).users_used == 2
    sign_up(db, bob, bob.user_id)
    accepted = race(*(partial(invitations.accept, db, bob, account.account_id) for _ in range(MANY)))
    assert len(winners(accepted)) == 1
    assert error_counts(accepted) == {Gone: MANY - 1}
    assert len(db.all(UsersOfAccount(account_id=account.account_id))) == 2
    assert reload_account(db, account).users_used == 2


@pytest.mark.parametrize("first", ["accept", "revoke"])
def test_an_invitation_is_accepted_or_revoked(db: Repository, first: str) -> None:
    ada, account = new_owner(db)
    bob, _ = new_owner(db)
    email = str(bob.claim("email"))
    invitations.invite(db, ada, account.account_id, email)
    actions: dict[str, Action] = {
        "accept": partial(invitations.accept, db, bob, account.account_id),
        "revoke": partial(invitations.revoke, db, ada, account.account_id, email),
    }
    results = race_in_order(actions.pop(first), *actions.values())
    assert isinstance(results[1], Gone)
    members = db.all(UsersOfAccount(account_id=account.account_id))
    assert all(member.status is MembershipStatus.ACTIVE for member in members)
    assert reload_account(db, account).users_used == len(members) == (2 if first == "accept" else 1)


def test_the_last_owner_stays_when_all_leave_at_once(db: Repository) -> None:
    ada, account = new_owner(db)
    others = [new_member(db, ada, account.account_id, AccountRole.OWNER) for _ in range(5)]
    results = race(
        *(partial(memberships.leave_account, db, item, account.account_id) for item in [ada, *others])
    )
    assert len(winners(results)) == 5
    assert error_counts(results) == {Conflict: 1}
    members = db.all(UsersOfAccount(account_id=account.account_id))
    assert [member.role for member in members] == [AccountRole.OWNER]
    left = reload_account(db, account)
    assert (left.owners, left.users_used) == (1, 1)


@pytest.mark.parametrize("first", range(4))
def test_owners_are_counted_when_roles_change_at_once(db: Repository, first: int) -> None:
    ada, account = new_owner(db)
    bob = new_member(db, ada, account.account_id, AccountRole.OWNER)
    actions: list[Action] = [
        partial(memberships.change_role, db, ada, account.account_id, bob.user_id, AccountRole.MEMBER),
        partial(memberships.change_role, db, bob, account.account_id, ada.user_id, AccountRole.MEMBER),
        partial(memberships.suspend_member, db, ada, account.account_id, bob.user_id),
        partial(memberships.leave_account, db, bob, account.account_id),
    ]
    results = race_in_order(*actions[first:], *actions[:first])
    assert not isinstance(results[0], Exception)
    errors = error_counts(results)
    assert (errors.total(), errors.keys() - {Conflict, Forbidden}) == (3, set())
    members = db.all(UsersOfAccount(account_id=account.account_id))
    owners = [member for member in members if member.role is AccountRole.OWNER]
    active = [owner for owner in owners if owner.status is MembershipStatus.ACTIVE]
    assert reload_account(db, account).owners == len(active) == 1


@pytest.mark.parametrize("first", ["remove", "use"])
@pytest.mark.parametrize("right", ["appoint", "remove", "invite"])
def test_an_admin_who_was_removed_changes_no_members(db: Repository, right: str, first: str) -> None:
    ada, account = new_owner(db)
    admin = new_member(db, ada, account.account_id, AccountRole.ADMIN)
    bob = new_member(db, ada, account.account_id)
    uses: dict[str, Action] = {
        "appoint": partial(
            memberships.change_role, db, admin, account.account_id, bob.user_id, AccountRole.ADMIN
        ),
        "remove": partial(memberships.remove_member, db, admin, account.account_id, bob.user_id),
        "invite": partial(invitations.invite, db, admin, account.account_id, "eve@example.org"),
    }
    use = uses[right]
    remove: Action = partial(memberships.remove_member, db, ada, account.account_id, admin.user_id)
    results = race_in_order(*((remove, use) if first == "remove" else (use, remove)))
    assert not isinstance(results[0], Exception)
    assert isinstance(results[1], Forbidden) == (first == "remove")


@pytest.mark.parametrize("first", ["choose", "remove"])
def test_the_primary_account_is_always_one_of_the_users(db: Repository, first: str) -> None:
    ada, account = new_owner(db)
    bob = new_member(db, ada, account.account_id)
    actions: dict[str, Action] = {
        "choose": partial(users.choose_primary_account, db, bob, account.account_id),
        "remove": partial(memberships.remove_member, db, ada, account.account_id, bob.user_id),
    }
    results = race_in_order(actions.pop(first), *actions.values())
    assert isinstance(results[1], Conflict)
    primary = users.own_user(db, bob).account_id
    assert (primary == account.account_id) is (first == "choose")
    membership = db.run(Membership(user_id=bob.user_id, account_id=str(primary)))
    assert membership is not None
    assert membership.status is MembershipStatus.ACTIVE


def test_concurrent_joins_of_a_team_all_succeed(db: Repository) -> None:
    ada, account = new_owner(db)
    team = teams.create_team(db, ada, account.account_id, team_name="all")
    members = [new_member(db, ada, account.account_id) for _ in range(MANY)]
    join = partial(teams.add_member, db, ada, account.account_id, team.team_id)
    results = race(*(partial(join, item.user_id) for item in [*members, *members]))
    assert len(winners(results)) == MANY
    assert error_counts(results) == {Conflict: MANY}
    listed = db.all(MembersOfTeam(account_id=account.account_id, team_id=team.team_id))
    assert {member.user_id for member in listed} == {item.user_id for item in (ada, *members)}
    assert teams.get_team(db, account.account_id, team.team_id).member_count == MANY + 1


def test_an_oauth_state_works_once(db: Repository) -> None:
    ada, account = new_owner(db)
    flow, platforms, code = start_oauth(db, ada, account.account_id)
    callback = partial(
        oauth.callback, db, ada, platforms, state=flow.state, code=code, redirect_uri=REDIRECT_URI
    )
    results = race(*(callback for _ in range(MANY)))
    assert len(winners(results)) == 1
    assert error_counts(results) == {Gone: MANY - 1}
    assert len(items_of(db, OAuthToken)) == reload_account(db, account).sources_used == 1


def test_concurrent_rotations_have_one_winner_and_keep_the_session(db: Repository) -> None:
    ada, account = new_owner(db)
    first = sessions.sign_in(db, ada, account.account_id)
    results = race(*(partial(sessions.rotate, db, first.token) for _ in range(MANY)))
    (second,) = winners(results)
    assert error_counts(results) == {Conflict: MANY - 1}
    tokens = db.all(TokensOfFamily(token_family=first.stored.token_family))
    assert len([token for token in tokens if not token.revoked]) == 1
    sessions.rotate(db, second.token)


def end_one(db: Repository, caller: Caller, token_family: str) -> None:
    sessions.end_session(db, caller, token_family)


def end_all(db: Repository, caller: Caller, token_family: str) -> None:
    sessions.end_all_sessions(db, caller)


EndSession = Callable[[Repository, Caller, str], None]


@pytest.mark.parametrize("end", [end_one, end_all])
def test_a_session_that_ends_during_a_rotation_is_ended_for_the_new_token(
    db: Repository, end: EndSession
) -> None:
    ada, account = new_owner(db)
    first = sessions.sign_in(db, ada, account.account_id)
    issued, _ = race_in_order(
        partial(sessions.rotate, db, first.token), partial(end, db, ada, first.stored.token_family)
    )
    assert isinstance(issued, sessions.IssuedToken)
    with pytest.raises(Unauthenticated):
        sessions.rotate(db, issued.token)


@pytest.mark.parametrize("end", [end_one, end_all])
def test_a_session_that_has_ended_is_not_rotated(db: Repository, end: EndSession) -> None:
    ada, account = new_owner(db)
    first = sessions.sign_in(db, ada, account.account_id)
    _, rotated = race_in_order(
        partial(end, db, ada, first.stored.token_family), partial(sessions.rotate, db, first.token)
    )
    assert isinstance(rotated, Unauthenticated)


def test_tokens_are_renewed_by_one_worker(db: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, account = new_owner(db)
    source = oauth_source(db, ada, account.account_id)
    before = oauth_tokens.get_token(db, source.source_id).tokens.refresh_token
    platforms = fake_platforms(db).platforms()
    refreshed: list[str] = []
    others_rejected = Barrier(MANY, timeout=60)

    def slow_refresh(client: OAuthClient, refresh_token: str, now: datetime) -> Grant:
        """Reply only when all other workers have been rejected."""
        refreshed.append(refresh_token)
        others_rejected.wait()
        return refresh(client, refresh_token, now)

    refresh = OAuthClient.refresh
    monkeypatch.setattr(OAuthClient, "refresh", slow_refresh)

    def renew() -> OAuthToken:
        try:
            return oauth_tokens.refresh(db, STAFF, platforms, source.source_id)
        except Conflict:
            others_rejected.wait()
            raise

    results = race(*(renew for _ in range(MANY)))
    assert len(winners(results)) == 1
    assert error_counts(results) == {Conflict: MANY - 1}
    assert refreshed == [before]
    after = oauth_tokens.get_token(db, source.source_id)
    assert after.tokens.refresh_token != before
    assert after.refreshing_until is None


@pytest.mark.parametrize("first", ["move", "create"])
def test_children_created_during_a_move_have_the_right_path(db: Repository, first: str) -> None:
    ada, top = new_owner(db)
    _, division, _ = account_tree(db, ada, top)
    other, *_ = account_tree(db, ada, top)
    create = partial(
        hierarchy.create_child,
        db,
        ada,
        division.account_id,
        account_name="late",
        account_type=AccountType.LOCATION,
    )
    move = partial(hierarchy.move_account, db, ada, division.account_id, other.account_id)
    creations = [create for _ in range(4)]
    results = race_in_order(move, *creations) if first == "move" else race_in_order(*creations, move)
    assert error_counts(results) == ({Conflict: 4} if first == "move" else {})
    assert hierarchy.finish_move(db, top.account_id)
    accounts = db.all(AccountsInPath(root_account_id=top.account_id, path_prefix=top.account_path))
    by_id = {account.account_id: account for account in accounts}
    below_top = [account for account in accounts if account.parent_account_id is not None]
    assert len(below_top) == (6 if first == "move" else 10)
    for account in below_top:
        parent = by_id[str(account.parent_account_id)]
        assert account.account_path == f"{parent.account_path}{account.account_id}/"
        assert account.level == parent.level + 1
    for account in accounts:
        children = [item for item in accounts if item.parent_account_id == account.account_id]
        assert reload_account(db, account).children == len(children)


def test_of_two_concurrent_moves_one_is_made_completely(db: Repository) -> None:
    ada, top = new_owner(db)
    _, division, location = account_tree(db, ada, top)
    targets = [account_tree(db, ada, top)[0] for _ in range(2)]
    move = partial(hierarchy.move_account, db, ada, division.account_id)
    results = race(*(partial(move, target.account_id) for target in targets))
    assert len(winners(results)) == 1
    assert error_counts(results) == {Conflict: 1}
    assert hierarchy.finish_move(db, top.account_id)
    moved = reload_account(db, division)
    chosen = next(target for target in targets if target.account_id == moved.parent_account_id)
    assert reload_account(db, location).account_path == f"{moved.account_path}{location.account_id}/"
    children = {target.account_id: reload_account(db, target).children for target in targets}
    assert children == {target.account_id: 1 + (target is chosen) for target in targets}


def test_concurrent_profile_changes_lose_nothing(db: Repository) -> None:
    ada, account = new_owner(db)
    results = race(
        partial(users.change_profile, db, ada, name="Ada Lovelace"),
        partial(users.change_profile, db, ada, username="countess"),
        partial(sessions.sign_in, db, ada, account.account_id),
    )
    assert error_counts(results) == {}
    user = users.own_user(db, ada)
    assert (user.name, user.username) == ("Ada Lovelace", "countess")
    assert user.last_login_at == db.now()
    assert db.run(UserByEmail(email=str(ada.claim("email")))) == user

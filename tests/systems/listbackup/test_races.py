"""Many at once: one winner, no orphan, exact counters, no lost update."""

from datetime import timedelta
from functools import partial

import pytest

from tablewright import Clock, Repository, errors
from tablewright_systems.api_errors import Conflict, Gone, NotFound, Unauthenticated
from tablewright_systems.authentication import Caller
from tablewright_systems.listbackup.design.accounts import AccountsInPath, AccountType, Plan
from tablewright_systems.listbackup.design.memberships import (
    AccountRole,
    AccountsOfUser,
    Membership,
    MembershipStatus,
    UserAccount,
    UsersOfAccount,
)
from tablewright_systems.listbackup.design.oauth import OAuthToken, Tokens
from tablewright_systems.listbackup.design.sessions import TokensOfFamily
from tablewright_systems.listbackup.design.sources import Source
from tablewright_systems.listbackup.design.teams import MembersOfTeam
from tablewright_systems.listbackup.design.users import User, UserByEmail
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
from tablewright_systems.listbackup.service.accounts import hierarchy, limits
from tablewright_systems.listbackup.service.sources import oauth, oauth_tokens
from tablewright_systems.listbackup.service.sources.platforms import Sandbox
from tablewright_systems.listbackup.service.users import invitations, memberships, sessions, teams, users
from tests.systems.listbackup.faulty_store import count_errors, items_of, race_all
from tests.systems.races import winners

MANY = 8


def sign_up(db: Repository, caller: Caller, username: str) -> User:
    return users.sign_up(db, caller, username=username, name="Ada", account_name="Ada's")


@pytest.mark.parametrize("shared", ["email", "username"])
def test_of_many_who_want_one_name_one_gets_it(db: Repository, shared: str) -> None:
    crowd = [new_caller() for _ in range(MANY)]
    if shared == "email":
        spellings = [f"{'Ada' if n % 2 else 'aDA'}@example.org" for n in range(MANY)]
        crowd = [Caller(each.user_id, {"email": spellings[n]}) for n, each in enumerate(crowd)]
    names = ["Ada" if shared == "username" else each.user_id for each in crowd]
    came = race_all(*(partial(sign_up, db, each, name) for each, name in zip(crowd, names, strict=True)))
    (winner,) = winners(came)
    assert count_errors(came) == {errors.UniqueViolation: MANY - 1}
    assert {each.field for each in came if isinstance(each, errors.UniqueViolation)} == {shared}
    # The user and two locks; the losers left no account and no membership.
    assert len(items_of(db, User)) == 3
    assert [item["userId"]["S"] for item in items_of(db, UserAccount)] == [winner.user_id]


def test_who_signs_up_many_times_is_one_user(db: Repository) -> None:
    ada = new_caller()
    came = race_all(*(partial(sign_up, db, ada, ada.user_id) for _ in range(MANY)))
    (winner,) = winners(came)
    assert len(db.all(AccountsOfUser(user_id=ada.user_id))) == 1
    assert users.own_user(db, ada).account_id == winner.account_id


def test_a_limit_holds_when_many_pass_it_at_once(db: Repository) -> None:
    ada, account = new_owner(db, Plan.STARTER)
    came = race_all(*(partial(oauth_source, db, ada, account.account_id) for _ in range(16)))
    assert len(winners(came)) == account.limits.sources == 10
    assert count_errors(came) == {Conflict: 6}
    assert (
        reload_account(db, account).sources_used
        == len(items_of(db, Source))
        == len(items_of(db, OAuthToken))
        == 10
    )


def test_storage_is_counted_exactly(db: Repository) -> None:
    _, account = new_owner(db, Plan.FREE)
    race_all(*(partial(limits.add_storage, db, account.account_id, 7) for _ in range(16)))
    race_all(*(partial(limits.add_storage, db, account.account_id, -3) for _ in range(8)))
    assert reload_account(db, account).storage_used == 16 * 7 - 8 * 3


def test_a_seat_is_given_once_and_counted_once(db: Repository) -> None:
    ada, account = new_owner(db, Plan.FREE)
    bob = new_caller()
    email = str(bob.claim("email"))
    came = race_all(*(partial(invitations.invite, db, ada, account.account_id, email) for _ in range(MANY)))
    assert len(winners(came)) == 1
    assert reload_account(db, account).users_used == 2
    sign_up(db, bob, bob.user_id)
    came = race_all(*(partial(invitations.accept, db, bob, account.account_id) for _ in range(MANY)))
    assert len(winners(came)) == 1
    assert set(count_errors(came)) <= {Gone, NotFound}
    assert (
        reload_account(db, account).users_used
        == len(db.all(UsersOfAccount(account_id=account.account_id)))
        == 2
    )


def test_accepting_and_revoking_at_once_leaves_one_truth(db: Repository) -> None:
    ada, account = new_owner(db)
    for _ in range(4):
        bob, _ = new_owner(db)
        email = str(bob.claim("email"))
        invitations.invite(db, ada, account.account_id, email)
        race_all(
            partial(invitations.accept, db, bob, account.account_id),
            partial(invitations.revoke, db, ada, account.account_id, email),
        )
        seats = db.all(UsersOfAccount(account_id=account.account_id))
        assert all(seat.status is MembershipStatus.ACTIVE for seat in seats)
        assert reload_account(db, account).users_used == len(seats)


def test_the_last_owner_stays_when_all_leave_at_once(db: Repository) -> None:
    ada, account = new_owner(db)
    others = [new_member(db, ada, account.account_id, AccountRole.OWNER) for _ in range(5)]
    came = race_all(
        *(partial(memberships.leave_account, db, each, account.account_id) for each in [ada, *others])
    )
    assert len(winners(came)) == 5
    seats = db.all(UsersOfAccount(account_id=account.account_id))
    assert [seat.role for seat in seats] == [AccountRole.OWNER]
    left = reload_account(db, account)
    assert (left.owners, left.users_used) == (1, 1)


def test_owners_are_counted_when_roles_change_at_once(db: Repository) -> None:
    ada, account = new_owner(db)
    bob = new_member(db, ada, account.account_id, AccountRole.OWNER)
    race_all(
        partial(memberships.change_role, db, ada, account.account_id, bob.user_id, AccountRole.MEMBER),
        partial(memberships.change_role, db, bob, account.account_id, ada.user_id, AccountRole.MEMBER),
        partial(memberships.suspend_member, db, ada, account.account_id, bob.user_id),
        partial(memberships.leave_account, db, bob, account.account_id),
    )
    seats = db.all(UsersOfAccount(account_id=account.account_id))
    owners = [
        seat for seat in seats if seat.role is AccountRole.OWNER and seat.status is MembershipStatus.ACTIVE
    ]
    assert reload_account(db, account).owners == len(owners) >= 1


def test_the_primary_account_is_always_one_of_the_users(db: Repository) -> None:
    ada, account = new_owner(db)
    for _ in range(4):
        bob = new_member(db, ada, account.account_id)
        race_all(
            partial(users.choose_primary_account, db, bob, account.account_id),
            partial(memberships.remove_member, db, ada, account.account_id, bob.user_id),
        )
        primary = users.own_user(db, bob).account_id
        seat = db.run(Membership(user_id=bob.user_id, account_id=str(primary)))
        assert seat is not None
        assert seat.status is MembershipStatus.ACTIVE


def test_members_who_join_a_team_at_once_all_join(db: Repository) -> None:
    ada, account = new_owner(db)
    team = teams.create_team(db, ada, account.account_id, team_name="all")
    crowd = [new_member(db, ada, account.account_id) for _ in range(MANY)]
    twice = [*crowd, *crowd]
    join = partial(teams.add_member, db, ada, account.account_id, team.team_id)
    came = race_all(*(partial(join, each.user_id) for each in twice))
    assert len(winners(came)) == MANY
    found = db.all(MembersOfTeam(account_id=account.account_id, team_id=team.team_id))
    assert {each.user_id for each in found} == {each.user_id for each in (ada, *crowd)}
    assert teams.get_team(db, account.account_id, team.team_id).member_count == MANY + 1


def test_an_oauth_state_works_once(db: Repository) -> None:
    ada, account = new_owner(db)
    asked = oauth.start(db, ada, account.account_id, "keap", redirect_uri=REDIRECT_URI)
    answer = partial(
        oauth.callback, db, ada, Sandbox(), state=asked.state, code="code", redirect_uri=REDIRECT_URI
    )
    came = race_all(*(answer for _ in range(MANY)))
    assert len(winners(came)) == 1
    assert count_errors(came) == {Gone: MANY - 1}
    assert len(items_of(db, OAuthToken)) == reload_account(db, account).sources_used == 1


def test_of_many_refreshes_one_wins_and_the_session_goes_on(db: Repository) -> None:
    ada, account = new_owner(db)
    first = sessions.sign_in(db, ada, account.account_id)
    came = race_all(*(partial(sessions.rotate, db, first.token) for _ in range(MANY)))
    (second,) = winners(came)
    assert count_errors(came) == {Conflict: MANY - 1}
    live = [
        each for each in db.all(TokensOfFamily(token_family=first.stored.token_family)) if not each.revoked
    ]
    assert len(live) == 1
    sessions.rotate(db, second.token)


def test_a_family_that_ends_while_it_rotates_is_ended_for_the_new_token_too(
    db: Repository, clock: Clock
) -> None:
    ada, account = new_owner(db)
    for end in (
        lambda family: sessions.end_session(db, ada, family),
        lambda family: sessions.end_all_sessions(db, ada),
    ):
        first = sessions.sign_in(db, ada, account.account_id)
        came = race_all(partial(sessions.rotate, db, first.token), partial(end, first.stored.token_family))
        for issued in (each for each in came if isinstance(each, sessions.IssuedToken)):
            with pytest.raises(Unauthenticated):
                sessions.rotate(db, issued.token)
        clock.advance(timedelta(seconds=1))


class Counting(Sandbox):
    """A platform that counts how often it is asked for new tokens."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def refresh(self, refresh_token: str, now: object) -> Tokens:
        self.asked.append(refresh_token)
        return super().refresh(refresh_token, now)  # type: ignore[arg-type]


def test_a_platform_is_asked_for_new_tokens_once(db: Repository) -> None:
    ada, account = new_owner(db)
    source = oauth_source(db, ada, account.account_id)
    platform = Counting()
    came = race_all(
        *(partial(oauth_tokens.refresh, db, STAFF, platform, source.source_id) for _ in range(MANY))
    )
    spent = len(platform.asked)
    assert spent == len(winners(came)) >= 1
    assert len(set(platform.asked)) == spent, "a refresh token was spent twice"
    held = oauth_tokens.get_token(db, source.source_id)
    assert held.tokens.refresh_token not in platform.asked
    assert held.refreshing_until is None


def test_children_that_are_made_while_their_tree_moves_have_the_right_path(db: Repository) -> None:
    ada, top = new_owner(db)
    _, division, _ = account_tree(db, ada, top)
    other, *_ = account_tree(db, ada, top)
    grow = partial(
        hierarchy.create_child,
        db,
        ada,
        division.account_id,
        account_name="late",
        account_type=AccountType.LOCATION,
    )
    move = partial(hierarchy.move_account, db, ada, division.account_id, other.account_id)
    race_all(move, *(grow for _ in range(4)))
    assert hierarchy.finish_move(db, top.account_id)
    found = db.all(AccountsInPath(root_account_id=top.account_id, path_prefix=top.account_path))
    by_id = {account.account_id: account for account in found}
    for account in found:
        if account.parent_account_id is None:
            continue
        parent = by_id[account.parent_account_id]
        assert account.account_path == f"{parent.account_path}{account.account_id}/"
        assert account.level == parent.level + 1
    for account in found:
        below = [each for each in found if each.parent_account_id == account.account_id]
        assert reload_account(db, account).children == len(below)


def test_of_two_moves_of_one_account_at_once_each_is_whole(db: Repository) -> None:
    ada, top = new_owner(db)
    _, division, location = account_tree(db, ada, top)
    targets = [account_tree(db, ada, top)[0] for _ in range(2)]
    move = partial(hierarchy.move_account, db, ada, division.account_id)
    came = race_all(*(partial(move, target.account_id) for target in targets))
    assert len(winners(came)) >= 1
    assert hierarchy.finish_move(db, top.account_id)
    moved = reload_account(db, division)
    chosen = next(target for target in targets if target.account_id == moved.parent_account_id)
    assert reload_account(db, location).account_path == f"{moved.account_path}{location.account_id}/"
    children = {target.account_id: reload_account(db, target).children for target in targets}
    assert children == {target.account_id: 1 + (target is chosen) for target in targets}


def test_two_who_change_a_profile_at_once_lose_nothing(db: Repository) -> None:
    ada, _ = new_owner(db)
    race_all(
        partial(users.change_profile, db, ada, name="Ada Lovelace"),
        partial(users.change_profile, db, ada, username="countess"),
        partial(users.record_login, db, ada),
    )
    user = users.own_user(db, ada)
    assert (user.name, user.username) == ("Ada Lovelace", "countess")
    assert user.last_login_at == db.now()
    assert db.run(UserByEmail(email=str(ada.claim("email")))) == user

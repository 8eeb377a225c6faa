"""Rules of the document's accounts, users and memberships. Each test is named after its rule in REQUIREMENTS.md."""

import re
from datetime import timedelta
from functools import partial

import pytest
from tablewright_systems.listbackup.design import design
from tablewright_systems.listbackup.design.accounts import (
    Account,
    AccountById,
    AccountsInPath,
    AccountStatus,
    AccountType,
    ChildAccounts,
    RootAccounts,
)
from tablewright_systems.listbackup.design.memberships import AccountRole, Invitation, Permissions
from tablewright_systems.listbackup.design.oauth import (
    OAuthTokenOf,
)
from tablewright_systems.listbackup.design.teams import Team
from tablewright_systems.listbackup.design.users import User, UserById, UserByUsername, UserRole, UserStatus
from tablewright_systems.listbackup.design.vocabulary import Right
from tablewright_systems.listbackup.proofs.fixtures import (
    STAFF,
    account_tree,
    new_caller,
    new_member,
    new_owner,
    oauth_source,
    reload_account,
)
from tablewright_systems.listbackup.service import (
    accounts,
    closing,
    hierarchy,
    invitations,
    memberships,
    sessions,
    teams,
    users,
)
from tablewright_systems.listbackup.service.access import Area, is_account_active, require_right
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, Forbidden, Invalid, Unauthenticated

from systems.tests.listbackup.faulty_store import items_of
from tablewright import Clock, Repository
from tablewright.generate.cloudformation import template
from tablewright.generate.iam.grants import TableArns
from tablewright.generate.iam.role_policies import Role, role_policies
from tablewright.generate.iam.service_role import ServiceRole, members_of


def test_r7_a_subtree_excludes_accounts_with_a_similar_path(db: Repository) -> None:
    top = _account("r", None)
    for item in (top, _account("b", top), _account("bc", top)):
        db.create(item)
    below = _account("x", _account("b", top))
    db.create(below)
    listed = db.all(AccountsInPath(root_account_id="r", path_prefix="/r/b/"))
    assert [account.account_id for account in listed] == ["b", "x"]
    with pytest.raises(ValueError, match="path_prefix"):
        AccountsInPath(root_account_id="r", path_prefix="/r/b")


def test_r8_a_root_has_no_parent_attribute(db: Repository) -> None:
    _, top = new_owner(db)
    (item,) = items_of(db, Account)
    assert "parentAccountId" not in item
    assert top.parent_account_id is None
    assert top.model_dump(by_alias=True)["parentAccountId"] is None
    listed = [account for shard in range(4) for account in db.iterate(RootAccounts(shard=shard))]
    assert listed == [top]


def test_r9_a_rename_does_not_change_paths(db: Repository) -> None:
    ada, top = new_owner(db)
    child, *_ = account_tree(db, ada, top)
    accounts.change_account(db, ada, top.account_id, account_name="a/b/c")
    assert reload_account(db, child).account_path == f"/{top.account_id}/{child.account_id}/"


def test_r9_an_interrupted_move_is_finished_by_a_worker(db: Repository) -> None:
    ada, top = new_owner(db)
    _, division, location = account_tree(db, ada, top)
    other, *_ = account_tree(db, ada, top)
    hierarchy.move_account(db, ada, division.account_id, other.account_id)
    # The state after an interruption before the traversal: the old path below, and the mark at the root.
    db.update(AccountById(account_id=location.account_id), set={"account_path": location.account_path})
    db.update(AccountById(account_id=top.account_id), set={"moving": division.account_id})
    db.update(AccountById(account_id=division.account_id), set={"moved_from": top.account_id})
    with pytest.raises(Conflict, match="hierarchy is being changed"):
        hierarchy.create_child(
            db, ada, top.account_id, account_name="late", account_type=AccountType.SUBSIDIARY
        )
    assert hierarchy.finish_move(db, top.account_id)
    moved = reload_account(db, division)
    assert reload_account(db, location).account_path == f"{moved.account_path}{location.account_id}/"
    assert (reload_account(db, top).moving, moved.moved_from) == (None, None)


def test_r9_a_tree_can_move_below_another_tree(db: Repository) -> None:
    ada, one = new_owner(db)
    two = users.sign_up(
        db,
        bob := new_caller(),
        username=bob.user_id,
        name="Bob",
        account_name="Bob's",
        account_type=AccountType.SUBSIDIARY,
    ).account_id
    invitations.invite(db, bob, str(two), str(ada.claim("email")), AccountRole.OWNER)
    invitations.accept(db, ada, str(two))
    child = hierarchy.create_child(db, ada, str(two), account_name="below", account_type=AccountType.DIVISION)
    moved = hierarchy.move_account(db, ada, str(two), one.account_id)
    assert (moved.level, moved.root_account_id) == (1, one.account_id)
    below = reload_account(db, child)
    assert (below.level, below.root_account_id) == (2, one.account_id)
    assert below.account_path == f"/{one.account_id}/{two}/{child.account_id}/"
    roots = [account.account_id for shard in range(4) for account in db.iterate(RootAccounts(shard=shard))]
    assert roots == [one.account_id]


@pytest.mark.parametrize(
    ("parent", "child", "fits"),
    [
        (AccountType.CONGLOMERATE, AccountType.LOCATION, True),
        (AccountType.SUBSIDIARY, AccountType.DIVISION, True),
        (AccountType.DIVISION, AccountType.DIVISION, False),
        (AccountType.LOCATION, AccountType.SUBSIDIARY, False),
    ],
)
def test_r10_a_child_has_a_lower_type(
    db: Repository, parent: AccountType, child: AccountType, fits: bool
) -> None:
    ada = new_caller()
    user = users.sign_up(db, ada, username=ada.user_id, name="Ada", account_name="Ada's", account_type=parent)
    grow = partial(
        hierarchy.create_child, db, ada, str(user.account_id), account_name="child", account_type=child
    )
    if fits:
        assert grow().level == 1
        return
    with pytest.raises(Conflict) as error:
        grow()
    assert error.value.field == "accountType"


def test_r12_a_user_is_read_with_get_item(db: Repository) -> None:
    assert db.explain(UserById(user_id="ada")).operation == "GetItem"


def test_r13_indexes_have_their_own_names_in_each_table() -> None:
    named = [index.name for table in design.tables for index in table.indexes]
    assert not [name for name in named if re.fullmatch(r"GSI\d", name)]
    assert named.count("accountId-platform-index") == 3


def test_r28_a_name_is_free_again_after_a_rename(db: Repository) -> None:
    ada, _ = new_owner(db)
    locks = [item for item in items_of(db, User) if item["userId"]["S"].startswith("_lock#")]
    assert len(locks) == 2
    assert all({"email", "username"}.isdisjoint(lock) for lock in locks)
    users.change_profile(db, ada, username="Countess")
    bob = new_caller()
    users.sign_up(db, bob, username=ada.user_id, name="Bob", account_name="Bob's")
    user = db.run(UserByUsername(username=ada.user_id))
    assert user is not None
    assert user.user_id == bob.user_id


def test_r29_a_team_has_a_member_limit_and_no_list_of_members(
    db: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(teams, "MAX_MEMBERS", 2)
    ada, account = new_owner(db)
    team = teams.create_team(db, ada, account.account_id, team_name="pair")
    for number in range(2):
        bob = new_member(db, ada, account.account_id)
        if number == 0:
            teams.add_member(db, ada, account.account_id, team.team_id, bob.user_id)
            continue
        with pytest.raises(Conflict, match="at most 2 members"):
            teams.add_member(db, ada, account.account_id, team.team_id, bob.user_id)
    (item,) = (item for item in items_of(db, Team) if "teamName" in item)
    assert "members" not in item
    assert len(teams.read_team(db, ada, team.team_id).members) == 2


def test_r42_policies_have_no_wildcards(db: Repository) -> None:
    arns = TableArns("eu-west-1", "123456789012", "stack")
    service = ServiceRole(design, arns, "account_id")
    shared = [member.__name__ for member in members_of(design, ()) if not service.is_limited(member)]
    documents = role_policies(design, arns, Role(tenant="account_id", shared=shared))
    statements = [statement for document in documents for statement in document["Statement"]]
    for statement in statements:
        assert "*" not in statement["Resource"]
        assert not [action for action in statement["Action"] if "*" in action]
    guarded = {
        statement["Resource"].rpartition("stack-")[2]
        for statement in statements
        if "account_id" in str(statement.get("Condition"))
    }
    assert {"sources", "jobs", "teams", "activities", "tags"} <= guarded
    assert guarded.isdisjoint({"users", "connections", "oauth-tokens", "sources/index/sourceId-index"})


def test_r43_the_platform_wide_role_only_restricts(db: Repository) -> None:
    ada, account = new_owner(db)
    db.update(UserById(user_id=ada.user_id), set={"role": UserRole.READONLY})
    require_right(db, ada, account.account_id, Area.SOURCES, Right.READ)
    with pytest.raises(Forbidden):
        require_right(db, ada, account.account_id, Area.SOURCES, Right.UPDATE)
    eve, _ = new_owner(db)
    db.update(UserById(user_id=eve.user_id), set={"role": UserRole.ADMIN})
    with pytest.raises(Forbidden):
        require_right(db, eve, account.account_id, Area.SOURCES, Right.READ)


@pytest.mark.parametrize(
    ("role", "area", "right", "allowed"),
    [
        (AccountRole.ADMIN, Area.USERS, Right.DELETE, True),
        (AccountRole.ADMIN, Area.BILLING, Right.UPDATE, False),
        (AccountRole.MEMBER, Area.SOURCES, Right.CREATE, True),
        (AccountRole.MEMBER, Area.SOURCES, Right.DELETE, False),
        (AccountRole.MEMBER, Area.USERS, Right.READ, False),
        (AccountRole.READONLY, Area.SOURCES, Right.READ, True),
        (AccountRole.READONLY, Area.SOURCES, Right.CREATE, False),
    ],
)
def test_r43_rights_of_each_role(
    db: Repository, role: AccountRole, area: Area, right: Right, allowed: bool
) -> None:
    ada, account = new_owner(db)
    bob = new_member(db, ada, account.account_id, role, Permissions(sources=[Right.CREATE]))
    if allowed:
        require_right(db, bob, account.account_id, area, right)
    else:
        with pytest.raises(Forbidden):
            require_right(db, bob, account.account_id, area, right)


def test_r43_only_owners_appoint_owners(db: Repository) -> None:
    ada, account = new_owner(db)
    admin = new_member(db, ada, account.account_id, AccountRole.ADMIN)
    with pytest.raises(Forbidden):
        invitations.invite(db, admin, account.account_id, "eve@example.org", AccountRole.OWNER)
    with pytest.raises(Forbidden):
        memberships.change_role(db, admin, account.account_id, ada.user_id, AccountRole.MEMBER)
    with pytest.raises(Forbidden):
        memberships.remove_member(db, admin, account.account_id, ada.user_id)


def test_r44_a_user_without_memberships_has_no_primary_account(db: Repository) -> None:
    ada, account = new_owner(db)
    bob = new_member(db, ada, account.account_id)
    own = str(users.own_user(db, bob).account_id)
    users.choose_primary_account(db, bob, account.account_id)
    closing.close_account(db, bob, own)
    while not closing.finish_closing(db, own):
        pass
    memberships.leave_account(db, bob, account.account_id)
    assert users.own_user(db, bob).account_id is None


def test_r45_an_invitation_is_stored_under_the_address_before_sign_up(db: Repository) -> None:
    ada, account = new_owner(db)
    bob = new_caller()
    offer = invitations.invite(db, ada, account.account_id, str(bob.claim("email")).upper())
    assert isinstance(offer, Invitation)
    users.sign_up(db, bob, username=bob.user_id, name="Bob", account_name="Bob's")
    eve, _ = new_owner(db)
    assert invitations.own_invitations(db, eve) == []
    assert invitations.own_invitations(db, bob) == [offer]
    invitations.decline(db, bob, account.account_id)
    assert reload_account(db, account).users_used == 1


def test_r46_sign_up_uses_the_identity_of_the_token(db: Repository) -> None:
    with pytest.raises(Invalid) as error:
        users.sign_up(db, Caller("ada"), username="ada", name="Ada", account_name="Ada's")
    assert error.value.field == "email"


def test_r50_every_item_has_a_schema_version() -> None:
    assert {entity.layout.schema_version for entity in design.entities} == {1}


def test_r51_booleans_and_numbers_have_their_types(db: Repository) -> None:
    new_owner(db)
    user = next(item for item in items_of(db, User) if "name" in item)
    assert user["mfaEnabled"] == {"BOOL": False}
    (account,) = items_of(db, Account)
    assert account["level"] == {"N": "0"}


def test_r52_table_names_contain_the_stack_and_tables_are_retained() -> None:
    for resource in template(design)["Resources"].values():
        assert resource["Properties"]["TableName"]["Fn::Sub"].startswith("${AWS::StackName}-")
        assert resource["DeletionPolicy"] == resource["UpdateReplacePolicy"] == "Retain"
    for table in design.tables:
        assert re.fullmatch(r"[a-zA-Z0-9_.-]{3,255}", table.physical_name("s" * 128))


def test_r56_a_suspended_account_suspends_its_descendants_and_sessions(db: Repository) -> None:
    ada, top = new_owner(db)
    *_, location = account_tree(db, ada, top)
    issued = sessions.sign_in(db, ada, location.account_id)
    accounts.set_account_status(db, STAFF, top.account_id, AccountStatus.SUSPENDED)
    with pytest.raises(Forbidden, match="suspended"):
        oauth_source(db, ada, location.account_id)
    with pytest.raises(Forbidden, match="suspended"):
        sessions.rotate(db, issued.token)
    assert not is_account_active(db, location.account_id)
    accounts.set_account_status(db, STAFF, top.account_id, AccountStatus.ACTIVE)
    sessions.rotate(db, issued.token)


def test_r56_sessions_of_a_suspended_user_stay_ended(db: Repository, clock: Clock) -> None:
    ada, account = new_owner(db)
    issued = sessions.sign_in(db, ada, account.account_id)
    users.set_user_status(db, STAFF, ada.user_id, UserStatus.SUSPENDED)
    with pytest.raises(Forbidden):
        sessions.rotate(db, issued.token)
    with pytest.raises(Forbidden):
        accounts.read_account(db, ada, account.account_id)
    users.set_user_status(db, STAFF, ada.user_id, UserStatus.ACTIVE)
    with pytest.raises(Unauthenticated):
        sessions.rotate(db, issued.token)
    clock.advance(timedelta(seconds=1))
    fresh = sessions.sign_in(db, ada, account.account_id)
    sessions.rotate(db, fresh.token)


def test_r57_an_account_with_children_cannot_be_closed(db: Repository) -> None:
    ada, top = new_owner(db)
    child, *_ = account_tree(db, ada, top)
    with pytest.raises(Conflict) as error:
        closing.close_account(db, ada, top.account_id)
    assert error.value.field == "children"
    *_, location = account_tree(db, ada, top)
    source = oauth_source(db, ada, location.account_id)
    closing.close_account(db, ada, location.account_id)
    with pytest.raises(Forbidden):
        oauth_source(db, ada, location.account_id)
    while not closing.finish_closing(db, location.account_id):
        pass
    assert db.run(OAuthTokenOf(source_id=source.source_id)) is None
    assert db.run(AccountById(account_id=location.account_id)) is None
    parent = db.run(AccountById(account_id=str(location.parent_account_id)))
    assert parent is not None
    assert (parent.children, len(db.all(ChildAccounts(parent_account_id=parent.account_id)))) == (0, 0)
    assert reload_account(db, child).children == 1


def _account(name: str, parent: Account | None) -> Account:
    made = accounts.new_account(name, AccountType.CONGLOMERATE, "ada", parent)
    return made.changed(
        account_id=name,
        account_path=f"{parent.account_path if parent else '/'}{name}/",
        root_account_id=parent.root_account_id if parent else name,
    )

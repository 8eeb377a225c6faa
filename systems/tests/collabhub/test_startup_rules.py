"""Rules of the table, users, startups and roles. Each test is named after its rule in REQUIREMENTS.md."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import (
    AccessLevel,
    ApplicationStatus,
    Role,
    StartupStatus,
    UserStatus,
    Visibility,
)
from tablewright_systems.collabhub.proofs import fixtures
from tablewright_systems.collabhub.service import (
    applications,
    conversations,
    messages,
    roles,
    startups,
    subscriptions,
    users,
)
from tablewright_systems.service import Caller, Conflict, Forbidden, Invalid, NotFound, Paging

from systems.tests.collabhub.table_contents import assert_consistent, items, new_group, new_users
from tablewright import Clock, Repository

LETTER = "Me."
HELLO = messages.MessageDraft(content="Hello")


# --- The table ---


def test_the_table_matches_the_document() -> None:
    """R29: the table sets no encryption, so AWS uses its own key."""
    definition = design.User.layout.table.definition()
    assert definition["TableName"] == "collabhub-main"
    assert definition["BillingMode"] == "PAY_PER_REQUEST"
    assert "SSESpecification" not in definition
    assert [index["IndexName"] for index in definition["GlobalSecondaryIndexes"]] == [
        "GSI1",
        "GSI2",
        "GSI3",
        "GSI4",
        "GSI5",
    ]


def test_r7_frequent_types_are_not_in_the_type_index(db: Repository) -> None:
    members = [fixtures.new_user(db, Role.TALENT) for _ in range(2)]
    messages.send_message(db, members[0], new_group(db, members), HELLO)
    types = {item["entityType"]["S"] for item in items(db, "GSI3")}
    assert types == {"USER"}
    assert {"MESSAGE", "NOTIFICATION", "AUDIT_LOG", "CONVERSATION"} <= {
        item["entityType"]["S"] for item in items(db)
    }


def test_r9_only_users_are_in_the_email_index(db: Repository) -> None:
    ada = fixtures.new_caller(email="Ada.Byron@Example.org")
    draft = users.Registration(role=Role.FOUNDER, first_name="Ada", last_name="Byron")
    users.register(db, ada, draft)
    (entry,) = items(db, "GSI4")
    assert entry["email"] == {"S": "ada.byron@example.org"}
    assert entry["emailAsGiven"] == {"S": "Ada.Byron@Example.org"}
    locks = [item for item in items(db) if item["PK"]["S"].startswith("_lock#")]
    assert len(locks) == 1
    assert not {"email", "createdAt", "GSI3PK"} & locks[0].keys()
    stored = db.run(design.UserByEmail(email="ADA.byron@EXAMPLE.org "))
    assert stored is not None


# --- Users ---


def test_r6_a_user_moves_between_lists(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)

    def lists() -> tuple[list[Role], list[UserStatus]]:
        return (
            [role for role in Role if db.all(design.UsersByRole(role=role))],
            [status for status in UserStatus if db.all(design.UsersByStatus(status=status))],
        )

    assert lists() == ([Role.FOUNDER], [UserStatus.ACTIVE])
    users.change_role(db, fixtures.STAFF, ada.user_id, Role.INVESTOR)
    assert lists() == ([Role.INVESTOR], [UserStatus.ACTIVE])
    users.ban(db, fixtures.STAFF, ada.user_id)
    assert lists() == ([], [UserStatus.BANNED])
    users.reinstate(db, fixtures.STAFF, ada.user_id)
    assert lists() == ([Role.INVESTOR], [UserStatus.ACTIVE])


def test_r8_lists_of_few_keys_are_paged(db: Repository) -> None:
    members = {user.user_id for user in new_users(db, 7)}
    caller = fixtures.new_user(db, Role.FOUNDER)
    collected, cursor = set(), None
    for _ in range(4):
        page = users.list_by_role(db, caller, Role.TALENT, paging=Paging(2, cursor))
        collected |= {item.user_id for item in page}
        cursor = page.cursor
    assert (collected, cursor) == (members, None)


def test_r36_a_banned_user_cannot_act(db: Repository) -> None:
    members = new_users(db, 3)
    bob = members[0]
    conversation = new_group(db, members)
    ada = fixtures.new_user(db, Role.FOUNDER)
    role = fixtures.new_role(db, ada, fixtures.new_startup(db, ada))
    users.ban(db, fixtures.STAFF, bob.user_id)
    actions: list[Callable[[], object]] = [
        lambda: messages.send_message(db, bob, conversation, HELLO),
        lambda: applications.apply(db, bob, role.startup_id, role.role_id, LETTER),
        lambda: conversations.start_direct(db, bob, ada.user_id),
        lambda: users.edit_profile(db, bob, users.ProfileChanges(bio="Still here")),
        lambda: subscriptions.open_checkout(db, fixtures.WEBHOOK, bob.user_id, "cus-1"),
        lambda: users.list_by_role(db, bob, Role.TALENT),
    ]
    for action in actions:
        with pytest.raises(Forbidden):
            action()
    with pytest.raises(NotFound):
        conversations.start_direct(db, ada, bob.user_id)
    with pytest.raises(Forbidden):
        users.read_profile(db, ada, bob.user_id)
    assert_consistent(db)


def test_users_cannot_register_as_administrators(db: Repository) -> None:
    draft = users.Registration(role=Role.ADMIN, first_name="Eve", last_name="X")
    with pytest.raises(Forbidden):
        users.register(db, fixtures.new_caller(), draft)
    eve = fixtures.new_user(db, Role.TALENT)
    with pytest.raises(Forbidden):
        users.ban(db, eve, fixtures.new_user(db, Role.FOUNDER).user_id)
    boss = fixtures.new_caller(roles=["admin"])
    users.register(db, boss, draft)
    users.activate(db, boss, boss.user_id)
    known_by_data = Caller(boss.user_id)
    assert users.ban(db, known_by_data, eve.user_id).status == UserStatus.BANNED


def test_a_token_without_an_address_cannot_sign_up(db: Repository) -> None:
    draft = users.Registration(role=Role.TALENT, first_name="A", last_name="B")
    for claims in ({}, {"email": ""}, {"email": "ada"}, {"email": "a b@example.org"}, {"email": 7}):
        with pytest.raises(Invalid):
            users.register(db, Caller("unknown", claims), draft)


# --- Startups and roles ---


def test_r6_r20_a_startup_moves_between_lists(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    startup = startups.create_startup(db, ada, fixtures.startup_draft(visibility=Visibility.PRIVATE))
    where = startup.startup_id

    def place() -> list[tuple[Visibility, StartupStatus]]:
        return [
            (visibility, status)
            for visibility in Visibility
            for status in StartupStatus
            if db.all(design.StartupsByVisibility(visibility=visibility, status=status))
        ]

    assert place() == [(Visibility.PRIVATE, StartupStatus.DRAFT)]
    startups.submit(db, ada, where)
    queue = startups.list_by_status(db, fixtures.STAFF, StartupStatus.PENDING_REVIEW)
    assert [item.startup_id for item in queue] == [where]
    startups.approve(db, fixtures.STAFF, where)
    assert place() == [(Visibility.PRIVATE, StartupStatus.ACTIVE)]
    startups.set_visibility(db, ada, where, Visibility.PUBLIC)
    assert place() == [(Visibility.PUBLIC, StartupStatus.ACTIVE)]
    startups.suspend(db, fixtures.STAFF, where)
    assert place() == [(Visibility.PUBLIC, StartupStatus.SUSPENDED)]


@pytest.mark.parametrize("hide", ["suspend", "private", "investors"])
def test_r5_roles_are_unlisted_with_their_startup(db: Repository, hide: str) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    startup = fixtures.new_startup(db, ada)
    kept, closed = fixtures.new_role(db, ada, startup), fixtures.new_role(db, ada, startup)
    roles.close_role(db, ada, startup.startup_id, closed.role_id)

    def open_now() -> list[str]:
        return [role.role_id for role in roles.browse_open_roles(db, ada)]

    assert open_now() == [kept.role_id]
    if hide == "suspend":
        startups.suspend(db, fixtures.STAFF, startup.startup_id)
    else:
        wanted = Visibility.PRIVATE if hide == "private" else Visibility.INVESTORS_ONLY
        startups.set_visibility(db, ada, startup.startup_id, wanted)
    assert open_now() == []
    assert not any("OPEN_ROLES" in item["GSI1PK"]["S"] for item in items(db, "GSI1"))
    if hide == "suspend":
        startups.approve(db, fixtures.STAFF, startup.startup_id)
    else:
        startups.set_visibility(db, ada, startup.startup_id, Visibility.PUBLIC)
    assert open_now() == [kept.role_id]


def test_r5_a_startup_changes_with_the_maximum_of_open_roles(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    startup = fixtures.new_startup(db, ada)
    for _ in range(design.MAX_OPEN_ROLES):
        fixtures.new_role(db, ada, startup)
    with pytest.raises(Conflict):
        fixtures.new_role(db, ada, startup)
    startups.suspend(db, fixtures.STAFF, startup.startup_id)
    assert_consistent(db)


def test_r5_open_roles_are_merged_from_shards(db: Repository, clock: Clock) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    startup = fixtures.new_startup(db, ada)
    made = []
    for _ in range(25):
        clock.advance(timedelta(minutes=1))
        made.append(fixtures.new_role(db, ada, startup).role_id)
    partitions = {item["GSI1PK"]["S"] for item in items(db, "GSI1") if "OPEN_ROLES" in item["GSI1PK"]["S"]}
    assert partitions == {f"OPEN_ROLES#{shard}" for shard in range(4)}
    collected: list[str] = []
    cursor = None
    while True:
        page = roles.browse_open_roles(db, ada, paging=Paging(4, cursor))
        collected += [item.role_id for item in page]
        cursor = page.cursor
        if cursor is None:
            break
    assert collected == made[::-1]


def test_r35_filtered_pages_are_filled(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    for number in range(9):
        fixtures.new_startup(db, ada, industry="Looms" if number % 3 == 0 else "Machines")
    first = startups.list_public(db, ada, "Looms", paging=Paging(2))
    rest = startups.list_public(db, ada, "Looms", paging=Paging(2, first.cursor))
    assert (len(first), len(rest)) == (2, 1)
    assert {item.industry for item in (*first, *rest)} == {"Looms"}
    bob = fixtures.new_user(db, Role.TALENT)
    users.edit_profile(db, bob, users.ProfileChanges(skills=["weaving", "steam"]))
    assert [item.user_id for item in users.list_by_role(db, ada, Role.TALENT, "steam")] == [bob.user_id]


@pytest.mark.parametrize(
    ("visibility", "level", "sees"),
    [
        (Visibility.PUBLIC, None, "profile"),
        (Visibility.PUBLIC, AccessLevel.VIEW_PROFILE, "profile"),
        (Visibility.PUBLIC, AccessLevel.VIEW_DECK, "deck"),
        (Visibility.INVESTORS_ONLY, None, "nothing"),
        (Visibility.INVESTORS_ONLY, AccessLevel.VIEW_PROFILE, "profile"),
        (Visibility.INVESTORS_ONLY, AccessLevel.FULL_ACCESS, "deck"),
        (Visibility.PRIVATE, AccessLevel.VIEW_DECK, "nothing"),
        (Visibility.PRIVATE, AccessLevel.FULL_ACCESS, "deck"),
    ],
)
def test_r28_visibility_of_the_pitch_deck(
    db: Repository, visibility: Visibility, level: AccessLevel | None, sees: str
) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    startup = fixtures.new_startup(db, ada, visibility)
    ivy, request = fixtures.new_access_request(db, startup, level or AccessLevel.FULL_ACCESS)
    if level is not None:
        fixtures.approve_access(db, ada, request)
    if sees == "nothing":
        with pytest.raises(Forbidden):
            startups.read_startup(db, ivy, startup.startup_id)
        return
    seen = startups.read_startup(db, ivy, startup.startup_id)
    assert (seen.pitch_deck_url is not None) == (sees == "deck")


def test_r36_a_banned_investor_cannot_use_a_grant(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    startup = fixtures.new_startup(db, ada)
    ivy, request = fixtures.new_access_request(db, startup, AccessLevel.FULL_ACCESS)
    fixtures.approve_access(db, ada, request)
    assert startups.read_startup(db, ivy, startup.startup_id).pitch_deck_url
    users.ban(db, fixtures.STAFF, ivy.user_id)
    with pytest.raises(Forbidden):
        startups.read_startup(db, ivy, startup.startup_id)


def test_r27_the_team_sees_its_startup(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    startup = fixtures.new_startup(db, ada)
    bob, application = fixtures.new_application(db, fixtures.new_role(db, ada, startup))
    fixtures.move_application(db, ada, application, ApplicationStatus.REVIEWING, ApplicationStatus.ACCEPTED)
    startups.set_visibility(db, ada, startup.startup_id, Visibility.PRIVATE)
    assert startups.read_startup(db, bob, startup.startup_id).team_size == 2
    assert [item.user_id for item in db.all(design.TeamOf(startup_id=startup.startup_id))] == [bob.user_id]

"""The flows F1 to F18, by the service."""

import os
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from tablewright import connect, errors, migrations
from tablewright_systems.boards import design
from tablewright_systems.boards.proofs.fixtures import (
    ADMIN,
    TRADES,
    board_of,
    member,
    put_documents,
    user,
    without_indexes,
)
from tablewright_systems.boards.service import (
    authorization,
    boards,
    catalogue,
    joining,
    members,
    permissions,
    services,
    users,
)
from tablewright_systems.boards.values import APPROVE_JOIN, ApproveJoinConfig, Role
from tablewright_systems.service import Conflict, Forbidden, Invalid, NotFound
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("boards")


@PROOFS("F1")
def register(context: ProofContext) -> None:
    """Register user with unique userName."""
    name = context.unique_id("user")
    ada, eve = context.caller(email=f"{name}@example.org"), context.caller(email=f"x{name}@example.org")
    with context.measured():
        profile = users.register(context.db, ada, name)
    assert users.my_profile(context.db, ada) == profile
    expect_error(Conflict, lambda: users.register(context.db, eve, name.upper()), field="userName")
    expect_error(NotFound, lambda: users.my_profile(context.db, eve))
    unverified = context.caller(email=f"y{name}@example.org", email_verified=False)
    expect_error(Invalid, lambda: users.register(context.db, unverified, f"y{name}"), field="email")
    thief = context.caller(email=f"{name}@EXAMPLE.org")
    expect_error(errors.UniqueViolation, lambda: users.register(context.db, thief, f"z{name}"), field="email")


@PROOFS("F2")
def create_board(context: ProofContext) -> None:
    """Create board with unique name, owner membership row, default services."""
    ada = user(context)
    catalogue.seed(context.db, ADMIN)
    name = context.unique_id("Board")
    with context.measured():
        board = boards.create_board(context.db, ada, name)
    owner = context.db.run(design.Membership(board_id=board.board_id, user_id=ada.user_id))
    assert owner is not None
    assert (board.owner_id, owner.role) == (ada.user_id, Role.OWNER)
    (service,) = context.db.all(design.ServicesOfBoardNow(board_id=board.board_id))
    assert (board.enabled_services, service.service_type, service.is_default) == (
        [APPROVE_JOIN],
        APPROVE_JOIN,
        True,
    )
    expect_error(Conflict, lambda: boards.create_board(context.db, ada, name.lower()), field="boardName")


@PROOFS("F3")
def join_directly(context: ProofContext) -> None:
    """Join directly when approveJoin is not enabled."""
    owner, bob = user(context), user(context)
    board, closed = board_of(context, owner), board_of(context, owner, APPROVE_JOIN)
    with context.measured():
        mine = joining.join(context.db, bob, board.board_id)
    assert context.db.run(design.Membership(board_id=board.board_id, user_id=bob.user_id)) == mine
    expect_error(Conflict, lambda: joining.join(context.db, bob, board.board_id))
    expect_error(Conflict, lambda: joining.join(context.db, bob, closed.board_id))


@PROOFS("F4")
def request_to_join(context: ProofContext) -> None:
    """Request to join: question, answer, expiry."""
    board, bob = board_of(context, user(context), APPROVE_JOIN), user(context)
    expect_error(Invalid, lambda: joining.request_to_join(context.db, bob, board.board_id), field="answer")
    with context.measured():
        request = joining.request_to_join(context.db, bob, board.board_id, "I want to contribute")
    assert request.question == "Why do you want to join?"
    assert request.expires_at - int(request.created_at.timestamp()) == 3 * 86_400
    expect_error(Conflict, lambda: joining.request_to_join(context.db, bob, board.board_id, "again"))


@PROOFS("F5")
def approve(context: ProofContext) -> None:
    """Approve: membership comes and request goes, by owner, manager or permission holder."""
    ada, bob, eve = user(context), user(context), user(context)
    board = board_of(context, ada, APPROVE_JOIN)
    (service,) = context.db.all(design.ServicesOfBoardNow(board_id=board.board_id))
    holder = member(context, board)
    joining.request_to_join(context.db, bob, board.board_id, "let me in")
    expect_error(Forbidden, lambda: joining.approve(context.db, eve, board.board_id, bob.user_id))
    expect_error(Forbidden, lambda: joining.approve(context.db, holder, board.board_id, bob.user_id))
    permissions.grant(context.db, ada, board.board_id, service.service_id, holder.user_id)
    with context.measured():
        theirs = joining.approve(context.db, holder, board.board_id, bob.user_id)
    assert context.db.run(design.Membership(board_id=board.board_id, user_id=bob.user_id)) == theirs
    assert context.db.run(design.JoinRequest(board_id=board.board_id, user_id=bob.user_id)) is None
    expect_error(Conflict, lambda: joining.request_to_join(context.db, bob, board.board_id, "once more"))


@PROOFS("F6")
def reject_and_cancel(context: ProofContext) -> None:
    """Reject or cancel a request."""
    ada, bob = user(context), user(context)
    board = board_of(context, ada, APPROVE_JOIN)
    joining.request_to_join(context.db, bob, board.board_id, "first")
    eve = member(context, board)
    expect_error(Forbidden, lambda: joining.reject(context.db, eve, board.board_id, bob.user_id))
    expect_error(Forbidden, lambda: joining.join_request(context.db, eve, board.board_id, bob.user_id))
    with context.measured():
        joining.reject(context.db, ada, board.board_id, bob.user_id)
        joining.request_to_join(context.db, bob, board.board_id, "second")
        joining.cancel(context.db, bob, board.board_id)
    expect_error(NotFound, lambda: joining.cancel(context.db, bob, board.board_id))
    expect_error(NotFound, lambda: joining.approve(context.db, ada, board.board_id, bob.user_id))


@PROOFS("F7")
def expire(context: ProofContext) -> None:
    """A request expires by TTL, and is invisible at once, swept or not."""
    ada, bob = user(context), user(context)
    board = board_of(context, ada, APPROVE_JOIN)
    joining.request_to_join(context.db, bob, board.board_id, "slow")
    context.clock.advance(timedelta(days=3))
    with context.measured():
        assert not joining.requests_of_board(context.db, ada, board.board_id).items
        assert not joining.my_requests(context.db, bob).items
        expect_error(NotFound, lambda: joining.approve(context.db, ada, board.board_id, bob.user_id))


@PROOFS("F8")
def request_again(context: ProofContext) -> None:
    """Request again after expiry."""
    board, bob = board_of(context, user(context), APPROVE_JOIN), user(context)
    joining.request_to_join(context.db, bob, board.board_id, "first")
    context.clock.advance(timedelta(days=3))
    with context.measured():
        again = joining.request_to_join(context.db, bob, board.board_id, "second")
    assert context.db.run(design.JoinRequest(board_id=board.board_id, user_id=bob.user_id)) == again
    expect_error(Conflict, lambda: joining.request_to_join(context.db, bob, board.board_id, "third"))


@PROOFS("F9")
def my_lists(context: ProofContext) -> None:
    """List my boards and my requests."""
    owner = user(context)
    open_board, closed = board_of(context, owner), board_of(context, owner, APPROVE_JOIN)
    bob = member(context, open_board)
    joining.request_to_join(context.db, bob, closed.board_id, "this one too")
    with context.measured():
        context.eventually(
            lambda: (
                [membership.board_id for membership in members.my_boards(context.db, bob)]
                == [open_board.board_id]
            )
        )
        context.eventually(
            lambda: (
                [request.board_id for request in joining.my_requests(context.db, bob)] == [closed.board_id]
            )
        )
    expect_error(Forbidden, lambda: joining.requests_of_board(context.db, bob, closed.board_id))
    expect_error(Forbidden, lambda: members.members(context.db, bob, closed.board_id))
    expect_error(Forbidden, lambda: members.membership(context.db, bob, closed.board_id, owner.user_id))


@PROOFS("F10")
def change_roles(context: ProofContext) -> None:
    """Change roles, transfer ownership, leave, kick."""
    ada = user(context)
    board = board_of(context, ada)
    bob, eve = member(context, board, Role.MANAGER), member(context, board)
    expect_error(
        Forbidden, lambda: members.change_role(context.db, bob, board.board_id, eve.user_id, Role.MANAGER)
    )
    expect_error(Conflict, lambda: members.leave(context.db, ada, board.board_id))
    manager, zoe = member(context, board, Role.MANAGER), member(context, board)
    expect_error(Forbidden, lambda: members.kick(context.db, eve, board.board_id, zoe.user_id))
    expect_error(Forbidden, lambda: members.kick(context.db, manager, board.board_id, bob.user_id))
    expect_error(Forbidden, lambda: members.transfer(context.db, bob, board.board_id, bob.user_id))
    expect_error(Conflict, lambda: members.kick(context.db, bob, board.board_id, ada.user_id))
    with expect_error(Invalid, field="role"):
        members.change_role(context.db, ada, board.board_id, ada.user_id, Role.MEMBER)
    with expect_error(Invalid, field="role"):
        members.change_role(context.db, ada, board.board_id, eve.user_id, Role.OWNER)
    for person in (manager, zoe):
        members.leave(context.db, person, board.board_id)
    with context.measured():
        members.kick(context.db, bob, board.board_id, eve.user_id)
        members.transfer(context.db, ada, board.board_id, bob.user_id)
        members.change_role(context.db, bob, board.board_id, ada.user_id, Role.MEMBER)
        members.leave(context.db, ada, board.board_id)
    there = members.members(context.db, bob, board.board_id)
    assert [(member.user_id, member.role) for member in there] == [(bob.user_id, Role.OWNER)]
    assert authorization.board_of(context.db, board.board_id).owner_id == bob.user_id


@PROOFS("F11")
def enable_and_disable(context: ProofContext) -> None:
    """Enable and disable services: rows and enabledServices in step, one default a type."""
    ada = user(context)
    board = board_of(context, ada)
    with context.measured():
        first, second = (services.enable_service(context.db, ada, board.board_id, TRADES) for _ in range(2))
        permissions.grant(context.db, ada, board.board_id, first.service_id, ada.user_id)
        services.disable_service(context.db, ada, board.board_id, first.service_id)
    assert not context.db.all(design.UsersOfService(board_id=board.board_id, service_id=first.service_id))
    assert (first.is_default, second.is_default) == (True, False)
    assert services.default_service(context.db, ada, board.board_id, TRADES).service_id == second.service_id
    assert authorization.board_of(context.db, board.board_id).enabled_services == [TRADES]
    services.disable_service(context.db, ada, board.board_id, second.service_id)
    assert authorization.board_of(context.db, board.board_id).enabled_services == []
    expect_error(
        Invalid,
        lambda: services.enable_service(context.db, ada, board.board_id, "unheardOf"),
        field="serviceType",
    )


@PROOFS("F12")
def configure(context: ProofContext) -> None:
    """Edit service config with validation by type."""
    ada = user(context)
    board = board_of(context, ada, APPROVE_JOIN, TRADES)
    approval = services.default_service(context.db, ada, board.board_id, APPROVE_JOIN)
    trades = services.default_service(context.db, ada, board.board_id, TRADES)
    with context.measured():
        changed = services.configure(
            context.db, ada, board.board_id, approval.service_id, {"ttlDays": 7, "askQuestion": False}
        )
    assert changed.config == ApproveJoinConfig(ttl_days=7, ask_question=False)
    assert services.service(context.db, ada, board.board_id, approval.service_id) == changed
    eve = user(context)
    expect_error(Forbidden, lambda: services.services(context.db, eve, board.board_id))
    expect_error(Forbidden, lambda: services.service(context.db, eve, board.board_id, approval.service_id))
    expect_error(Forbidden, lambda: services.default_service(context.db, eve, board.board_id, TRADES))
    request = joining.request_to_join(context.db, user(context), board.board_id)
    assert request.expires_at - int(request.created_at.timestamp()) == 7 * 86_400
    joining.approve(context.db, ada, board.board_id, request.user_id)
    bob = context.caller(request.user_id)
    expect_error(
        Forbidden,
        lambda: services.configure(
            context.db,
            bob,
            board.board_id,
            approval.service_id,
            {"ttlDays": 1, "askQuestion": False},
        ),
    )

    def set_to(config: dict[str, Any]) -> Callable[[], object]:
        return lambda: services.configure(context.db, ada, board.board_id, approval.service_id, config)

    expect_error(Invalid, set_to({"ttlDays": 0, "askQuestion": False}), field="config.ttlDays")
    expect_error(Invalid, set_to({"askQuestion": False}), field="config.ttlDays")
    expect_error(Invalid, set_to({"ttlDays": 3, "askQuestion": True}), field="config")
    expect_error(
        Invalid,
        lambda: services.configure(context.db, ada, board.board_id, trades.service_id, {"ttlDays": 3}),
        field="config.ttlDays",
    )


@PROOFS("F13")
def grant_and_revoke(context: ProofContext) -> None:
    """Grant and revoke service permission, with grantedAt and grantedBy."""
    ada = user(context)
    board = board_of(context, ada)
    made = services.enable_service(context.db, ada, board.board_id, TRADES)
    bob, eve = member(context, board, Role.MANAGER), member(context, board)
    permission = (board.board_id, made.service_id, eve.user_id)
    expect_error(Forbidden, lambda: permissions.grant(context.db, bob, *permission))
    with context.measured():
        granted = permissions.grant(context.db, ada, *permission)
    assert (granted.granted_by, granted.granted_at) == (ada.user_id, context.db.now())
    assert permissions.permission(context.db, eve, *permission) == granted
    expect_error(Forbidden, lambda: permissions.permitted_users(context.db, eve, *permission[:2]))
    expect_error(Forbidden, lambda: permissions.revoke(context.db, bob, *permission))
    outsider = (*permission[:2], user(context).user_id)
    expect_error(Conflict, lambda: permissions.grant(context.db, ada, *outsider), field="userId")
    permissions.revoke(context.db, ada, *permission)
    expect_error(NotFound, lambda: permissions.permission(context.db, eve, *permission))


@PROOFS("F14")
def seed_catalogue(context: ProofContext) -> None:
    """Seed the catalogue by hand, as often as one likes."""
    service_type = context.unique_id("type").replace("-", "")
    entry = design.AvailableService(service_type=service_type, display_name="Seeded", description="by hand")
    with context.measured():
        assert catalogue.seed(context.db, ADMIN, [entry]) == [entry]
    context.db.update(entry, set={"display_name": "Edited"})
    assert catalogue.seed(context.db, ADMIN, [entry]) == []
    assert catalogue.entry(context.db, service_type).display_name == "Edited"
    expect_error(Forbidden, lambda: catalogue.seed(context.db, user(context)))


@PROOFS("F15")
def table_names(context: ProofContext) -> None:
    """Table names from one place, with legacy variables that have the last word."""
    with context.measured():
        for table in context.db.design.tables:
            name = context.db.context.table_name(table)
            context.db.connection.call("DescribeTable", {"TableName": name})
            assert name.endswith(table.physical_name())
    assert design.boards.variable == "BOARDS_TABLE"
    before = os.environ.get(design.boards.variable)
    try:
        os.environ[design.boards.variable] = "legacy-boards"
        assert design.boards.physical_name() == "legacy-boards"
        os.environ[design.boards.variable] = "no name"
        expect_error(errors.DesignError, design.boards.physical_name)
    finally:
        del os.environ[design.boards.variable]
        if before is not None:
            os.environ[design.boards.variable] = before


@PROOFS("F16")
def fall_back(context: ProofContext) -> None:
    """Ask the index first, and scan without it in development only."""
    ada = user(context)
    board = board_of(context, ada)
    bare = without_indexes(context).db
    users.register(bare, ada, "ada")
    scanned = boards.create_board(bare, ada, "Without indexes", ())
    with context.measured():
        context.eventually(lambda: list(boards.owned_boards(context.db, ada)) == [board])
        assert list(boards.owned_boards(bare, ada)) == [scanned]
    production = connect(
        bare.design, bare.connection, environment="production", prefix=bare.context.prefix, create=False
    )
    expect_error(errors.ValidationError, lambda: boards.owned_boards(production, ada))


@PROOFS("F17")
def rename(context: ProofContext) -> None:
    """Rename user and board: the old name is free."""
    ada, eve = user(context), user(context)
    board = board_of(context, ada)
    old = users.my_profile(context.db, ada).user_name
    expect_error(Forbidden, lambda: boards.rename_board(context.db, eve, board.board_id, "Mine"))
    with context.measured():
        users.rename(context.db, ada, context.unique_id("user"))
        boards.rename_board(context.db, ada, board.board_id, context.unique_id("board"))
    assert users.rename(context.db, eve, old).user_name == old
    assert boards.create_board(context.db, eve, board.board_name, ()).board_name == board.board_name
    taken = users.my_profile(context.db, ada).user_name
    expect_error(Conflict, lambda: users.rename(context.db, eve, taken), field="userName")


@PROOFS("F18")
def delete(context: ProofContext) -> None:
    """Delete board and user, with all that belongs to them."""
    ada, eve = user(context), user(context)
    board = board_of(context, ada, APPROVE_JOIN)
    (service,) = context.db.all(design.ServicesOfBoardNow(board_id=board.board_id))
    bob = member(context, board)
    permissions.grant(context.db, ada, board.board_id, service.service_id, bob.user_id)
    joining.request_to_join(context.db, eve, board.board_id, "too late")
    context.eventually(lambda: boards.owned_boards(context.db, ada).items)
    expect_error(Conflict, lambda: users.delete_account(context.db, ada))
    expect_error(Forbidden, lambda: boards.delete_board(context.db, bob, board.board_id))
    with context.measured():
        boards.delete_board(context.db, ada, board.board_id)
    assert boards.NAMES.is_free(context.db, board.board_name)
    _nothing_is_left(context, board, service.service_id, ada.user_id, bob.user_id, eve.user_id)
    name = users.my_profile(context.db, bob).user_name
    other = board_of(context, ada)
    joining.join(context.db, bob, other.board_id)
    used = services.enable_service(context.db, ada, other.board_id, TRADES)
    permissions.grant(context.db, ada, other.board_id, used.service_id, bob.user_id)
    assert not users.delete_account(context.db, bob)
    expect_error(NotFound, lambda: members.transfer(context.db, ada, other.board_id, bob.user_id))
    expect_error(NotFound, lambda: boards.create_board(context.db, bob, context.unique_id("board"), ()))
    assert not users.NAMES.is_free(context.db, name)
    context.clock.advance(users.GRACE)
    assert users.delete_account(context.db, bob)
    assert users.NAMES.is_free(context.db, name)
    assert context.db.run(design.Membership(board_id=other.board_id, user_id=bob.user_id)) is None
    assert permissions.permitted_users(context.db, ada, other.board_id, used.service_id).items == ()


def _nothing_is_left(context: ProofContext, board: design.Board, service_id: str, *user_ids: str) -> None:
    board_id = board.board_id
    assert context.db.run(design.BoardById(board_id=board_id)) is None
    assert not context.db.all(design.ServicesOfBoardNow(board_id=board_id))
    assert not context.db.all(design.UsersOfService(board_id=board_id, service_id=service_id))
    for user_id in user_ids:
        assert context.db.run(design.Membership(board_id=board_id, user_id=user_id)) is None
        assert context.db.run(design.JoinRequest(board_id=board_id, user_id=user_id)) is None


@PROOFS("F19")
def rows_of_the_document(context: ProofContext) -> None:
    """Work with rows as the document prints them, written by another program."""
    board_of(context, user(context))  # seeds the catalogue
    one, two, name = context.unique_id("user"), context.unique_id("user"), context.unique_id("name")
    put_documents(context, one, f"b-{one}", name)
    put_documents(
        context, two, f"b-{two}", name
    )  # the document's check by an index lets a name be written twice
    ada, bob = context.caller(one), context.caller(email=f"{name}@example.org")
    context.eventually(lambda: not users.NAMES.is_free(context.db, name))
    context.eventually(lambda: not boards.NAMES.is_free(context.db, name))
    with context.measured():
        assert users.profile_by_name(context.db, name).user_id in (one, two)
        assert boards.board_by_name(context.db, name).owner_id in (one, two)
        expect_error(Conflict, lambda: users.register(context.db, bob, name), field="userName")
    users.register(context.db, bob, context.unique_id("user"))
    expect_error(Conflict, lambda: boards.create_board(context.db, bob, name, ()), field="boardName")
    joining.request_to_join(context.db, bob, f"b-{one}", "I want to contribute")
    joining.approve(context.db, ada, f"b-{one}", bob.user_id)
    members.transfer(context.db, ada, f"b-{one}", bob.user_id)
    users.rename(context.db, ada, context.unique_id("user"))
    boards.delete_board(context.db, bob, f"b-{one}")
    migrations.migrate(context.db)  # writes the claims: then a name is taken in any spelling
    expect_error(Conflict, lambda: users.rename(context.db, bob, name.upper()), field="userName")
    expect_error(Conflict, lambda: boards.create_board(context.db, bob, name.upper(), ()), field="boardName")

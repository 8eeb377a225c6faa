"""The access patterns A1 to A22, each by the pattern of the design."""

from datetime import timedelta

from tablewright import Repository
from tablewright_systems.boards import design
from tablewright_systems.boards.index_fallback import read_all, read_one
from tablewright_systems.boards.proofs.fixtures import (
    TRADES,
    TRADES_ARCHIVE,
    board_of,
    member,
    user,
    without_indexes,
)
from tablewright_systems.boards.service import joining, permissions, services, users
from tablewright_systems.boards.values import APPROVE_JOIN, Role
from tablewright_systems.verification import ProofContext, Proofs

PROOFS = Proofs("boards")


@PROOFS("A1")
def profile_by_id(context: ProofContext) -> None:
    """Get profile by userId."""
    ada = user(context)
    with context.measured():
        profile = context.db.run(design.ProfileById(user_id=ada.user_id))
    assert profile is not None
    assert profile.email == ada.claim("email")


@PROOFS("A2")
def profile_by_user_name(context: ProofContext) -> None:
    """Look up profile by userName."""
    ada = users.my_profile(context.db, user(context))
    with context.measured():
        context.eventually(
            lambda: context.db.all(design.ProfilesByUserName(user_name=ada.user_name)) == [ada]
        )


@PROOFS("A3")
def user_name_is_free(context: ProofContext) -> None:
    """Check userName is free."""
    ada = users.my_profile(context.db, user(context))
    with context.measured():
        holder = context.db.run(design.UserNameClaim(user_name=ada.user_name.upper()))
    assert holder == ada
    assert users.NAMES.is_free(context.db, context.unique_id("user"))


@PROOFS("A4")
def board_by_id(context: ProofContext) -> None:
    """Get board by id."""
    board = board_of(context, user(context), APPROVE_JOIN)
    with context.measured():
        assert context.db.run(design.BoardById(board_id=board.board_id)) == board


@PROOFS("A5")
def boards_of_owner(context: ProofContext) -> None:
    """List boards owned by user."""
    ada = user(context)
    first = board_of(context, ada)
    context.clock.advance(timedelta(seconds=1))
    second = board_of(context, ada)
    board_of(context, user(context))
    with context.measured():
        context.eventually(
            lambda: context.db.all(design.BoardsOfOwner(owner_id=ada.user_id)) == [second, first]
        )


@PROOFS("A6")
def board_by_name(context: ProofContext) -> None:
    """Check and look up board by name."""
    board = board_of(context, user(context))
    with context.measured():
        context.eventually(
            lambda: context.db.all(design.BoardsByName(board_name=board.board_name)) == [board]
        )
        holder = context.db.run(design.BoardNameClaim(board_name=f" {board.board_name.upper()}"))
    assert holder == board


@PROOFS("A7")
def members_of_board(context: ProofContext) -> None:
    """List members of a board."""
    ada = user(context)
    board = board_of(context, ada)
    bob = member(context, board)
    with context.measured():
        there = context.db.all(design.MembersOfBoard(board_id=board.board_id))
    assert {member.user_id for member in there} == {ada.user_id, bob.user_id}


@PROOFS("A8")
def membership_and_role(context: ProofContext) -> None:
    """Is user member, and in which role."""
    board = board_of(context, user(context))
    bob = member(context, board, Role.MANAGER)
    with context.measured():
        theirs = context.db.run(design.Membership(board_id=board.board_id, user_id=bob.user_id))
        others = context.db.run(design.Membership(board_id=board.board_id, user_id=context.unique_id()))
    assert theirs is not None
    assert theirs.role is Role.MANAGER
    assert others is None


@PROOFS("A9")
def boards_of_user(context: ProofContext) -> None:
    """List boards a user belongs to."""
    owner = user(context)
    bob = member(context, board_of(context, owner))
    mine = board_of(context, bob)
    with context.measured():
        context.eventually(lambda: len(context.db.all(design.BoardsOfUser(user_id=bob.user_id))) == 2)
    assert mine.board_id in {
        board.board_id for board in context.db.all(design.BoardsOfUser(user_id=bob.user_id))
    }


@PROOFS("A10")
def requests_of_board(context: ProofContext) -> None:
    """List pending join requests of a board."""
    board = board_of(context, user(context), APPROVE_JOIN)
    joining.request_to_join(context.db, user(context), board.board_id, "too early")
    context.clock.advance(timedelta(days=4))
    pending = joining.request_to_join(context.db, user(context), board.board_id, "in time")
    with context.measured():
        assert context.db.all(design.RequestsOfBoard(board_id=board.board_id)) == [pending]


@PROOFS("A11")
def join_request(context: ProofContext) -> None:
    """Get one join request."""
    board = board_of(context, user(context), APPROVE_JOIN)
    bob = user(context)
    asked = joining.request_to_join(context.db, bob, board.board_id, "I want to contribute to the project")
    with context.measured():
        assert context.db.run(design.JoinRequest(board_id=board.board_id, user_id=bob.user_id)) == asked


@PROOFS("A12")
def requests_of_user(context: ProofContext) -> None:
    """List a user's join requests."""
    owner, bob = user(context), user(context)
    expired, pending = (board_of(context, owner, APPROVE_JOIN) for _ in range(2))
    joining.request_to_join(context.db, bob, expired.board_id, "too early")
    context.clock.advance(timedelta(days=4))
    asked = joining.request_to_join(context.db, bob, pending.board_id, "in time")
    with context.measured():
        context.eventually(lambda: context.db.all(design.RequestsOfUser(user_id=bob.user_id)) == [asked])


@PROOFS("A13")
def catalogue_entry(context: ProofContext) -> None:
    """Get a catalogue entry by type."""
    board_of(context, user(context))
    with context.measured():
        entry = context.db.run(design.ServiceByType(service_type=APPROVE_JOIN))
    assert entry is not None
    assert entry.display_name == "Need approval to join"


@PROOFS("A14")
def whole_catalogue(context: ProofContext) -> None:
    """List the service catalogue."""
    board_of(context, user(context))
    with context.measured():
        types = {entry.service_type for entry in context.db.all(design.ServiceCatalogue())}
    assert {APPROVE_JOIN, TRADES, TRADES_ARCHIVE} <= types


@PROOFS("A15")
def services_of_board(context: ProofContext) -> None:
    """List all services of a board."""
    board = board_of(context, user(context), TRADES, APPROVE_JOIN)

    def types() -> list[str]:
        there = context.db.all(design.ServicesOfBoard(board_id=board.board_id))
        return [service.service_type for service in there]

    with context.measured():
        context.eventually(lambda: types() == [APPROVE_JOIN, TRADES])


@PROOFS("A16")
def services_by_type(context: ProofContext) -> None:
    """List services of a board by type, without types that only share the prefix."""
    board = board_of(context, user(context), TRADES, TRADES_ARCHIVE)

    def types() -> list[str]:
        there = context.db.all(design.ServicesOfBoardByType(board_id=board.board_id, service_type=TRADES))
        return [service.service_type for service in there]

    with context.measured():
        context.eventually(lambda: types() == [TRADES])


@PROOFS("A17")
def board_of_service(context: ProofContext) -> None:
    """Find owning board and config by serviceId."""
    ada = user(context)
    made = services.enable_service(context.db, ada, board_of(context, ada).board_id, APPROVE_JOIN)
    with context.measured():
        context.eventually(lambda: context.db.run(design.BoardOfService(service_id=made.service_id)) == made)


@PROOFS("A18")
def service_setting(context: ProofContext) -> None:
    """Get one service setting."""
    ada = user(context)
    made = services.enable_service(context.db, ada, board_of(context, ada).board_id, APPROVE_JOIN)
    with context.measured():
        setting = context.db.run(design.ServiceSetting(board_id=made.board_id, service_id=made.service_id))
    assert setting == made


@PROOFS("A19")
def default_service(context: ProofContext) -> None:
    """Find the default service of a type on a board."""
    ada = user(context)
    board = board_of(context, ada, TRADES)
    second = services.enable_service(context.db, ada, board.board_id, TRADES)
    chosen = services.make_default(context.db, ada, board.board_id, second.service_id)
    with context.measured():
        default = context.db.run(design.DefaultService(board_id=board.board_id, service_type=TRADES))
    assert default == chosen


@PROOFS("A20")
def users_of_service(context: ProofContext) -> None:
    """List users permitted on a service."""
    ada = user(context)
    board = board_of(context, ada)
    made = services.enable_service(context.db, ada, board.board_id, TRADES)
    granted = [
        permissions.grant(context.db, ada, board.board_id, made.service_id, member(context, board).user_id)
        for _ in range(2)
    ]
    with context.measured():
        there = context.db.all(design.UsersOfService(board_id=board.board_id, service_id=made.service_id))
    assert sorted(there, key=lambda permission: permission.user_id) == sorted(
        granted, key=lambda permission: permission.user_id
    )


@PROOFS("A21")
def permission_on_service(context: ProofContext) -> None:
    """Does user have permission on service."""
    ada = user(context)
    board = board_of(context, ada)
    made = services.enable_service(context.db, ada, board.board_id, TRADES)
    bob = member(context, board)
    asked = design.ServicePermission(board_id=board.board_id, service_id=made.service_id, user_id=bob.user_id)
    assert context.db.run(asked) is None
    granted = permissions.grant(context.db, ada, board.board_id, made.service_id, bob.user_id)
    with context.measured():
        assert context.db.run(asked) == granted


@PROOFS("A22")
def without_index(context: ProofContext) -> None:
    """Read the same without indexes, in development."""
    tables = without_indexes(context)
    bare = tables.db
    ada, bob = user(tables), user(tables)
    first = board_of(tables, ada)
    context.clock.advance(timedelta(seconds=1))
    board = board_of(tables, ada, TRADES, APPROVE_JOIN)
    asked = joining.request_to_join(bare, bob, board.board_id, "without an index")
    with context.measured():
        assert read_all(bare, design.BoardsOfOwner(owner_id=ada.user_id)) == [board, first]
        mine = read_all(bare, design.BoardsOfUser(user_id=ada.user_id))
        assert [membership.board_id for membership in mine] == [board.board_id, first.board_id]
        assert read_all(bare, design.RequestsOfUser(user_id=bob.user_id)) == [asked]
        there = read_all(bare, design.ServicesOfBoard(board_id=board.board_id))
        assert [setting.service_type for setting in there] == [APPROVE_JOIN, TRADES]
    _finds_one_without_index(bare, ada.user_id, board)


def _finds_one_without_index(bare: Repository, user_id: str, board: design.Board) -> None:
    profile = bare.run(design.ProfileById(user_id=user_id))
    assert profile is not None
    assert read_all(bare, design.ProfilesByUserName(user_name=profile.user_name)) == [profile]
    assert read_all(bare, design.BoardsByName(board_name=board.board_name)) == [board]
    (service,) = read_all(bare, design.ServicesOfBoardByType(board_id=board.board_id, service_type=TRADES))
    assert read_one(bare, design.BoardOfService(service_id=service.service_id)) == service

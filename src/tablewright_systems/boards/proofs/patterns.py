"""The access patterns A1 to A22, each by the pattern of the design."""

from datetime import timedelta
from typing import Any

from tablewright import Query, Repository
from tablewright_systems.boards.design import (
    BoardById,
    BoardByName,
    BoardNameClaim,
    BoardOfService,
    BoardsOfOwner,
    BoardsOfUser,
    DefaultService,
    JoinRequest,
    Membership,
    MembersOfBoard,
    ProfileById,
    ProfileByUserName,
    RequestsOfBoard,
    RequestsOfUser,
    ServiceByType,
    ServiceCatalogue,
    ServicePermission,
    ServiceSetting,
    ServicesOfBoard,
    ServicesOfBoardByType,
    UserNameClaim,
    UsersOfService,
)
from tablewright_systems.boards.lists import every, found
from tablewright_systems.boards.proofs.cast import (
    TRADES,
    TRADES_ARCHIVE,
    board_of,
    member,
    user,
    without_indexes,
)
from tablewright_systems.boards.service import joining, permissions, services, users
from tablewright_systems.boards.values import APPROVE_JOIN, Role
from tablewright_systems.proofs import Proofs, Stage

PROOFS = Proofs("boards")


@PROOFS("A1", "000:20")
def profile_by_id(stage: Stage) -> None:
    """Get profile by userId."""
    ada = user(stage)
    with stage.measured():
        profile = stage.db.run(ProfileById(user_id=ada.user_id))
    assert profile is not None
    assert profile.email == ada.claim("email")


@PROOFS("A2", "000:117")
def profile_by_user_name(stage: Stage) -> None:
    """Look up profile by userName."""
    ada = users.my_profile(stage.db, user(stage))
    with stage.measured():
        stage.eventually(lambda: stage.db.run(ProfileByUserName(user_name=ada.user_name)) == ada)


@PROOFS("A3", "000:117")
def user_name_is_free(stage: Stage) -> None:
    """Check userName is free."""
    ada = users.my_profile(stage.db, user(stage))
    with stage.measured():
        holder = stage.db.run(UserNameClaim(user_name=ada.user_name.upper()))
    assert holder == ada
    assert users.is_name_free(stage.db, stage.fresh("user"))


@PROOFS("A4", "000:32")
def board_by_id(stage: Stage) -> None:
    """Get board by id."""
    board = board_of(stage, user(stage), APPROVE_JOIN)
    with stage.measured():
        assert stage.db.run(BoardById(board_id=board.board_id)) == board


@PROOFS("A5", "000:118")
def boards_of_owner(stage: Stage) -> None:
    """List boards owned by user."""
    ada = user(stage)
    first = board_of(stage, ada)
    stage.clock.advance(timedelta(seconds=1))
    second = board_of(stage, ada)
    board_of(stage, user(stage))
    with stage.measured():
        stage.eventually(lambda: stage.db.all(BoardsOfOwner(owner_id=ada.user_id)) == [second, first])


@PROOFS("A6", "000:119")
def board_by_name(stage: Stage) -> None:
    """Check and look up board by name."""
    board = board_of(stage, user(stage))
    with stage.measured():
        stage.eventually(lambda: stage.db.run(BoardByName(board_name=board.board_name)) == board)
        holder = stage.db.run(BoardNameClaim(board_name=f" {board.board_name.upper()}"))
    assert holder == board


@PROOFS("A7", "000:45")
def members_of_board(stage: Stage) -> None:
    """List members of a board."""
    ada = user(stage)
    board = board_of(stage, ada)
    bob = member(stage, board)
    with stage.measured():
        there = stage.db.all(MembersOfBoard(board_id=board.board_id))
    assert {each.user_id for each in there} == {ada.user_id, bob.user_id}


@PROOFS("A8", "000:46")
def membership_and_role(stage: Stage) -> None:
    """Is user member, and in which role."""
    board = board_of(stage, user(stage))
    bob = member(stage, board, Role.MANAGER)
    with stage.measured():
        theirs = stage.db.run(Membership(board_id=board.board_id, user_id=bob.user_id))
        others = stage.db.run(Membership(board_id=board.board_id, user_id=stage.fresh()))
    assert theirs is not None
    assert theirs.role is Role.MANAGER
    assert others is None


@PROOFS("A9", "000:120")
def boards_of_user(stage: Stage) -> None:
    """List boards a user belongs to."""
    owner = user(stage)
    bob = member(stage, board_of(stage, owner))
    mine = board_of(stage, bob)
    with stage.measured():
        stage.eventually(lambda: len(stage.db.all(BoardsOfUser(user_id=bob.user_id))) == 2)
    assert mine.board_id in {each.board_id for each in stage.db.all(BoardsOfUser(user_id=bob.user_id))}


@PROOFS("A10", "000:57")
def requests_of_board(stage: Stage) -> None:
    """List pending join requests of a board."""
    board = board_of(stage, user(stage), APPROVE_JOIN)
    joining.request_to_join(stage.db, user(stage), board.board_id, "too early")
    stage.clock.advance(timedelta(days=4))
    pending = joining.request_to_join(stage.db, user(stage), board.board_id, "in time")
    with stage.measured():
        assert stage.db.all(RequestsOfBoard(board_id=board.board_id)) == [pending]


@PROOFS("A11", "000:58")
def join_request(stage: Stage) -> None:
    """Get one join request."""
    board = board_of(stage, user(stage), APPROVE_JOIN)
    bob = user(stage)
    asked = joining.request_to_join(stage.db, bob, board.board_id, "I want to contribute to the project")
    with stage.measured():
        assert stage.db.run(JoinRequest(board_id=board.board_id, user_id=bob.user_id)) == asked


@PROOFS("A12", "000:120")
def requests_of_user(stage: Stage) -> None:
    """List a user's join requests."""
    owner, bob = user(stage), user(stage)
    expired, pending = (board_of(stage, owner, APPROVE_JOIN) for _ in range(2))
    joining.request_to_join(stage.db, bob, expired.board_id, "too early")
    stage.clock.advance(timedelta(days=4))
    asked = joining.request_to_join(stage.db, bob, pending.board_id, "in time")
    with stage.measured():
        stage.eventually(lambda: stage.db.all(RequestsOfUser(user_id=bob.user_id)) == [asked])


@PROOFS("A13", "000:70")
def catalogue_entry(stage: Stage) -> None:
    """Get a catalogue entry by type."""
    board_of(stage, user(stage))
    with stage.measured():
        entry = stage.db.run(ServiceByType(service_type=APPROVE_JOIN))
    assert entry is not None
    assert entry.display_name == "Need approval to join"


@PROOFS("A14", "000:79")
def whole_catalogue(stage: Stage) -> None:
    """List the service catalogue."""
    board_of(stage, user(stage))
    with stage.measured():
        types = {entry.service_type for entry in stage.db.all(ServiceCatalogue())}
    assert {APPROVE_JOIN, TRADES, TRADES_ARCHIVE} <= types


@PROOFS("A15", "000:125")
def services_of_board(stage: Stage) -> None:
    """List all services of a board."""
    board = board_of(stage, user(stage), TRADES, APPROVE_JOIN)

    def types() -> list[str]:
        there = stage.db.all(ServicesOfBoard(board_id=board.board_id))
        return [service.service_type for service in there]

    with stage.measured():
        stage.eventually(lambda: types() == [APPROVE_JOIN, TRADES])


@PROOFS("A16", "000:126")
def services_by_type(stage: Stage) -> None:
    """List services of a board by type, and not those whose name only begins so."""
    board = board_of(stage, user(stage), TRADES, TRADES_ARCHIVE)

    def types() -> list[str]:
        there = stage.db.all(ServicesOfBoardByType(board_id=board.board_id, service_type=TRADES))
        return [service.service_type for service in there]

    with stage.measured():
        stage.eventually(lambda: types() == [TRADES])


@PROOFS("A17", "000:130")
def board_of_service(stage: Stage) -> None:
    """Find owning board and config by serviceId."""
    ada = user(stage)
    made = services.enable_service(stage.db, ada, board_of(stage, ada).board_id, APPROVE_JOIN)
    with stage.measured():
        stage.eventually(lambda: stage.db.run(BoardOfService(service_id=made.service_id)) == made)


@PROOFS("A18", "000:85")
def service_setting(stage: Stage) -> None:
    """Get one service setting."""
    ada = user(stage)
    made = services.enable_service(stage.db, ada, board_of(stage, ada).board_id, APPROVE_JOIN)
    with stage.measured():
        setting = stage.db.run(ServiceSetting(board_id=made.board_id, service_id=made.service_id))
    assert setting == made


@PROOFS("A19", "000:89")
def default_service(stage: Stage) -> None:
    """Find the default service of a type on a board."""
    ada = user(stage)
    board = board_of(stage, ada, TRADES)
    second = services.enable_service(stage.db, ada, board.board_id, TRADES)
    chosen = services.make_default(stage.db, ada, board.board_id, second.service_id)
    with stage.measured():
        default = stage.db.run(DefaultService(board_id=board.board_id, service_type=TRADES))
    assert default == chosen


@PROOFS("A20", "000:105")
def users_of_service(stage: Stage) -> None:
    """List users permitted on a service."""
    ada = user(stage)
    board = board_of(stage, ada)
    made = services.enable_service(stage.db, ada, board.board_id, TRADES)
    granted = [
        permissions.grant(stage.db, ada, board.board_id, made.service_id, member(stage, board).user_id)
        for _ in range(2)
    ]
    with stage.measured():
        there = stage.db.all(UsersOfService(board_id=board.board_id, service_id=made.service_id))
    assert sorted(there, key=lambda each: each.user_id) == sorted(granted, key=lambda each: each.user_id)


@PROOFS("A21", "000:106")
def permission_on_service(stage: Stage) -> None:
    """Does user have permission on service."""
    ada = user(stage)
    board = board_of(stage, ada)
    made = services.enable_service(stage.db, ada, board.board_id, TRADES)
    bob = member(stage, board)
    asked = ServicePermission(board_id=board.board_id, service_id=made.service_id, user_id=bob.user_id)
    assert stage.db.run(asked) is None
    granted = permissions.grant(stage.db, ada, board.board_id, made.service_id, bob.user_id)
    with stage.measured():
        assert stage.db.run(asked) == granted


@PROOFS("A22", "000:133")
def without_index(stage: Stage) -> None:
    """Read the same without indexes, in development."""
    ada = user(stage)
    board_of(stage, ada)
    stage.clock.advance(timedelta(seconds=1))
    board = board_of(stage, ada, TRADES, APPROVE_JOIN)
    bob = user(stage)
    joining.request_to_join(stage.db, bob, board.board_id, "without an index")
    bare = without_indexes(stage.db)
    stage.eventually(lambda: len(stage.db.all(BoardsOfOwner(owner_id=ada.user_id))) == 2)
    with stage.measured():
        for pattern in (
            BoardsOfOwner(owner_id=ada.user_id),
            BoardsOfUser(user_id=ada.user_id),
            RequestsOfUser(user_id=bob.user_id),
            ServicesOfBoard(board_id=board.board_id),
            ServicesOfBoardByType(board_id=board.board_id, service_type=TRADES),
        ):
            _same(stage, bare, pattern)
    _finds_one_without_index(bare, ada.user_id, board.board_name)


def _same(stage: Stage, bare: Repository, pattern: Query[Any]) -> None:
    there = every(bare, pattern)
    assert there
    stage.eventually(lambda: every(stage.db, pattern) == there)


def _finds_one_without_index(bare: Repository, user_id: str, board_name: str) -> None:
    profile = bare.run(ProfileById(user_id=user_id))
    assert profile is not None
    assert found(bare, ProfileByUserName(user_name=profile.user_name)) == profile
    board = found(bare, BoardByName(board_name=board_name))
    assert board is not None
    (service,) = every(bare, ServicesOfBoardByType(board_id=board.board_id, service_type=TRADES))
    assert found(bare, BoardOfService(service_id=service.service_id)) == service

"""Services: what a board offers; several of one type, one of them its default (F11, F12).

The rows of BoardServiceSettings are the truth; `enabledServices` of the board repeats their types. Both change in one
transaction, which is held to the version of the board: so changes of a board's services take turns.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from tablewright import Repository, writes
from tablewright_systems.api_errors import Conflict, Invalid, NotFound
from tablewright_systems.authentication import Caller
from tablewright_systems.boards.design import (
    Board,
    BoardOfService,
    BoardServiceSetting,
    DefaultService,
    ServiceSetting,
    ServicesOfBoard,
    ServicesOfBoardByType,
    ServicesOfBoardNow,
)
from tablewright_systems.boards.lists import found, listed
from tablewright_systems.boards.service.catalogue import catalogued
from tablewright_systems.boards.service.permissions import revoke_all
from tablewright_systems.boards.service.rights import board_of, managing, require_member
from tablewright_systems.boards.service.settling import Step, settle, taking_turns, unchanged
from tablewright_systems.boards.values import CONFIGS, MOST_SERVICES, NoConfig, ServiceConfig
from tablewright_systems.pagination import ResultPage


def services(
    db: Repository,
    caller: Caller,
    board_id: str,
    service_type: str | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> ResultPage[BoardServiceSetting]:
    """The services of a board by type, or those of one type; for members."""
    require_member(db, caller, board_id)
    if service_type is None:
        return listed(db, ServicesOfBoard(board_id=board_id), limit, cursor)
    return listed(db, ServicesOfBoardByType(board_id=board_id, service_type=service_type), limit, cursor)


def service(db: Repository, caller: Caller, board_id: str, service_id: str) -> BoardServiceSetting:
    """One service of a board, as it is now; for members."""
    require_member(db, caller, board_id)
    return _setting(db, board_id, service_id)


def service_by_id(db: Repository, caller: Caller, service_id: str) -> BoardServiceSetting:
    """A service by its id alone: its board is found through an index, the rest read from the table.

    The index lags: whoever has just made a service knows its board, and asks `service`.
    """
    located = found(db, BoardOfService(service_id=service_id))
    if located is None:
        raise NotFound(f"service {service_id}")
    return service(db, caller, located.board_id, service_id)


def default_service(db: Repository, caller: Caller, board_id: str, service_type: str) -> BoardServiceSetting:
    """The default service of a type; for members."""
    require_member(db, caller, board_id)
    default = db.run(DefaultService(board_id=board_id, service_type=service_type))
    if default is None:
        raise NotFound(f"service of type {service_type} on the board")
    return default


@taking_turns
def enable_service(
    db: Repository,
    caller: Caller,
    board_id: str,
    service_type: str,
    config: Mapping[str, Any] | None = None,
) -> BoardServiceSetting:
    """Give a board another service; the first of its type is the default."""
    board = board_of(db, board_id)
    entitled = managing(db, caller, board)
    there = db.all(ServicesOfBoardNow(board_id=board_id))
    if len(there) >= MOST_SERVICES:
        raise Conflict(f"a board has at most {MOST_SERVICES} services")
    setting = BoardServiceSetting(
        board_id=board_id,
        service_type=service_type,
        is_default=all(other.service_type != service_type for other in there),
        config=first_config(service_type) if config is None else _fit(service_type, config),
    )
    settle(
        db,
        _listing(board, [*there, setting]),
        *entitled,
        catalogued(service_type),
        (writes.Create(setting), None),
    )
    return setting


@taking_turns
def disable_service(db: Repository, caller: Caller, board_id: str, service_id: str) -> None:
    """Take a service from a board, with all permissions; the oldest of its type follows a default.

    There can be more permissions than a transaction holds: they go after the service, when no new ones can come. A
    second call takes what a crash has left.
    """
    board = board_of(db, board_id)
    entitled = managing(db, caller, board)
    there = db.all(ServicesOfBoardNow(board_id=board_id))
    leaving = next((each for each in there if each.service_id == service_id), None)
    if leaving is None:
        revoke_all(db, board_id, service_id)
        raise NotFound(f"service {service_id} on the board")
    rest = [each for each in there if each is not leaving]
    heirs = [each for each in rest if leaving.is_default and each.service_type == leaving.service_type]
    settle(
        db,
        _listing(board, rest),
        *entitled,
        (writes.Delete(leaving), None),
        *(_default(heir, True) for heir in heirs[:1]),
    )
    revoke_all(db, board_id, service_id)


@taking_turns
def make_default(db: Repository, caller: Caller, board_id: str, service_id: str) -> BoardServiceSetting:
    """Make a service the default of its type, in the place of the one that was."""
    board = board_of(db, board_id)
    entitled = managing(db, caller, board)
    there = db.all(ServicesOfBoardNow(board_id=board_id))
    chosen = next((each for each in there if each.service_id == service_id), None)
    if chosen is None:
        raise NotFound(f"service {service_id} on the board")
    if chosen.is_default:
        return chosen
    before = [each for each in there if each.is_default and each.service_type == chosen.service_type]
    settle(
        db,
        _listing(board, there),
        *entitled,
        *(_default(each, False) for each in before),
        _default(chosen, True),
    )
    return chosen.changed(is_default=True)


@taking_turns
def configure(
    db: Repository, caller: Caller, board_id: str, service_id: str, config: Mapping[str, Any]
) -> BoardServiceSetting:
    """Configure a service, as its type allows; requests that wait keep the expiry and the question they have."""
    board = board_of(db, board_id)
    entitled = managing(db, caller, board)
    setting = _setting(db, board_id, service_id)
    fitting = _fit(setting.service_type, config)
    settle(
        db,
        unchanged(board),
        *entitled,
        (writes.Update(setting, set={"config": fitting}), NotFound(f"service {service_id} on the board")),
    )
    return setting.changed(config=fitting)


def first_config(service_type: str) -> ServiceConfig:
    """What a service of a type starts with."""
    return CONFIGS.get(service_type, NoConfig())


def _fit(service_type: str, config: Mapping[str, Any]) -> ServiceConfig:
    """A configuration that its type allows."""
    try:
        return type(first_config(service_type)).model_validate(config)
    except ValidationError as refusal:
        first = refusal.errors()[0]
        place = ".".join(["config", *map(str, first["loc"])])
        raise Invalid(f"{place}: {first['msg']}", field=place) from None


def _setting(db: Repository, board_id: str, service_id: str) -> BoardServiceSetting:
    setting = db.run(ServiceSetting(board_id=board_id, service_id=service_id))
    if setting is None:
        raise NotFound(f"service {service_id} on the board")
    return setting


def _listing(board: Board, there: Iterable[BoardServiceSetting]) -> Step:
    """The board names the types of its services, each once; its version moves on even if they are the same."""
    types = list(dict.fromkeys(each.service_type for each in there))
    return writes.Update(board, set={"enabled_services": types}), None


def _default(setting: BoardServiceSetting, is_default: bool) -> Step:
    return writes.Update(setting, set={"is_default": is_default}), None

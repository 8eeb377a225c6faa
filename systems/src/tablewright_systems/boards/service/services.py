"""Services of a board: several of one type are possible, one of them is the default (F11, F12).

The rows of BoardServiceSettings are the truth; `enabledServices` of the board repeats their types. Both change in one
transaction, which is held to the version of the board: so changes of a board's services take turns.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import Field

from tablewright import Repository, reads, writes
from tablewright_systems.boards import design
from tablewright_systems.boards.design import Board, BoardServiceSetting
from tablewright_systems.boards.index_fallback import read_one, read_page
from tablewright_systems.boards.service.authorization import managed_board, require_member, retrying
from tablewright_systems.boards.service.catalogue import type_exists
from tablewright_systems.boards.service.permissions import revoke_all
from tablewright_systems.boards.values import (
    APPROVAL,
    CONFIGS,
    MAX_SERVICES,
    ApproveJoinConfig,
    NoConfig,
    ServiceType,
)
from tablewright_systems.service import (
    FIRST_PAGE,
    Conflict,
    NotFound,
    require_found,
    transact,
)
from tablewright_systems.service.schemas import settings_from_json
from tablewright_systems.web import CurrentCaller, Db, PageRequest, Router, problems

router = Router("Services", "Services of a board.")

Config = Annotated[dict[str, Any], Field(examples=[APPROVAL.model_dump(by_alias=True)])]
"""Settings of a service; the example is for the approval of join requests."""


@router.get("/boards/{board_id}/services", responses=problems(403, 404), name="list_services")
def services(
    db: Db,
    caller: CurrentCaller,
    board_id: str,
    service_type: ServiceType | None = None,
    paging: PageRequest = FIRST_PAGE,
) -> reads.Page[BoardServiceSetting]:
    """List the services of a board by type, optionally of one type."""
    require_member(db, caller, board_id)
    if service_type is None:
        return read_page(db, design.ServicesOfBoard(board_id=board_id), paging)
    return read_page(db, design.ServicesOfBoardByType(board_id=board_id, service_type=service_type), paging)


@router.get("/boards/{board_id}/services/{service_id}", responses=problems(403, 404), name="get_service")
def service(db: Db, caller: CurrentCaller, board_id: str, service_id: str) -> BoardServiceSetting:
    """Get a service of a board."""
    require_member(db, caller, board_id)
    return _setting(db, board_id, service_id)


@router.get("/services/{service_id}", responses=problems(403, 404), name="find_service")
def service_by_id(db: Db, caller: CurrentCaller, service_id: str) -> BoardServiceSetting:
    """Get a service by its ID alone."""
    # The index can lag: a client that has just created a service knows its board and should call `service`.
    located = require_found(
        read_one(db, design.BoardOfService(service_id=service_id)), f"service {service_id}"
    )
    return service(db, caller, located.board_id, service_id)


@router.get(
    "/boards/{board_id}/default-services/{service_type}",
    responses=problems(403, 404),
    name="get_default_service",
)
def default_service(
    db: Db, caller: CurrentCaller, board_id: str, service_type: ServiceType
) -> BoardServiceSetting:
    """Get the default service of a type on a board."""
    require_member(db, caller, board_id)
    default = db.run(design.DefaultService(board_id=board_id, service_type=service_type))
    return require_found(default, f"service of type {service_type} on the board")


@router.post("/boards/{board_id}/services", status_code=201)
@retrying
def enable_service(
    db: Db, caller: CurrentCaller, board_id: str, service_type: ServiceType, config: Config | None = None
) -> BoardServiceSetting:
    """Enable a service on a board."""
    # The first of its type is the default.
    board, permitted = managed_board(db, caller, board_id)
    there = db.all(design.ServicesOfBoardNow(board_id=board_id))
    if len(there) >= MAX_SERVICES:
        raise Conflict(f"a board can have at most {MAX_SERVICES} services")
    setting = BoardServiceSetting(
        board_id=board_id,
        service_type=service_type,
        is_default=all(other.service_type != service_type for other in there),
        config=initial_config(service_type) if config is None else _validate(service_type, config),
    )
    transact(
        db,
        _update_types(board, [*there, setting]),
        *permitted,
        type_exists(service_type),
        writes.Create(setting),
    )
    return setting


@router.delete("/boards/{board_id}/services/{service_id}", status_code=204)
@retrying
def disable_service(db: Db, caller: CurrentCaller, board_id: str, service_id: str) -> None:
    """Disable a service of a board."""
    # The oldest one of its type succeeds a default.
    # There can be more permissions than one transaction can hold: they are deleted after the service, when none can be
    # added. After a crash, a second call deletes the rest.
    board, permitted = managed_board(db, caller, board_id)
    there = db.all(design.ServicesOfBoardNow(board_id=board_id))
    leaving = next((setting for setting in there if setting.service_id == service_id), None)
    if leaving is None:
        revoke_all(db, board_id, service_id)
        raise NotFound(f"service {service_id} on the board")
    rest = [setting for setting in there if setting is not leaving]
    heirs = [
        setting for setting in rest if leaving.is_default and setting.service_type == leaving.service_type
    ]
    transact(
        db,
        _update_types(board, rest),
        *permitted,
        writes.Delete(leaving),
        *(_default(heir, True) for heir in heirs[:1]),
    )
    revoke_all(db, board_id, service_id)


@router.put("/boards/{board_id}/services/{service_id}/default", name="make_service_default")
@retrying
def make_default(db: Db, caller: CurrentCaller, board_id: str, service_id: str) -> BoardServiceSetting:
    """Make a service the default of its type on the board."""
    board, permitted = managed_board(db, caller, board_id)
    there = db.all(design.ServicesOfBoardNow(board_id=board_id))
    chosen = next((setting for setting in there if setting.service_id == service_id), None)
    if chosen is None:
        raise NotFound(f"service {service_id} on the board")
    if chosen.is_default:
        return chosen
    before = [
        setting for setting in there if setting.is_default and setting.service_type == chosen.service_type
    ]
    transact(
        db,
        _update_types(board, there),
        *permitted,
        *(_default(setting, False) for setting in before),
        _default(chosen, True),
    )
    return chosen.changed(is_default=True)


@router.put("/boards/{board_id}/services/{service_id}/config", name="configure_service")
@retrying
def configure(
    db: Db, caller: CurrentCaller, board_id: str, service_id: str, config: Config
) -> BoardServiceSetting:
    """Configure a service; the allowed settings depend on its type."""
    # Pending requests keep their expiry and question.
    board, permitted = managed_board(db, caller, board_id)
    setting = _setting(db, board_id, service_id)
    valid = _validate(setting.service_type, config)
    transact(
        db,
        writes.Check(board),
        *permitted,
        writes.Update(
            setting, set={"config": valid}, otherwise=NotFound(f"service {service_id} on the board")
        ),
    )
    return setting.changed(config=valid)


def initial_config(service_type: str) -> ApproveJoinConfig | NoConfig:
    """Return the initial configuration of a service type."""
    return CONFIGS.get(service_type, NoConfig())


def _validate(service_type: str, config: Mapping[str, Any]) -> ApproveJoinConfig | NoConfig:
    """Validate a configuration for its service type."""
    return settings_from_json(type(initial_config(service_type)), config, "config")


def _setting(db: Repository, board_id: str, service_id: str) -> BoardServiceSetting:
    setting = db.run(design.ServiceSetting(board_id=board_id, service_id=service_id))
    return require_found(setting, f"service {service_id} on the board")


def _update_types(board: Board, there: Iterable[BoardServiceSetting]) -> writes.Write:
    """Update the list of service types of the board; this increments its version even if the list is equal."""
    types = list(dict.fromkeys(setting.service_type for setting in there))
    return writes.Update(board, set={"enabled_services": types})


def _default(setting: BoardServiceSetting, is_default: bool) -> writes.Write:
    return writes.Update(setting, set={"is_default": is_default})

"""The operations of DynamoDB's API: those of the core one file each, those of a feature in its folder.

A module has one operation, several of one family in `OPERATIONS`, or both. For one operation it has:

    NAME    the name in DynamoDB's API
    SHAPE   the members of a request (see `engine.core.requests.shapes`)
    MODE    "read" (each statement sees the newest commit), "snapshot" (all see the same), "write",
            "steps" (for work that takes long: `run` reads, and returns the function that does the work, of `Sessions`),
            or "by request" (one of the first three: the `mode` of the parsed request)
    parse   returns the parsed request, a frozen value; checks everything that needs no table
    run     runs the parsed request in a session and returns the reply
    LAYER   the validation layer whose error messages it uses, if not NEWER (see `core.requests.scalars`)
    PLANS   True when it plans a job, which continues after the reply (see `engine.core.jobs`)
    prepare  for an operation that COUNTS: completes the parsed request before the transaction begins. Nothing but the
            storage is used inside of `run`: no sockets, no files, no waiting
    COUNTS  True when the reply to this write contains counts of the table: they are computed before the write
    API     the target prefix of its service, when that is not DynamoDB itself
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from threading import Lock
from types import ModuleType
from typing import Any, Literal

from tablewright.engine.core.plugs import OPERATIONS
from tablewright.engine.core.requests.scalars import Layer
from tablewright.engine.core.requests.shapes import Shape
from tablewright.engine.core.requests.unsupported import OPERATIONS_OF_FEATURES
from tablewright.engine.core.state.engine_state import EngineState
from tablewright.errors import UnknownOperation

Access = Literal["read", "snapshot", "write"]
Mode = Access | Literal["by request", "steps"]
Reply = dict[str, Any]

DYNAMODB = "DynamoDB_20120810"

MODULES = (
    "batch_execute_statement",
    "batch_get_item",
    "batch_write_item",
    "create_table",
    "delete_item",
    "delete_table",
    "describe_endpoints",
    "describe_limits",
    "describe_table",
    "execute_statement",
    "execute_transaction",
    "get_item",
    "list_tables",
    "list_tags_of_resource",
    "put_item",
    "query",
    "scan",
    "tag_resource",
    "transact_get_items",
    "transact_write_items",
    "untag_resource",
    "update_item",
    "update_table",
)
"""The operations of the core; the others belong to features."""

NOT_IMPLEMENTED: tuple[str, ...] = ()
"""Operations of AWS that belong to no feature and are not implemented: today none."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the API."""

    name: str
    shape: Shape
    mode: Mode
    parse: Callable[[dict[str, Any]], Any]
    run: Callable[[Any, Any], Reply]
    layer: Layer = Layer.NEWER
    api: str = DYNAMODB
    plans_job: bool = False
    counts: bool = False
    prepare: Callable[[EngineState, Any], Any] | None = None


def _operations(module: ModuleType) -> tuple[Operation, ...]:
    family: tuple[Operation, ...] = getattr(module, "OPERATIONS", ())
    if not hasattr(module, "NAME"):
        return family
    operation = Operation(
        module.NAME,
        module.SHAPE,
        module.MODE,
        module.parse,
        module.run,
        layer=getattr(module, "LAYER", Layer.NEWER),
        api=getattr(module, "API", DYNAMODB),
        plans_job=getattr(module, "PLANS", False),
        counts=getattr(module, "COUNTS", False),
        prepare=getattr(module, "prepare", None),
    )
    return (operation, *family)


OPERATIONS.update({name.title().replace("_", ""): f"{__name__}.{name}" for name in MODULES})
_LOADED: dict[str, Operation] = {}
_LOADING = Lock()


def find_operation(name: str) -> Operation | None:
    """The operation of that name, or None. Its module is imported on first use: importing all doubles the start time.

    >>> find_operation("GetItem").mode, find_operation("Nonsense")
    ('read', None)
    """
    operation = _LOADED.get(name)
    if operation is None and name in OPERATIONS:
        # One import at a time: pytest parses imported modules with `ast`, which fails at random in threads of Python
        # 3.11 (SystemError: AST constructor recursion depth mismatch).
        with _LOADING:
            _LOADED.update({loaded.name: loaded for loaded in _operations(import_module(OPERATIONS[name]))})
        operation = _LOADED[name]
    return operation


def unknown_operation(name: str) -> UnknownOperation:
    """The error for a name that `find_operation` does not find: AWS's, or one that names what is not implemented.

    >>> unknown_operation("Nonsense").message
    ''
    """
    is_absent = name in OPERATIONS_OF_FEATURES and name not in OPERATIONS
    return UnknownOperation(
        f"{name} is not implemented by Tablewright" if is_absent or name in NOT_IMPLEMENTED else ""
    )

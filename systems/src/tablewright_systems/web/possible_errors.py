"""Which errors an endpoint can send, found in its source: what its service raises is what the API documents.

The search follows names: from the endpoint to the functions that it calls, and so on, inside of `tablewright_systems`.
Each class of `service.errors` that one of these functions names is an error of the endpoint; a call that writes to the
store adds the errors of writes. So the list can contain an error that a condition prevents. It never lacks an error
that a called function raises by name.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from types import FunctionType, ModuleType
from typing import Any, get_args

from fastapi.dependencies.models import Dependant

from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import ApiError

_PACKAGE = "tablewright_systems"
_WRITES = {"create", "put", "update", "delete", "upsert", "add", "move", "transact", "retrying"}
_REQUIRES_ITEM = {"update", "delete", "add", "move", "get_or_raise", "transact"}


def possible_statuses(dependant: Dependant) -> frozenset[int]:
    """Return the statuses of the errors that an endpoint, with its dependencies, can send."""
    found = frozenset(_statuses(dependant.call)) if dependant.call else frozenset()
    return found.union(*map(possible_statuses, dependant.dependencies))


def _statuses(function: Callable[..., Any]) -> set[int]:
    found: set[int] = set()
    seen: set[FunctionType] = set()
    waiting = [function]
    while waiting:
        each = inspect.unwrap(waiting.pop())
        if isinstance(each, FunctionType) and each not in seen and _is_ours(each):
            seen.add(each)
            statuses, calls = _named_in(each)
            found |= statuses
            waiting += calls
    return found


@cache
def _named_in(function: FunctionType) -> tuple[frozenset[int], tuple[FunctionType, ...]]:
    """Return the statuses of the errors that a function names, and the functions that it names."""
    statuses: set[int] = set()
    functions: list[FunctionType] = []
    scope = _scope_of(function)
    tree = _tree(function)
    paths = list(_dotted_names(tree))
    raised = {
        node.exc.func
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)
    }
    if any(isinstance(each, ast.Name) and scope.get(each.id) is ApiError for each in raised):
        statuses.add(ApiError.status)
    used = {"__init__", "__post_init__"}.union(*(path[1:] for path in paths))
    for path in paths:
        statuses |= _statuses_of_store_call(path)
        found = _resolve(scope, path)
        if isinstance(found, type) and issubclass(found, ApiError) and found is not ApiError:
            statuses.add(found.status)
        elif found is Caller:
            continue  # a caller is an annotated parameter: each call of a method names it
        elif isinstance(found, type) and _is_ours(found):
            methods = {name: each for name, each in vars(found).items() if isinstance(each, FunctionType)}
            functions += [method for name, method in methods.items() if name in used]
        elif isinstance(found, FunctionType):
            functions.append(found)
        elif isinstance(found, ApiError):
            statuses.add(found.status)
    return frozenset(statuses), tuple(functions)


def _statuses_of_store_call(path: tuple[str, ...]) -> set[int]:
    if len(path) < 2:
        return set()
    return ({409} if path[-1] in _WRITES else set()) | ({404} if path[-1] in _REQUIRES_ITEM else set())


def _scope_of(function: FunctionType) -> dict[str, Any]:
    """Return what names mean inside a function: globals, closure, its own class, and those of its parameters."""
    closure = inspect.getclosurevars(function).nonlocals
    parameters = {
        name: _class_of(function.__globals__, hint) for name, hint in function.__annotations__.items()
    }
    owner = function.__globals__.get(function.__qualname__.partition(".")[0])
    itself = {"self": owner} if isinstance(owner, type) and _is_ours(owner) else {}
    kinds = {name: kind for name, kind in parameters.items() if kind}
    return function.__globals__ | dict(closure) | itself | kinds


def _class_of(scope: dict[str, Any], hint: Any) -> type | None:
    kinds = [hint, *get_args(hint)]
    return next((kind for kind in kinds if isinstance(kind, type) and _is_ours(kind)), None)


def _dotted_names(tree: ast.AST) -> Iterator[tuple[str, ...]]:
    """Return the names in a function: `Conflict` as ("Conflict",), `users.register` as ("users", "register")."""
    for node in ast.walk(tree):
        path: list[str] = []
        while isinstance(node, ast.Attribute):
            path.insert(0, node.attr)
            node = node.value
        if isinstance(node, ast.Name):
            yield (node.id, *path)


def _resolve(scope: dict[str, Any], path: tuple[str, ...]) -> Any:
    """Return the object that a dotted name means, or None; properties and descriptors are not run."""
    found = scope.get(path[0])
    for name in path[1:]:
        if isinstance(found, ModuleType):
            found = vars(found).get(name)
        elif found is None:
            return None
        else:
            owner = found if isinstance(found, type) else type(found)
            if not _is_ours(owner):
                return None
            found = inspect.getattr_static(owner, name, None)
            if isinstance(found, classmethod | staticmethod):
                found = found.__func__
            elif isinstance(found, property):
                found = found.fget
    return found


def _is_ours(thing: Any) -> bool:
    return str(getattr(thing, "__module__", "")).startswith(_PACKAGE)


def _tree(function: FunctionType) -> ast.AST:
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, SyntaxError):  # no source, or a lambda inside of another expression
        return ast.Module([], [])

"""Method names: methods of other libraries, and the method of a repository that does the same."""

from typing import TYPE_CHECKING

from tablewright.design.argument_errors import suggestion

_ELSEWHERE = {
    "get": "run, which returns None if there is no entity, or get_or_raise",
    "get_item": "run",
    "query": "run, or all for every page",
    "scan": "run, or all for every page",
    "find": "run",
    "fetch": "run",
    "execute": "run for a pattern, transact for writes",
    "list": "all",
    "insert": "create",
    "save": "put, or update for some fields",
    "put_item": "put",
    "set": "update",
    "increment": "add",
    "remove": "delete",
    "cascade": "delete_with_owned",
    "delete_all": "delete_with_owned for an entity with what it owns, batch for many entities",
    "delete_cascade": "delete_with_owned",
    "delete_tree": "delete_with_owned",
    "batch_get": "get_all",
    "batch_write": "batch",
    "transaction": "transact",
    "retry": "retrying",
}


class MethodNames:
    """Names the method that was probably meant, when a repository has none of that name."""

    __slots__ = ()

    if not TYPE_CHECKING:  # a type checker would accept every name

        def __getattr__(self, name: str) -> object:
            kind = type(self)
            if name.startswith("_"):
                raise AttributeError(
                    f"{kind.__name__!r} object has no attribute {name!r}", name=name, obj=self
                )
            known = [method for method in dir(kind) if not method.startswith("_")]
            hint = f"use {_ELSEWHERE[name]}" if name in _ELSEWHERE else suggestion(name, known)
            raise AttributeError(f"{kind.__name__} has no method {name}; {hint}", name=name, obj=self)

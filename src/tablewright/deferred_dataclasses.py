"""Frozen dataclasses whose methods are compiled at first use.

The standard decorator writes and compiles the source of seven methods for each class when its module is imported: half
a millisecond a class, which was a quarter of the time of importing Tablewright. Most programs use few of the classes.

`dataclass` gives a class its slots at once, and makes it frozen. Everything else is made later: when the constructor,
`==`, `hash`, `repr`, `match`, `pickle`, `dataclasses.fields` or `inspect.signature` looks at the class for the first
time, the standard decorator is applied to the class as it was written, and its methods move to the class with slots.
From then on the class is as the standard decorator makes it, and as fast. A class with other options, or with
annotations that are not fields, is made by the standard decorator at once.

Type checkers see the standard decorator.
"""

import dataclasses
import sys
import threading
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

_DEFERRED = (
    "__init__",
    "__repr__",
    "__eq__",
    "__hash__",
    "__match_args__",
    *(("__replace__",) if sys.version_info >= (3, 13) else ()),
    "__getstate__",
    "__setstate__",
    "__dataclass_fields__",
    "__dataclass_params__",
)
_OWN_METHODS = {"__eq__", "__hash__", "__setattr__", "__delattr__", "__slots__"}
"""A class with one of these is made by the standard decorator, which has rules for each."""

_compiling = threading.RLock()  # reentrant: a class compiles those that it inherits from


class _Deferred:
    """An attribute of a class that the standard decorator makes when something looks at it."""

    __slots__ = ("_class", "_name", "_options", "_written")

    def __init__(self, cls: type, name: str, written: type, options: dict[str, Any]) -> None:
        self._class = cls
        self._name = name
        self._written = written
        self._options = options

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        with _compiling:
            if vars(self._class)[self._name] is self:  # otherwise another thread has compiled the class
                self._compile()
        attribute = vars(self._class)[self._name]
        bind = getattr(type(attribute), "__get__", None)
        return attribute if bind is None else bind(attribute, instance, owner)

    def _compile(self) -> None:
        compiled = vars(dataclasses.dataclass(**self._options)(self._written))
        for name, attribute in tuple(vars(self._class).items()):
            if isinstance(attribute, _Deferred):
                setattr(self._class, name, compiled[name])


def _deferred_dataclass(cls: type | None = None, /, **options: Any) -> Any:
    """Make a class a dataclass; for the options see `dataclasses.dataclass`."""
    if cls is None:
        return lambda written: _deferred_dataclass(written, **options)
    if not _is_deferrable(cls, options):
        return dataclasses.dataclass(**options)(cls)
    made = _frozen_with_slots(cls)
    left_out = {f"__{option}__" for option, is_wanted in options.items() if not is_wanted}
    for name in _DEFERRED:
        if name not in vars(cls) and name not in left_out:
            setattr(made, name, _Deferred(made, name, cls, options))
    return made


def _is_deferrable(cls: type, options: dict[str, Any]) -> bool:
    is_usual = options.keys() <= {"frozen", "slots", "init", "repr"} and not _OWN_METHODS & vars(cls).keys()
    if not (is_usual and options.get("frozen") and options.get("slots") and sys.version_info < (3, 14)):
        return False  # Python 3.14 evaluates annotations later
    return not any(
        word in str(annotation)
        for annotation in _annotations(cls).values()
        for word in ("InitVar", "KW_ONLY")
    )


def _annotations(cls: type) -> dict[str, Any]:
    own: dict[str, Any] = vars(cls).get("__annotations__", {})
    return own


def _frozen_with_slots(cls: type) -> type:
    """The class with slots for its fields, as the standard decorator makes it, and without their defaults."""
    names = {name: None for name, kind in _annotations(cls).items() if "ClassVar" not in str(kind)}.keys()
    inherited = set(chain.from_iterable(vars(base).get("__slots__", ()) for base in cls.__mro__[1:-1]))
    left_out = names | {"__dict__", "__weakref__"}  # these two belong to the class as it was written
    members = {name: member for name, member in vars(cls).items() if name not in left_out}

    def set_attribute(self: object, name: str, value: object) -> None:
        if type(self) is made or name in made.__dataclass_fields__:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(made, self).__setattr__(name, value)

    def delete_attribute(self: object, name: str) -> None:
        if type(self) is made or name in made.__dataclass_fields__:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(made, self).__delattr__(name)

    members |= {
        "__qualname__": cls.__qualname__,
        "__slots__": tuple(name for name in names if name not in inherited),
        "__setattr__": set_attribute,
        "__delattr__": delete_attribute,
    }
    made: Any = type(cls)(cls.__name__, cls.__bases__, members)
    return cast(type, made)


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    dataclass = _deferred_dataclass

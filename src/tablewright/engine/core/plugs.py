"""Plugs: the places at which features add something to the core, and the registry of features.

A feature is a folder of `engine.features` whose `__init__` has a `FEATURE`; `engine.feature_list` registers them. The
core imports no feature. It declares plugs, each beside the code that uses it, and a feature gives parts to them:

    SWEEPS: Plug[Sweep] = Plug()                              in the core
    FEATURE = Feature(name="ttl", parts=(SWEEPS.part(sweep_expired),))    in the folder

The order of the list of features is the order of the parts in every plug. `after` names the features that must come
before one; a list in another order is rejected. Modules of operations and jobs are named, not imported: they are loaded
at their first use, because importing all doubles the start time.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")


class Part(NamedTuple):
    """What a feature gives to a plug."""

    plug: "Plug[Any]"
    value: Any


class Plug(Generic[T]):
    """A place in the core with a part of each feature that has one."""

    __slots__ = ("parts",)

    def __init__(self) -> None:
        self.parts: tuple[T, ...] = ()

    def part(self, value: T) -> Part:
        """A part for this plug."""
        return Part(self, value)

    def __iter__(self) -> Iterator[T]:
        return iter(self.parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """What one feature adds."""

    name: str
    """The name of its folder."""
    needs: tuple[str, ...] = ()
    """The features whose modules it may import; they come before it in the list."""
    after: tuple[str, ...] = ()
    """The features that come before it in the list, where both exist: order matters inside a plug."""
    operations: Mapping[str, str] = field(default_factory=dict)
    """Its operations, each with its module in the folder."""
    jobs: Mapping[str, str] = field(default_factory=dict)
    """The kinds of its jobs, each with its module in the folder."""
    members: tuple[str, ...] = ()
    """The members of a table's stored definition, and of its description, that belong to it."""
    found_by: tuple[str, ...] = ()
    """Those of the members by which the catalog finds tables."""
    records: tuple[str, ...] = ()
    """The kinds of its job records."""
    parts: tuple[Part, ...] = ()

    def module(self, name: str) -> str:
        """The dotted name of a module in the folder."""
        return f"tablewright.engine.features.{self.name}.{name}"


OPERATIONS: dict[str, str] = {}
"""Every operation with the dotted name of its module."""
JOBS: dict[str, str] = {}
"""Every kind of job with the dotted name of its module."""
OWNERS: dict[str, str] = {}
"""The feature of each member of definitions, and of each kind of records and jobs."""
FOUND_BY: list[str] = []
"""The members by which the catalog finds tables."""
PRESENT: list[str] = []
"""The names of the registered features, in order."""


def register(features: Iterable[Feature]) -> None:
    """Add features to the engine, in order."""
    listed = tuple(features)
    require_order(listed)
    for feature in listed:
        PRESENT.append(feature.name)
        OPERATIONS.update({name: feature.module(module) for name, module in feature.operations.items()})
        JOBS.update({kind: feature.module(module) for kind, module in feature.jobs.items()})
        OWNERS.update(dict.fromkeys((*feature.members, *feature.records, *feature.jobs), feature.name))
        FOUND_BY.extend(feature.found_by)
        for part in feature.parts:
            part.plug.parts = (*part.plug.parts, part.value)


def require_order(features: Sequence[Feature]) -> None:
    """Reject a list with a feature twice, or before one that it needs or must follow.

    >>> require_order([Feature(name="kinesis", after=("ttl",)), Feature(name="ttl")])
    Traceback (most recent call last):
    ValueError: feature 'kinesis' must come after 'ttl' in the list
    >>> require_order([Feature(name="kinesis", after=("ttl",))])
    """
    names = [feature.name for feature in features]
    for place, feature in enumerate(features):
        if names.count(feature.name) > 1:
            raise ValueError(f"feature {feature.name!r} is in the list twice")
        for name in feature.needs:
            if name not in names[:place]:
                raise ValueError(f"feature {feature.name!r} needs {name!r}, earlier in the list")
        for name in feature.after:
            if name in names[place:]:
                raise ValueError(f"feature {feature.name!r} must come after {name!r} in the list")

"""Plugs: what a feature adds to the core, and the registry of the features.

A feature is a folder of `engine.features` whose `__init__` has a `FEATURE`. `engine.feature_list` registers them. The
core asks this registry, and imports no feature. Modules of operations and jobs are named, not imported: they are loaded
at their first use, because importing all doubles the start time.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """What one feature adds."""

    name: str
    """The name of its folder."""
    operations: Mapping[str, str] = field(default_factory=dict)
    """Its operations, each with its module in the folder."""
    jobs: Mapping[str, str] = field(default_factory=dict)
    """The kinds of its jobs, each with its module in the folder."""

    def module(self, name: str) -> str:
        """The dotted name of a module in the folder."""
        return f"tablewright.engine.features.{self.name}.{name}"


OPERATIONS: dict[str, str] = {}
"""Every operation with the dotted name of its module."""
JOBS: dict[str, str] = {}
"""Every kind of job with the dotted name of its module."""


def register(features: Iterable[Feature]) -> None:
    """Add features to the engine."""
    for feature in features:
        OPERATIONS.update({name: feature.module(module) for name, module in feature.operations.items()})
        JOBS.update({kind: feature.module(module) for kind, module in feature.jobs.items()})

"""Designs: the tables, entities and access patterns of one system.

The library itself uses some tables of a design besides the key table: one for each environment, if the other tables
have one for each.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from importlib import import_module
from itertools import chain
from types import ModuleType
from typing import Any, TypeVar

import pydantic

from tablewright.design.entities.entities import Entity
from tablewright.design.entities.migrations import Migration, in_order
from tablewright.design.entities.references import (
    DeclaredReference,
    Ownership,
    list_owned,
    resolve_references,
)
from tablewright.design.layouts.layouts import EntityType, Layout, StoredModel, is_abstract
from tablewright.design.patterns import Pattern
from tablewright.design.plans.plans import PatternType, Plan
from tablewright.design.problems import Problem
from tablewright.design.tables import Table
from tablewright.errors import DesignError

T = TypeVar("T")


class Design:
    """The tables, entities and access patterns of one system.

        design = Design("collabhub", entities=[User, Startup], patterns=[UserById, UsersByRole])

    `Design.of(module)` collects them from a module.

    - `suppress` lists findings that are known and accepted, each with its reason: `{"TW401:Message": "small rooms"}`.
    - `key_table` stores the encryption keys of secret fields. A design with secret fields gets one, named after the
      design, unless it is given; its key is always `owner` and `context`.
    - `migrations` are the data migrations, in order: a list, or the name of a module that defines them. The module is
      imported on first use, so that it can import the design.
    """

    # Type checkers infer a list of classes in a variable as a list of their metaclass, so that is what is taken.
    def __init__(
        self,
        name: str,
        *,
        entities: Iterable[EntityType] = (),
        patterns: Iterable[PatternType] = (),
        tables: Iterable[Table] = (),
        suppress: Mapping[str, str] | None = None,
        key_table: Table | None = None,
        migrations: Iterable[Migration] | str = (),
    ) -> None:
        self.name = name
        self.suppress = dict(suppress or {})
        self.entities = tuple(dict.fromkeys(_classes(name, "entities", entities, Entity)))
        self.patterns = tuple(dict.fromkeys(_classes(name, "patterns", patterns, Pattern)))
        _check_types(self.entities)
        self.references = resolve_references(name, self.entities)
        """The fields that contain the key of another entity, with where they lead to."""
        self._owned = list_owned(self.references)
        used: list[Table] = [
            *tables,
            *(entity.layout.table for entity in self.entities),
            *(p.__plan__.table for p in self.patterns),
        ]
        if key_table is None and any(entity.layout.secrets for entity in self.entities):
            key_table = _key_table(name, used)
        self.key_table = key_table
        self.tables: tuple[Table, ...] = tuple(dict.fromkeys([*used, *([key_table] if key_table else [])]))
        _check_tables(name, self.tables)
        self._migrations = migrations if isinstance(migrations, str) else in_order(migrations)

    def __repr__(self) -> str:
        return f"Design({self.name!r}, {len(self.tables)} tables, {len(self.entities)} entities)"

    @cached_property
    def migrations(self) -> tuple[Migration, ...]:
        """The data migrations, in the order in which they run."""
        if not isinstance(self._migrations, str):
            return self._migrations
        try:
            module = import_module(self._migrations)
        except ImportError as error:
            raise DesignError(
                f"{self.name} has its migrations in {self._migrations}, which cannot be imported: {error}"
            ) from None
        return in_order(member for member in vars(module).values() if isinstance(member, Migration))

    @property
    def plans(self) -> tuple[Plan, ...]:
        """The plans of the patterns."""
        return tuple(pattern.__plan__ for pattern in self.patterns)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Problems in tables declared literally; a design with problems cannot be connected."""
        layouts = (entity.layout.problems for entity in self.entities)
        return tuple(chain(*layouts, *(plan.problems for plan in self.plans)))

    def entities_of(self, table: Table) -> tuple[type[Entity], ...]:
        """The entities of a table."""
        return tuple(entity for entity in self.entities if entity.layout.table is table)

    def has_type(self, table: Table, type_name: str | None) -> bool:
        """Whether an entity of the design, or of one of its patterns, has that type in that table."""
        layouts = chain((entity.layout for entity in self.entities), *(plan.layouts for plan in self.plans))
        return any(layout.table is table and layout.type_name == type_name for layout in layouts)

    def sharing_key_with(self, layout: Layout) -> tuple[type[Entity], ...]:
        """The entities of other types whose items can have the same primary keys: their templates have one shape."""
        return tuple(
            entity
            for entity in self.entities_of(layout.table)
            if entity.layout.type_name != layout.type_name
            and entity.layout.primary.shape == layout.primary.shape
        )

    def references_of(self, entity: type[StoredModel]) -> tuple[DeclaredReference, ...]:
        """The references of an entity."""
        return tuple(reference for reference in self.references if reference.entity is entity)

    def owned_by(self, entity: type[StoredModel]) -> tuple[Ownership, ...]:
        """What an entity owns, class by class, and how it is listed."""
        return self._owned.get(entity, ())

    @classmethod
    def of(
        cls, module: ModuleType, name: str | None = None, suppress: Mapping[str, str] | None = None
    ) -> "Design":
        """Collect the tables, entities, patterns and migrations that a module defines; abstract bases are left out."""
        members = [
            member
            for member in vars(module).values()
            if getattr(member, "__module__", None) == module.__name__
        ]
        return cls(
            name or module.__name__.rpartition(".")[2],
            entities=[member for member in members if _is(member, Entity) and not is_abstract(member)],
            patterns=[member for member in members if _is(member, Pattern) and hasattr(member, "__plan__")],
            tables=[member for member in vars(module).values() if isinstance(member, Table)],
            suppress=suppress,
            migrations=[member for member in vars(module).values() if isinstance(member, Migration)],
        )

    @classmethod
    def load(cls, name: str) -> "Design":
        """The design `"module:name"`, or everything in `"module"`, for the command line."""
        module_name, _, attribute = name.partition(":")
        if "/" in module_name or module_name.endswith(".py"):
            dotted = module_name.removeprefix("./").removesuffix(".py").replace("/", ".")
            raise DesignError(f"{module_name} is a path; give the module as in a Python import: {dotted}")
        try:
            module = import_module(module_name)
        except ImportError as error:
            raise DesignError(
                f"cannot import {module_name}: {error}{_import_hint(error, module_name)}"
            ) from None
        except DesignError as error:
            place = source_line(error)
            raise DesignError(f"{place}: {error}" if place else str(error)) from error
        if not attribute:
            return cls.of(module)
        design = getattr(module, attribute, None)
        if not isinstance(design, Design):
            known = [variable for variable, member in vars(module).items() if isinstance(member, Design)]
            raise DesignError(_no_design(module_name, attribute, design, known))
        return design


def source_line(error: BaseException) -> str | None:
    """The line of the user's code that an error comes from, or None: `shop/design.py:12`.

    Pydantic creates the classes of entities and patterns, so its lines are not the user's either.
    """
    from pathlib import Path
    from traceback import extract_tb

    hidden = (str(Path(__file__).parents[1]), str(Path(pydantic.__file__).parent), "<")
    lines = [line for line in extract_tb(error.__traceback__) if not line.filename.startswith(hidden)]
    lines = [line for line in lines if Path(line.filename).parent.name != "importlib"]
    if not lines:
        return None
    path = Path(lines[-1].filename)
    shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    return f"{shown}:{lines[-1].lineno}"


def _import_hint(error: ImportError, module_name: str) -> str:
    """What to do about a module that cannot be imported: itself, or what it imports."""
    if error.name is not None and f"{module_name}.".startswith(f"{error.name}."):
        return "; give the module as in a Python import, and run the command in the folder of the project"
    place = source_line(error)
    return f" ({place})" if place else ""


def _no_design(module_name: str, attribute: str, value: object, known: list[str]) -> str:
    what = "no variable" if value is None else f"an instance of {type(value).__name__}, not a Design, as"
    if isinstance(value, type):
        what = f"the class {value.__name__}, not a Design, as"
    fix = (
        f"its designs are: {', '.join(known)}"
        if known
        else f"add {attribute} = Design(..., entities=[...], patterns=[...]), "
        f"or collect all classes of the module with: {module_name}"
    )
    return f"{module_name} has {what} {attribute}; {fix}"


def _classes(design: str, argument: str, classes: Iterable[object], base: type[T]) -> Iterator[type[T]]:
    """The entities or patterns; instances and other classes are rejected."""
    for kind in classes:
        if not isinstance(kind, type) or not issubclass(kind, base):
            shown = kind.__name__ if isinstance(kind, type) else f"an instance of {type(kind).__name__}"
            fix = (
                f"write {type(kind).__name__}"
                if isinstance(kind, base)
                else f"list classes in {argument}=[...]"
            )
            raise DesignError(
                f"{design} has {shown} among its {argument}, which is not a class of them; {fix}"
            )
        yield kind


def _check_types(entities: Iterable[type[Entity]]) -> None:
    """Reject two entities of one table with one type: items of one would be read as the other."""
    owners: dict[tuple[Table, str], type[Entity]] = {}
    for entity in entities:
        layout = entity.layout
        if layout.table.literal:
            continue
        copies, locks = (copy.copy.type for copy in layout.copies), (lock.type_name for lock in layout.locks)
        for kind in {layout.type_name, *copies, *locks} - {None}:
            owner = owners.setdefault((layout.table, str(kind)), entity)
            if owner is not entity:
                raise DesignError(
                    f"{owner.__name__} and {entity.__name__} both have the type {kind!r} in {layout.table.name}; "
                    f'give each its own: class {entity.__name__}(Entity, table=..., type="{entity.__name__.upper()}")'
                )


def _check_tables(design: str, tables: Iterable[Table]) -> None:
    """Reject two tables of one name: only the first would be created, without the indexes of the second."""
    names: set[str] = set()
    for table in tables:
        if table.name in names:
            raise DesignError(
                f"{design} has two tables named {table.name}; declare the table once, in a module of its own, "
                "and give that object to all its entities"
            )
        names.add(table.name)


def _key_table(design: str, others: Iterable[Table]) -> Table:
    """The table for the keys of secret fields; with an environment in its name if the other tables have one."""
    varies = any("{" in table.name for table in others)
    name = re.sub(r"[^a-zA-Z0-9_.-]+", "-", design)
    return Table(f"{name}-{{env}}-keys" if varies else f"{name}-keys", key=("owner", "context"))


def _is(member: Any, base: type) -> bool:
    return isinstance(member, type) and issubclass(member, base)


def checkpoint_table(design: Design) -> Table:
    """Return the checkpoint table of a design: the progress of migrations, repairs and other passes over tables."""
    return _table(design, re.sub(r"[^a-zA-Z0-9_.-]+", "-", design.name), "migrations", ("name", "place"))


def position_table(design: Design) -> Table:
    """Return the position table of a design: the last handled record of each stream consumer."""
    return _table(design, design.name, "positions", ("consumer", "place"))


def _table(design: Design, name: str, purpose: str, key: tuple[str, str]) -> Table:
    varies = any("{" in table.name for table in design.tables)
    return Table(f"{name}-{{env}}-{purpose}" if varies else f"{name}-{purpose}", key=key)

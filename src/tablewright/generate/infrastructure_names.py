"""Infrastructure names: the names of tables in infrastructure code, where the environment is a variable,
and the targets of their autoscaled capacity.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tablewright.design.billing import Autoscaled, Billing
from tablewright.design.designs import Design
from tablewright.design.tables import PLACEHOLDER, Table
from tablewright.errors import UsageError

# A placeholder environment: the variable replaces it.
ANY = "env"


def varies(design: Design, *, but_for: str = "") -> bool:
    """Whether a table name contains an environment; the placeholder `but_for` does not count."""
    return any(set(PLACEHOLDER.findall(table.name)) - {but_for} for table in design.tables)


def filled(table: Table, variable: str, **others: str) -> str:
    """The table name, with the environment replaced by a variable.

    >>> filled(Table("app-{env}-users", key="id"), "${Environment}")
    'app-${Environment}-users'
    """
    return PLACEHOLDER.sub(lambda match: others.get(match[1], variable), table.name)


def is_variable(table: Table) -> bool:
    """Whether the table name contains an environment."""
    return PLACEHOLDER.search(table.name) is not None


def words(table: Table) -> list[str]:
    """The words of a table name, without the environment.

    >>> words(Table("app-{env}-user_profiles", key="id"))
    ['app', 'user', 'profiles']
    """
    return re.findall(r"[A-Za-z0-9]+", PLACEHOLDER.sub("-", table.name))


def logical_id(table: Table) -> str:
    """A name for infrastructure code, in PascalCase.

    >>> logical_id(Table("app-{env}-user_profiles", key="id"))
    'AppUserProfilesTable'
    """
    return "".join(word[0].upper() + word[1:] for word in words(table)) + "Table"


def snake(table: Table) -> str:
    """A name for infrastructure code, in snake_case."""
    name = "_".join(words(table)).lower()
    return name if name[0].isalpha() else f"table_{name}"


def snake_case(name: str) -> str:
    """A name in snake_case.

    >>> snake_case("ByTeamRead"), snake_case("by-team")
    ('by_team_read', 'by_team')
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+", "_", name).lower()


def class_name(design: Design) -> str:
    """The name of the class that has the tables of a design.

    >>> class_name(Design("student_hub", tables=[]))
    'StudentHubTables'
    """
    name = "".join(word.capitalize() for word in re.findall(r"[A-Za-z0-9]+", design.name))
    return f"Tables{name}" if name[:1].isdigit() else f"{name}Tables"


def require_distinct(design: Design) -> None:
    """Raise `UsageError` if two tables would have one name in the code, so that one of them would be lost."""
    tables: dict[str, Table] = {}
    for table in design.tables:
        first = tables.setdefault(snake(table), table)
        if first is not table:
            raise UsageError(
                f"tables {first.name} and {table.name} would both be {snake(table)} in the code; generate them from "
                "two designs, or rename one"
            )


class Verbatim(str):
    """An expression in the target language, written without quotes."""


@dataclass(frozen=True, slots=True)
class ScalingTarget:
    """The read or write capacity of a table, or of one of its indexes."""

    kind: Literal["Read", "Write"]
    index: str | None
    least: int
    most: int
    percent: int
    """The share of the capacity that traffic should use."""

    @property
    def dimension(self) -> str:
        """The capacity, in the words of Application Auto Scaling."""
        return f"dynamodb:{'index' if self.index else 'table'}:{self.kind}CapacityUnits"

    @property
    def metric(self) -> str:
        """The measured use of the capacity."""
        return f"DynamoDB{self.kind}CapacityUtilization"

    @property
    def index_path(self) -> str:
        """The path of the index below its table."""
        return f"/index/{self.index}" if self.index else ""

    @property
    def label(self) -> str:
        """A name for the target within its table, of letters and digits."""
        return "".join(part.capitalize() for part in _words(self.index or "")) + self.kind


def _words(name: str) -> list[str]:
    return "".join(letter if letter.isalnum() else " " for letter in name).split()


def scaling_targets(table: Table) -> Iterator[ScalingTarget]:
    """The targets of a table and its global indexes."""
    capacities: list[tuple[str | None, Billing]] = [(None, table.billing)]
    capacities += [(index.name, table.billing_of(index)) for index in table.indexes if not index.local]
    for index, billing in capacities:
        if isinstance(billing, Autoscaled):
            yield ScalingTarget("Read", index, billing.read, billing.max_read, billing.target)
            yield ScalingTarget("Write", index, billing.write, billing.max_write, billing.target)

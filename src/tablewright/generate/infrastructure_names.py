"""Names: what tables are called in infrastructure code, where the environment is a variable of its own."""

import re

from tablewright.design.designs import Design
from tablewright.design.tables.tables import PLACEHOLDER, Table

# Whatever a name is filled with here is overwritten by the variable.
ANY = "env"


def varies(design: Design, *, but_for: str = "") -> bool:
    """Whether any table is called otherwise in each environment; not counting a placeholder that is `but_for`."""
    return any(set(PLACEHOLDER.findall(table.name)) - {but_for} for table in design.tables)


def filled(table: Table, variable: str, **others: str) -> str:
    """The name with another variable in the place of the environment.

    >>> filled(Table("app-{env}-users", key="id"), "${Environment}")
    'app-${Environment}-users'
    """
    return PLACEHOLDER.sub(lambda match: others.get(match[1], variable), table.name)


def is_variable(table: Table) -> bool:
    """Whether a table is called otherwise in each environment."""
    return PLACEHOLDER.search(table.name) is not None


def words(table: Table) -> list[str]:
    """What a table's name is made of, without the environment.

    >>> words(Table("app-{env}-user_profiles", key="id"))
    ['app', 'user', 'profiles']
    """
    return re.findall(r"[A-Za-z0-9]+", PLACEHOLDER.sub("-", table.name))


def logical_id(table: Table) -> str:
    """A name for infrastructure code, in capitals.

    >>> logical_id(Table("app-{env}-user_profiles", key="id"))
    'AppUserProfilesTable'
    """
    return "".join(word[0].upper() + word[1:] for word in words(table)) + "Table"


def snake(table: Table) -> str:
    """A name for infrastructure code, with underscores."""
    spelt = "_".join(words(table)).lower()
    return spelt if spelt[0].isalpha() else f"table_{spelt}"


class Verbatim(str):
    """An expression of the language that is written, not to be quoted."""

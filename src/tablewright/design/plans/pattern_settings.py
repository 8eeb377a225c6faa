"""Pattern settings: the class variables that every access pattern may set.

They are a class of their own so that a plan can name its pattern without importing `patterns`.
"""

from collections.abc import Mapping
from typing import ClassVar, dataclass_transform

from pydantic import Field, PrivateAttr
from pydantic._internal._model_construction import ModelMetaclass  # pydantic has no public name for it

from tablewright.design.argument_errors import ArgumentModel
from tablewright.design.fields.conditions import Condition
from tablewright.design.fields.rates import Rate


@dataclass_transform(kw_only_default=True, field_specifiers=(Field, PrivateAttr))
class PatternType(ModelMetaclass):
    """The type of every pattern class: `Design` takes a list of patterns by it, and type checkers their parameters."""


class PatternSettings(ArgumentModel, metaclass=PatternType):
    """The settings of an access pattern."""

    __argument_kind__ = "parameter"

    key: ClassVar[str | None] = None
    """The key condition, as a design document writes it."""
    index: ClassVar[str | None] = None
    """The index to read; if there is a key condition, it is found by the attributes in it."""
    filter: ClassVar[str | Condition | bool | None] = None
    """Which of the items to return: a DynamoDB filter expression over field names, with the pattern's parameters as
    `{name}`, or a condition in Python, with `fields.parameter("name")`. (A type checker sees a condition as a bool.)
    """
    fields: ClassVar[tuple[str, ...]] = ()
    """The fields to read; empty is all of them."""
    descending: ClassVar[bool] = False
    """Whether items are returned in descending order of the sort key: the latest, or the highest, first."""
    newest_first: ClassVar[None] = None
    """The former name of `descending`: setting it raises `DesignError`."""
    consistent: ClassVar[bool] = False
    page_size: ClassVar[int | None] = None
    """The number of entities in a page, unless a run gives a `limit`."""
    cursor_ignores: ClassVar[tuple[str, ...]] = ()
    """Parameters that may have another value on the next page, such as the current time."""
    rate: ClassVar[Rate | None] = None
    """How often it runs; used for capacity, cost and heat."""
    items: ClassVar[int | None] = None
    """The number of items that one run is expected to return."""
    suppress: ClassVar[Mapping[str, str]] = {}
    """Findings that are known and accepted: `{"TW303": "the reason"}`."""

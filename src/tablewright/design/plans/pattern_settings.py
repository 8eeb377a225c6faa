"""Pattern settings: the class variables that every access pattern may set.

They are a class of their own so that a plan can name its pattern without importing `patterns`.
"""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, dataclass_transform

from pydantic import Field, PrivateAttr
from pydantic._internal._model_construction import ModelMetaclass  # pydantic has no public name for it

from tablewright.design.argument_errors import ArgumentModel, suggestion
from tablewright.design.fields.conditions import Condition
from tablewright.design.fields.rates import Rate
from tablewright.errors import DesignError

_FORMER = {
    "newest_first": "descending",
    "items": "expected_items",
    "reverse": "descending",
    "limit": "page_size",
}
"""Settings that had another name, or have it in other libraries."""


def _unknown_setting(pattern: str, given: str, value: object, settings: Iterable[str]) -> str:
    if given in _FORMER:
        return f"{pattern} has {given} = {value!r}; write {_FORMER[given]} = {value!r}"
    hint = suggestion(
        given, sorted(each for each in settings if not each.startswith("_")), "the settings are"
    )
    stop = "" if hint.endswith("?") else "."
    written = f"{pattern} has {given} = {value!r}, which is not a setting"
    return f"{written}; {hint}{stop} A parameter has a type: {given}: str"


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(Field, PrivateAttr))
class PatternType(ModelMetaclass):
    """The type of every pattern class: `Design` takes a list of patterns by it, and type checkers their parameters."""

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **arguments: Any) -> Any:
        """Reject settings that do not exist; pydantic would only say that an annotation is missing."""
        settings: set[str] = next(
            (base.__class_vars__ for base in bases if hasattr(base, "__class_vars__")), set()
        )
        annotated = namespace.get("__annotations__", {})
        for given, value in namespace.items() if settings else ():
            if (
                given.startswith("_")
                or given in settings
                or given in annotated
                or any(hasattr(base, given) for base in bases)
            ):
                continue
            if value is None or isinstance(value, bool | int | float | str | tuple | list | dict):
                raise DesignError(_unknown_setting(name, given, value, settings))
        return super().__new__(mcs, name, bases, namespace, **arguments)


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
    consistent: ClassVar[bool] = False
    page_size: ClassVar[int | None] = None
    """The number of entities in a page, unless a run gives a `limit`."""
    cursor_ignores: ClassVar[tuple[str, ...]] = ()
    """Parameters that may have another value on the next page, such as the current time."""
    rate: ClassVar[Rate | None] = None
    """How often it runs; used for capacity, cost and heat."""
    expected_items: ClassVar[int | None] = None
    """The number of items that one run is expected to return; used for capacity and cost."""
    suppress: ClassVar[Mapping[str, str]] = {}
    """Findings that are known and accepted: `{"TW303": "the reason"}`."""

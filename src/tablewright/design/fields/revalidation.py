"""Revalidation: check a model again as its class does, with all that is inside it.

A constructor validates once. After it, a list can be changed in place, `model_copy(update=...)` takes any value under
any name, and pydantic accepts an instance of a nested model as it is. The validated copy has canonical values, and
shares no list, map or nested model with the original.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from functools import cache, cached_property
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin
from uuid import UUID

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from tablewright.design.argument_errors import suggestion
from tablewright.design.value_problems import problems_of

M = TypeVar("M", bound=BaseModel)

_ATOMS = (str, int, bool, float, bytes, Decimal, datetime, date, UUID, NoneType)
_ATOMIC = frozenset(_ATOMS)
_CONTAINERS = (list, tuple, set, frozenset, dict)


class InvalidModel(Exception):
    """A model that its class does not accept; `problems` are those of pydantic, with places under Python names."""

    def __init__(self, problems: Iterable[ErrorDetails]) -> None:
        super().__init__()
        self.problems = list(problems)

    def inside(self, part: Any) -> "InvalidModel":
        """The same problems, of a value inside of another."""
        place = part if isinstance(part, int) else str(part)
        return InvalidModel({**problem, "loc": (place, *problem["loc"])} for problem in self.problems)


def revalidated(model: M, values: Mapping[str, Any] | None = None) -> M:
    """Return a validated copy of a model, with other values of some fields; `InvalidModel` if it is not valid.

    It keeps which fields were set, and private attributes. A value that is cached by the class is left out. A default
    that was not validated when the model was made is not validated here either.

    >>> class Order(BaseModel):
    ...     total: Decimal
    >>> revalidated(Order(total=1).model_copy(update={"total": "12.5"}))
    Order(total=Decimal('12.5'))
    """
    rules = _rules(type(model))
    data = {**model.__dict__, **values} if values else {**model.__dict__}
    if not rules.names.issuperset(data):
        data = rules.declared(data)
    if model.__pydantic_extra__:
        data |= rebuilt(model.__pydantic_extra__)
    for name in rules.rebuilt:
        if name in data:
            try:
                data[name] = rebuilt(data[name])
            except InvalidModel as error:
                raise error.inside(name) from None
    given = {*model.__pydantic_fields_set__, *values} if values else {*model.__pydantic_fields_set__}
    copy: M = rules.validated(data, given)
    object.__setattr__(copy, "__pydantic_fields_set__", given)
    if model.__pydantic_private__ is not None:
        object.__setattr__(copy, "__pydantic_private__", {**model.__pydantic_private__})
    return copy


def rebuilt(value: Any) -> Any:
    """Return a value with new lists, maps and sets, and with validated copies of the models in it."""
    kind = type(value)
    if kind in _ATOMIC:
        return value
    if isinstance(value, BaseModel):
        return revalidated(value)
    if isinstance(value, dict):
        return {name: _part(name, part) for name, part in value.items()}
    if kind is list:
        return [_part(index, part) for index, part in enumerate(value)]
    if kind is tuple:
        return tuple([_part(index, part) for index, part in enumerate(value)])
    return kind(value) if kind is set or kind is bytearray else value


def _part(place: Any, value: Any) -> Any:
    try:
        return rebuilt(value)
    except InvalidModel as error:
        raise error.inside(place) from None


class _Rules:
    """How to validate the instances of one class."""

    def __init__(self, model: type[BaseModel]) -> None:
        self._model = model
        self._validate: Callable[..., Any] = model.__pydantic_validator__.validate_python
        fields = model.model_fields
        self.names = frozenset(fields)
        self.rebuilt = tuple(name for name, info in fields.items() if not _is_plain(info.annotation))
        """The fields whose values pydantic would keep as they are: models, and values of any type."""
        self._aliases: dict[Any, str] = {
            info.validation_alias or info.alias: name for name, info in fields.items()
        }
        # A map in place of a nested model may have either names. An alias that is the name of another field would be
        # read as that field.
        self._by_alias = all(
            isinstance(alias, str) and (alias == name or alias not in fields)
            for alias, name in self._aliases.items()
            if alias is not None
        )
        self._unvalidated: dict[str, Any] = {}
        """The defaults that the class itself does not accept, found when one was."""

    def declared(self, data: dict[str, Any]) -> dict[str, Any]:
        """The values of fields. Cached values of the class are left out; another name is an error."""
        for name in data.keys() - self.names:
            if not isinstance(getattr(self._model, name, None), cached_property):
                hint = suggestion(name, self.names)
                text = f"{self._model.__name__} has no field {name}; {hint}"
                raise InvalidModel([ErrorDetails(type="extra_forbidden", loc=(), msg=text, input=data[name])])
        return {name: value for name, value in data.items() if name in self.names}

    def validated(self, data: dict[str, Any], given: set[str]) -> Any:
        """A new instance."""
        for name, default in self._unvalidated.items():
            if name not in given and data.get(name, default) is default:
                data.pop(name, None)
        content = data.get("root") if self._model.__pydantic_root_model__ else data
        try:
            return self._validate(content, by_alias=self._by_alias, by_name=True)
        except ValidationError as error:
            problems = [{**each, "loc": self._named(each["loc"])} for each in problems_of(error)]
            defaults = self._invalid_defaults(problems, data, given)
            if not defaults:
                raise InvalidModel(problems) from None  # type: ignore[arg-type]
        self._unvalidated |= defaults
        return self.validated(data, given)

    def _named(self, location: tuple[int | str, ...]) -> tuple[int | str, ...]:
        return (self._aliases.get(location[0]) or location[0], *location[1:]) if location else ()

    def _invalid_defaults(
        self, problems: list[dict[str, Any]], data: dict[str, Any], given: set[str]
    ) -> dict[str, Any]:
        """The defaults among the values that were refused, by name."""
        found = {}
        for problem in problems:
            name = problem["loc"][0] if problem["loc"] else ""
            info = self._model.model_fields.get(str(name))
            if info is None or name in given or info.default_factory is not None:
                continue
            if not info.is_required() and data.get(str(name), ...) is info.default:
                found[str(name)] = info.default
        return found


@cache
def _rules(model: type[BaseModel]) -> _Rules:
    return _Rules(model)


def _is_plain(annotation: Any) -> bool:
    """Whether pydantic makes a new value of what is given for a type: no models, and nothing of any type."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _is_plain(annotation.__origin__)
    if origin is Literal:
        return True
    if origin in (Union, UnionType) or origin in _CONTAINERS:
        return all(part is ... or _is_plain(part) for part in get_args(annotation))
    return isinstance(annotation, type) and (annotation in _ATOMIC or issubclass(annotation, Enum))

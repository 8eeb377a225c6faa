"""Argument errors: a misspelt argument of an entity or a pattern is reported with the class and the nearest name.

Pydantic's own message is "Extra inputs are not permitted". The error stays a `pydantic.ValidationError` with the type
`extra_forbidden`: code that catches it, and web frameworks that turn it into a reply, need not change.

Nearest names: what a misspelt name was probably meant to be, for messages.
"""

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, cast, get_args

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic._internal._model_construction import ModelMetaclass  # pydantic has no public name for it
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError
from pydantic_core.core_schema import ErrorType


def suggestion(name: str, known: Iterable[str], otherwise: str = "it has") -> str:
    """The nearest of the known names; all of them if none is near.

    >>> suggestion("nmae", ["name", "email"])
    'did you mean name?'
    >>> suggestion("colour", ["name", "email"])
    'it has: name, email'
    """
    from difflib import get_close_matches  # loaded for a mistake only

    names = list(dict.fromkeys(known))
    close = get_close_matches(name, names, n=1)
    return f"did you mean {close[0]}?" if close else f"{otherwise}: {', '.join(names) or 'none'}"


_UNKNOWN = "extra_forbidden"
_PYDANTIC_TYPES = frozenset(get_args(ErrorType))


class ArgumentModel(BaseModel, metaclass=ModelMetaclass):
    """A model whose constructor names unknown arguments, as fields or as parameters of the class."""

    model_config = ConfigDict(defer_build=True)

    __argument_kind__: ClassVar[Literal["field", "parameter"]]

    if not TYPE_CHECKING:  # type checkers derive the parameters from the fields

        def __init__(self, /, **data: Any) -> None:
            __tracebackhide__ = True
            try:
                validated = self.__pydantic_validator__.validate_python(data, self_instance=self)
            except ValidationError as error:
                raise with_known_names(type(self), error) from None
            if validated is not self:
                warnings.warn(
                    f"a validator of {type(self).__name__} returns another object, which is ignored; return self",
                    stacklevel=2,
                )

        def __replace__(self, /, **values: Any) -> Self:
            """`copy.replace(request, limit=3)` of Python 3.13; that of pydantic would not validate the values."""
            return type(self)(**{name: getattr(self, name) for name in type(self).model_fields} | values)

        # Pydantic calls the constructor of a class in every validation, unless the constructor has this mark.
        __init__.__pydantic_base_init__ = True


def define_bases(*bases: type[ArgumentModel]) -> None:
    """End the definition of base classes of ours, which takes most of the time of importing them.

    The base classes themselves are built at first use, which never comes; the classes that users derive from them are
    built when they are defined. Pydantic evaluates the annotations of all bases for each derived class; those of class
    variables do not matter to it.
    """
    for base in bases:
        base.model_config["defer_build"] = False
        if not base.model_fields:
            base.__annotations__.clear()


def with_known_names(model: type[ArgumentModel], error: ValidationError) -> ValidationError:
    """The error of a constructor, with the class and the nearest name for each unknown argument.

    Rejected values are shown as in the given error: not at all, if the model has secrets.
    """
    problems = error.errors(include_url=False)
    if not any(_is_unknown(problem) for problem in problems):
        return error
    return ValidationError.from_exception_data(
        error.title,
        [_line(model, problem) for problem in problems],
        hide_input=model.model_config.get("hide_input_in_errors", False),
    )


def _is_unknown(problem: ErrorDetails) -> bool:
    """Whether it is an argument of the model itself, not of a model inside it."""
    return problem["type"] == _UNKNOWN and len(problem["loc"]) == 1


def _line(model: type[ArgumentModel], problem: ErrorDetails) -> InitErrorDetails:
    line: Any = {key: problem[key] for key in ("type", "loc", "input", "ctx") if key in problem}
    if _is_unknown(problem):
        name = str(problem["loc"][0])
        hint = suggestion(name, model.model_fields)
        message = f"{model.__name__} has no {model.__argument_kind__} {name}; {hint}"
        line["type"] = PydanticCustomError(_UNKNOWN, message)
    elif line["type"] not in _PYDANTIC_TYPES:  # the error of a validator; the message is complete
        line["type"] = PydanticCustomError(line["type"], problem["msg"], line.pop("ctx", None))
    return cast(InitErrorDetails, line)

"""JSON files written by hand: errors name the member and the fix."""

import json
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from tablewright.design.value_problems import describe_problems, problems_of
from tablewright.errors import UsageError


class StrictModel(BaseModel):
    """The content of a file; unknown names are errors, so that a misspelt name is found."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


M = TypeVar("M", bound=StrictModel)


def read_json(path: str | Path) -> Any:
    """The JSON in a file."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"{path} is not valid JSON: {error}") from None


def parsed(model: type[M], content: Any, where: str | Path) -> M:
    """The content as a value; `UsageError` with the first problem if it is invalid."""
    try:
        return model.model_validate(content)
    except ValidationError as error:
        first = problems_of(error)[0]
        member = ".".join(map(str, first["loc"])) or "the file"
        if first["type"] == "extra_forbidden":
            raise UsageError(f"{where}: {member} is not a known name; remove or rename it") from None
        problem = describe_problems([{**first, "loc": ()}])
        raise UsageError(f"{where}: {member} {problem}") from None

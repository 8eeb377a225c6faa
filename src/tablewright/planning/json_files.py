"""Documents: JSON files that people write by hand, read with a problem that names the place and the fix."""

import json
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from tablewright.errors import UsageError


class Strict(BaseModel):
    """What a file may say, and nothing else: a misspelt name is not passed over."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


M = TypeVar("M", bound=Strict)


def read_document(path: str | Path) -> Any:
    """The JSON in a file."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"{path} is no JSON: {error}") from None


def parsed(model: type[M], content: Any, where: str | Path) -> M:
    """The content as a value, or the first thing that is wrong with it."""
    try:
        return model.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "as a whole"
        if first["type"] == "extra_forbidden":
            raise UsageError(f"{where}: {place} is not known there; remove or rename it") from None
        raise UsageError(f"{where}: {place}: {first['msg']}") from None

"""Saved queries: files in the project, `.tablewright/queries/NAME.json` in the working directory.

They contain the text of a query, never results. A name is part of a file's name, so only safe names are accepted.
"""

import json
import os
import re
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from tablewright.console.endpoints import Body, Conflict
from tablewright.errors import UsageError

FOLDER = Path(".tablewright") / "queries"
MOST_BYTES = 100_000
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _-]{0,63}").fullmatch
# Windows gives these names to devices, with any ending.
_DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])", re.IGNORECASE).fullmatch


class SavedQuery(Body):
    """A query as its file contains it."""

    design: str
    kind: Literal["statement", "request"]
    text: str
    operation: str = "ExecuteStatement"
    description: str = ""


def list_queries(design: str, folder: Path = FOLDER) -> list[dict[str, Any]]:
    """Return the saved queries of a design by name; files that are something else are left out."""
    queries = []
    for path in sorted(folder.glob("*.json")):
        query = _read(path) if _is_name(path.stem) else None
        if query is not None and query.design == design:
            queries.append({"name": path.stem, **query.model_dump(exclude={"design"})})
    return queries


def save_query(name: str, query: SavedQuery, *, replace: bool, folder: Path = FOLDER) -> Path:
    """Write a query to its file; `Conflict` if there is one of this name and it is not to be replaced.

    Queries of other designs, and files that are no saved queries, are never replaced.
    """
    path = _path(name, folder)
    if os.path.lexists(path):
        _require_own(path, query.design, "choose another name", "choose another name")
        if not replace:
            raise Conflict(f"a query {name} is saved already; choose another name, or replace it")
    text = json.dumps(query.model_dump(), indent=2, ensure_ascii=False) + "\n"
    if len(text.encode()) > MOST_BYTES:
        raise UsageError(f"a saved query has at most {MOST_BYTES} bytes")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write(path, text)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None
    return path


def delete_query(name: str, design: str, folder: Path = FOLDER) -> bool:
    """Delete the file of a query of a design; return whether there was one.

    `Conflict` if it is a query of another design, or no saved query.
    """
    path = _path(name, folder)
    if not os.path.lexists(path):
        return False
    _require_own(path, design, "delete it there", "delete the file yourself")
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise UsageError(f"{path} cannot be deleted: {error.strerror}") from None
    return True


def _read(path: Path) -> SavedQuery | None:
    """The query in a file; None if the file is something else."""
    with suppress(OSError, ValueError, ValidationError):
        if path.is_file() and path.stat().st_size <= MOST_BYTES:  # a pipe would never end
            return SavedQuery.model_validate_json(path.read_bytes())
    return None


def _require_own(path: Path, design: str, if_other: str, if_none: str) -> None:
    query = _read(path)
    if query is None:
        raise Conflict(f"{path} is not a saved query; {if_none}")
    if query.design != design:
        raise Conflict(f"{path.stem} is a saved query of the design {query.design}; {if_other}")


def _write(path: Path, text: str) -> None:
    """Write a file as a whole; a link is replaced and not followed."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, path)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _is_name(name: str) -> bool:
    return bool(_NAME(name)) and not name.endswith(" ") and not _DEVICES(name)


def _path(name: str, folder: Path) -> Path:
    if not _is_name(name):
        raise UsageError(
            "a name has letters, digits, spaces, - and _, and begins with a letter or a digit; up to 64"
        )
    return folder / f"{name}.json"

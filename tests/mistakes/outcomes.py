"""What became of a mistake: it was refused with words that help, or it was done right. Anything else is silence."""

from collections.abc import Callable
from typing import Any, Final

from pydantic import ValidationError

from tablewright import Repository, errors
from tablewright.lifecycle.integrity import fsck

REFUSED: Final = "refused"


def outcome(action: Callable[[], Any], *words: str) -> Any:
    """What an action returns, or REFUSED if an error names all the words."""
    try:
        return action()
    except (errors.TablewrightError, ValidationError, TypeError, ValueError) as error:
        message = f"{type(error).__name__}: {error}"
        missing = [word for word in words if word.lower() not in message.lower()]
        assert not missing, f"the message does not say {missing}: {message}"
        return REFUSED


def stored(db: Repository, table: str, **key: str) -> dict[str, Any]:
    """An item as it is stored."""
    names = {name: {"S": value} for name, value in key.items()}
    return dict(db.connection.call("GetItem", {"TableName": table, "Key": names}).get("Item", {}))


def write_raw(db: Repository, table: str, item: dict[str, Any]) -> None:
    """Put an item as another program does: no keys of indexes, no copies, no locks but what it says."""
    db.connection.call("PutItem", {"TableName": table, "Item": item})


def fsck_kinds(db: Repository) -> list[str]:
    """What an integrity check reports."""
    return sorted(str(finding.kind) for finding in fsck.check(db).findings)

"""Tablewright: an embedded DynamoDB for Python, as strict as AWS.

>>> from tablewright import embedded
>>> with embedded() as db:
...     db.call("ListTables", {})
{'TableNames': []}

A name is loaded when it is first asked for, so that `import tablewright` costs next to nothing: pytest imports the
plugin in every run, also where nobody uses it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tablewright import errors
from tablewright.errors import ServiceError, StoreError, TablewrightError

if TYPE_CHECKING:
    from tablewright.connections import Connection, Embedded, embedded
    from tablewright.engine.clock import Clock
    from tablewright.engine.faults import Faults

__all__ = [
    "Clock",
    "Connection",
    "Embedded",
    "Faults",
    "ServiceError",
    "StoreError",
    "TablewrightError",
    "embedded",
    "errors",
]

_ROOMS = {
    "Clock": "tablewright.engine.clock",
    "Connection": "tablewright.connections",
    "Embedded": "tablewright.connections",
    "Faults": "tablewright.engine.faults",
    "embedded": "tablewright.connections",
}


if not TYPE_CHECKING:  # or every misspelt name would pass the checker

    def __getattr__(name: str) -> Any:
        if name not in _ROOMS:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = getattr(import_module(_ROOMS[name]), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

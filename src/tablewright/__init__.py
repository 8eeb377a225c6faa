"""Tablewright: a DynamoDB design, written once in Python, that runs in the process and on AWS alike.

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

if TYPE_CHECKING:
    from tablewright.access import events, keyrings, writes
    from tablewright.access.connecting import connect
    from tablewright.access.repository import Repository
    from tablewright.connections import Connection, embedded
    from tablewright.design import billing, fields
    from tablewright.design.designs import Design
    from tablewright.design.entities import Entity
    from tablewright.design.keys import Copy, Keys, Sparse
    from tablewright.design.patterns import BatchGet, Find, Get, Query, Scan
    from tablewright.design.tables import Index, Table
    from tablewright.engine.clock import Clock
    from tablewright.engine.faults.injector import Faults
    from tablewright.lifecycle import migrations

__all__ = [
    "BatchGet",
    "Clock",
    "Connection",
    "Copy",
    "Design",
    "Entity",
    "Faults",
    "Find",
    "Get",
    "Index",
    "Keys",
    "Query",
    "Repository",
    "Scan",
    "Sparse",
    "Table",
    "billing",
    "connect",
    "embedded",
    "errors",
    "events",
    "fields",
    "keyrings",
    "migrations",
    "writes",
]

_ROOMS = {
    "BatchGet": "tablewright.design.patterns",
    "Clock": "tablewright.engine.clock",
    "Connection": "tablewright.connections",
    "Copy": "tablewright.design.keys",
    "Design": "tablewright.design.designs",
    "Entity": "tablewright.design.entities",
    "Faults": "tablewright.engine.faults.injector",
    "Find": "tablewright.design.patterns",
    "Get": "tablewright.design.patterns",
    "Index": "tablewright.design.tables",
    "Keys": "tablewright.design.keys",
    "Query": "tablewright.design.patterns",
    "Repository": "tablewright.access.repository",
    "Scan": "tablewright.design.patterns",
    "Sparse": "tablewright.design.keys",
    "Table": "tablewright.design.tables",
    "billing": "tablewright.design",
    "connect": "tablewright.access.connecting",
    "embedded": "tablewright.connections",
    "events": "tablewright.access",
    "fields": "tablewright.design",
    "keyrings": "tablewright.access",
    "migrations": "tablewright.lifecycle",
    "writes": "tablewright.access",
}


if not TYPE_CHECKING:  # or every misspelt name would pass the checker

    def __getattr__(name: str) -> Any:
        if name not in _ROOMS:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        room = import_module(_ROOMS[name])
        # A module that nobody has loaded yet is no attribute of its room.
        found = getattr(room, name, None) or import_module(f"{_ROOMS[name]}.{name}")
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

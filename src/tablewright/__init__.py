"""Tablewright: a DynamoDB design, written once in Python, that runs in this process and on AWS.

>>> from tablewright import embedded
>>> with embedded() as db:
...     db.call("ListTables", {})
{'TableNames': []}

A name is imported on first use, so that `import tablewright` is fast: pytest imports the plugin in every run, also in
projects that do not use it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tablewright import errors

if TYPE_CHECKING:
    from tablewright.access import reads, writes
    from tablewright.access.connect import connect
    from tablewright.access.encryption import keyrings
    from tablewright.access.repository import Repository
    from tablewright.access.streams import events
    from tablewright.connections import Connection, embedded
    from tablewright.console.console import Console
    from tablewright.design import billing, fields
    from tablewright.design.designs import Design
    from tablewright.design.entities.entities import Entity
    from tablewright.design.indexes import Index, VectorIndex
    from tablewright.design.keys.keys import Copy, Keys, Sparse
    from tablewright.design.patterns import BatchGet, Find, Get, Nearest, Query, Scan
    from tablewright.design.tables import Table
    from tablewright.dynamodb.clock import Clock
    from tablewright.engine.features.faults.injector import Faults
    from tablewright.lifecycle import migrate as migrations

__all__ = [
    "BatchGet",
    "Clock",
    "Connection",
    "Console",
    "Copy",
    "Design",
    "Entity",
    "Faults",
    "Find",
    "Get",
    "Index",
    "Keys",
    "Nearest",
    "Query",
    "Repository",
    "Scan",
    "Sparse",
    "Table",
    "VectorIndex",
    "billing",
    "connect",
    "embedded",
    "errors",
    "events",
    "fields",
    "keyrings",
    "migrations",
    "reads",
    "writes",
]

_SOURCES = {
    "BatchGet": "tablewright.design.patterns",
    "Clock": "tablewright.dynamodb.clock",
    "Connection": "tablewright.connections",
    "Console": "tablewright.console.console",
    "Copy": "tablewright.design.keys.keys",
    "Design": "tablewright.design.designs",
    "Entity": "tablewright.design.entities.entities",
    "Faults": "tablewright.engine.features.faults.injector",
    "Find": "tablewright.design.patterns",
    "Get": "tablewright.design.patterns",
    "Index": "tablewright.design.indexes",
    "Keys": "tablewright.design.keys.keys",
    "Nearest": "tablewright.design.patterns",
    "Query": "tablewright.design.patterns",
    "Repository": "tablewright.access.repository",
    "Scan": "tablewright.design.patterns",
    "Sparse": "tablewright.design.keys.keys",
    "Table": "tablewright.design.tables",
    "VectorIndex": "tablewright.design.indexes",
    "connect": "tablewright.access.connect",
    "embedded": "tablewright.connections",
}
_MODULES = {
    "billing": "tablewright.design.billing",
    "events": "tablewright.access.streams.events",
    "fields": "tablewright.design.fields",
    "keyrings": "tablewright.access.encryption.keyrings",
    "migrations": "tablewright.lifecycle.migrate",
    "reads": "tablewright.access.reads",
    "writes": "tablewright.access.writes",
}


if not TYPE_CHECKING:  # a type checker would accept every misspelt name

    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            found = import_module(_MODULES[name])
        elif name in _SOURCES:
            found = getattr(import_module(_SOURCES[name]), name)
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

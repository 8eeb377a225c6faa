"""Mermaid: the partitions of tables and indexes as a flowchart, for Markdown.

Each table and each index is a group of its own: partition keys on the left, the entities that share them on the right.
No line leaves its group, so that the lines do not cross.
"""

import re
from collections.abc import Iterable, Iterator

from tablewright.design.designs import Design
from tablewright.design.tables import Table
from tablewright.generate.diagrams.partitions import DiagramEntity, DiagramPlace, places


def mermaid(design: Design, tables: Iterable[Table] | None = None) -> str:
    """A Mermaid flowchart of some tables, or of all."""
    lines = ["flowchart LR"]
    for table in design.tables if tables is None else tables:
        for place in places(design, table):
            name = _id("t", table.name) if place.name == table.name else _id("t", table.name, place.name)
            lines += _group(name, place)
    return "\n".join(lines) + "\n"


def _group(name: str, place: DiagramPlace) -> Iterator[str]:
    yield f'  subgraph {name}["{_quoted(place.name)}: {_quoted(place.keys)}"]'
    if not place.partitions:
        yield f'    {name}_none["no entities"]'
    for number, partition in enumerate(place.partitions):
        node = f"{name}_{number}"
        yield f'    {node}[("{_quoted(partition.key)}")]'
        for row, member in enumerate(partition.members):
            yield f'    {node} --- {node}_{row}["{_member(member)}"]'
    yield "  end"


def _member(member: DiagramEntity) -> str:
    return "<br/>".join(_quoted(text) for text in (member.entity, member.sort_key, member.note) if text)


def _id(*parts: str) -> str:
    return "_".join(re.sub(r"[^A-Za-z0-9]", "_", part) for part in parts)


def _quoted(text: str) -> str:
    """Text in a label: `#` begins an entity code, and a quote ends the label."""
    return text.replace("#", "#35;").replace('"', "#quot;").replace("<", "#lt;").replace(">", "#gt;")

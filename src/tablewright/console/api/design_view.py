"""The design as data: tables, indexes, entities and patterns. Every view of the page uses it."""

from typing import Any

from tablewright.console.command_lines import common_commands
from tablewright.console.endpoints import ConsoleRequest, get
from tablewright.console.open_designs import OpenDesign
from tablewright.design.fields.markers import Unique
from tablewright.design.indexes import Index, VectorIndex
from tablewright.design.layouts.field_values import type_name
from tablewright.design.layouts.layouts import FieldLayout, KeyLayout, Layout
from tablewright.design.plans.plans import Plan
from tablewright.design.tables import Table
from tablewright.generate.diagrams.partitions import projection_text


def describe_design(request: ConsoleRequest) -> dict[str, Any]:
    """Describe the whole design."""
    opened = request.design
    design = opened.design
    return {
        **opened.summary(),
        "commands": common_commands(opened),
        "tables": [_table(opened, name, table) for name, table in opened.tables.items()],
        "entities": [_entity(opened, entity.layout, number) for number, entity in enumerate(design.entities)],
        "patterns": [_pattern(opened, plan) for plan in design.plans],
    }


def _table(opened: OpenDesign, name: str, table: Table) -> dict[str, Any]:
    return {
        "name": name,
        "declared_name": table.name,
        "key": table.key,
        "types": {attribute: table.type_of(attribute) for attribute in table.key_attributes},
        "discriminator": table.discriminator,
        "ttl": table.ttl,
        "stream": table.stream,
        "point_in_time_recovery": table.point_in_time_recovery,
        "is_key_table": table is opened.design.key_table,
        "indexes": [_index(index) for index in table.indexes],
        "vector_indexes": [describe_vector_index(index) for index in table.vector_indexes],
        "entities": [entity.__name__ for entity in opened.design.entities_of(table)],
    }


def describe_vector_index(index: VectorIndex) -> dict[str, Any]:
    """Describe a vector index."""
    return {
        "name": index.name,
        "attribute": index.attribute,
        "dimensions": index.dimensions,
        "distance": index.distance,
        "partition": index.partition,
        "filters": index.filters,
        "projection": projection_text(index),
    }


def _index(index: Index) -> dict[str, Any]:
    return {
        "name": index.name,
        "partition": index.partition,
        "sort": index.sort,
        "projection": index.projection,
        "local": index.local,
    }


def _entity(opened: OpenDesign, layout: Layout, number: int) -> dict[str, Any]:
    doc = layout.entity.__doc__ or ""
    return {
        "name": layout.entity.__name__,
        "number": number,  # selects its hue
        "description": doc.strip().partition("\n")[0],
        "table": opened.db.context.table_name(layout.table),
        "type": layout.type_name,
        "keys": [_key(key) for key in (layout.primary, *layout.indexes)],
        "copies": [{"name": copy.name, "keys": [_key(key) for key in copy.keys]} for copy in layout.copies],
        "fields": [_field(field) for field in layout.fields.values()],
        "writes": layout.writes,
    }


def _key(key: KeyLayout) -> dict[str, Any]:
    return {
        "index": key.index.name if key.index else None,
        "parts": [
            {"attribute": attribute, "template": template.text, "fields": template.names}
            for attribute, template in key.parts
        ],
        "sparse": key.sparse is not None,
    }


def _field(field: FieldLayout) -> dict[str, Any]:
    return {
        "name": field.name,
        "attribute": field.stored,
        "type": type_name(field.annotation),
        "optional": field.optional,
        "secret": field.is_secret,
        "automatic": field.automatic,
        "unique": field.marker(Unique) is not None,
    }


def _pattern(opened: OpenDesign, plan: Plan) -> dict[str, Any]:
    return {
        "name": plan.name,
        "kind": plan.kind,
        "description": plan.description,
        "table": opened.db.context.table_name(plan.table),
        "index": plan.index.name if plan.index else None,
        "entities": [layout.entity.__name__ for layout in plan.layouts],
        "condition": " AND ".join(map(str, plan.clauses)),
        "filter": plan.filter.source if plan.filter else None,
        "parameters": list(plan.pattern.model_fields),
    }


ROUTES = [get("", describe_design)]

"""Vector indexes: their rows, and exact search for the nearest vectors."""

from tablewright.engine.core.plugs import Feature
from tablewright.engine.core.requests.shapes import ListOf
from tablewright.engine.core.requests.unsupported import REQUEST_MEMBERS
from tablewright.engine.core.state.catalog import OTHER_INDEXES, TABLE_EFFECTS
from tablewright.engine.core.state.engine_state import LOADED_STATES, NEW_STATES, SPACE_DROPS
from tablewright.engine.core.tables.table_descriptions import OTHER_INDEX_DESCRIPTIONS
from tablewright.engine.core.tables.table_rules import INDEX_CHECKS
from tablewright.engine.core.tables.table_updates import INDEX_UPDATE_CHECKS, INDEX_VETOES, LAST_CHANGES
from tablewright.engine.features.vectors import vector_index_updates, watched_ranges
from tablewright.engine.features.vectors.vector_index import compile_vector_indexes, vector_effect
from tablewright.engine.features.vectors.vector_index_rules import (
    VECTOR_INDEX,
    VECTOR_INDEX_UPDATES,
    describe_vector_indexes,
    require_vector_indexes,
)

FEATURE = Feature(
    name="vectors",
    operations={"SearchVectors": "search_vectors"},
    members=("VectorIndexes",),
    parts=(
        NEW_STATES.part(watched_ranges.new_ranges),
        LOADED_STATES.part(watched_ranges.forget_all_ranges),
        SPACE_DROPS.part(watched_ranges.forget_ranges),
        OTHER_INDEXES.part(compile_vector_indexes),
        TABLE_EFFECTS.part(vector_effect),
        REQUEST_MEMBERS.part(("CreateTable", "VectorIndexes", ListOf(VECTOR_INDEX))),
        REQUEST_MEMBERS.part(("UpdateTable", "VectorIndexUpdates", VECTOR_INDEX_UPDATES)),
        INDEX_CHECKS.part(require_vector_indexes),
        OTHER_INDEX_DESCRIPTIONS.part(describe_vector_indexes),
        INDEX_UPDATE_CHECKS.part(vector_index_updates.require_vector_actions),
        INDEX_VETOES.part(vector_index_updates.require_not_being_created),
        LAST_CHANGES.part(vector_index_updates.change_vector_indexes),
    ),
)

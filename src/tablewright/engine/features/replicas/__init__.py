"""Replicas: the same table in several regions, each of which can be written (global tables, version 2019.11.21)."""

from tablewright.engine.core.damage import SPACE_NAMES
from tablewright.engine.core.jobs import row_removals
from tablewright.engine.core.plugs import Feature
from tablewright.engine.core.requests.shapes import one_of
from tablewright.engine.core.requests.unsupported import REQUEST_MEMBERS
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.state.catalog import TABLE_EFFECTS, StoredTable
from tablewright.engine.core.state.engine_state import NEW_STATES
from tablewright.engine.core.sweeper import EXPIRY_VETOES
from tablewright.engine.core.table_removal import TABLE_DELETIONS, TABLE_REMOVALS
from tablewright.engine.core.tables.table_definitions import DEFINITION_CHANGES, SHARED_TABLES
from tablewright.engine.core.tables.table_descriptions import SHOWN_TABLES
from tablewright.engine.core.tables.table_updates import FIRST_CHANGES, UPDATE_CHECKS, UPDATE_QUESTIONS
from tablewright.engine.features.replicas import replica_updates
from tablewright.engine.features.replicas.replica_groups import (
    is_replicated,
    name_version_space,
    note_change,
    show_replicas,
    version_space,
)
from tablewright.engine.features.replicas.replica_progress import new_links
from tablewright.engine.features.replicas.versions import expires_elsewhere, version_effect


def _remove_versions(tx: Writing, table: StoredTable) -> None:
    if is_replicated(table):
        row_removals.remove_spaces(tx, [version_space(table)])


FEATURE = Feature(
    name="replicas",
    needs=("streams",),
    operations={
        "CreateGlobalTable": "global_tables",
        "CreateReplica": "replica_operations",
        "DeleteReplica": "replica_operations",
        "DescribeGlobalTable": "global_tables",
        "DescribeGlobalTableSettings": "global_tables",
        "DescribeTableReplicaAutoScaling": "replica_auto_scaling",
        "ListGlobalTables": "global_tables",
        "ReadReplica": "replica_operations",
        "UpdateGlobalTable": "global_tables",
        "UpdateGlobalTableSettings": "global_tables",
        "UpdateTableReplicaAutoScaling": "replica_auto_scaling",
    },
    members=("Replication",),
    found_by=("Replication",),
    parts=(
        NEW_STATES.part(new_links),
        TABLE_EFFECTS.part(version_effect),
        TABLE_DELETIONS.part(replica_updates.leave_group),
        TABLE_REMOVALS.part(_remove_versions),
        SHOWN_TABLES.part(show_replicas),
        DEFINITION_CHANGES.part(note_change),
        SHARED_TABLES.part(is_replicated),
        SPACE_NAMES.part(name_version_space),
        EXPIRY_VETOES.part(expires_elsewhere),
        REQUEST_MEMBERS.part(("UpdateTable", "ReplicaUpdates", replica_updates.REPLICA_UPDATES)),
        REQUEST_MEMBERS.part(("UpdateTable", "MultiRegionConsistency", one_of("EVENTUAL", "STRONG"))),
        UPDATE_CHECKS.part(replica_updates.require_replica_actions),
        UPDATE_QUESTIONS.part(("replicas", replica_updates.ask_peers)),
        FIRST_CHANGES.part(replica_updates.change_replicas),
    ),
)

"""Replication: one round brings the replicas of a region up to date with another region, and moves members along.

A region reads the changes of every other region of a group; no region sends them. What it read is durable together with
its position, so a process that is killed, or a region that cannot be reached, only delays replication. Changes of a
third region are passed on, so two regions converge even if they reach each other only through a third one.

A round also creates the replica of a region that joins, and deletes the replica of a region that leaves, when all its
changes were read.

Tombstones: the versions of deleted items, removed when no older write can arrive any more.

A deleted item keeps its version, so that an older write of another region does not bring it back. The version can be
removed a day later, when every other region has read the deletion, and when all changes of every other region were
read after that day: then no region has an older write of the item.

Replication loop: a thread that runs rounds of replication, often while there is something new, else less often.
"""

import logging
from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Any

from tablewright.engine.core.sessions import Reading, Sessions, Writing
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.state.sweep_timer import BackgroundThread
from tablewright.engine.features.replicas.membership import dissolve, invitation, remove_last
from tablewright.engine.features.replicas.received_changes import is_news, place_of, receive
from tablewright.engine.features.replicas.replica_groups import (
    is_replicated,
    live_members,
    other_members,
    version_space,
    with_member,
)
from tablewright.engine.features.replicas.replica_progress import Peer, links_of, replicated_tables
from tablewright.engine.features.replicas.settings_sync import apply_settings, is_settled
from tablewright.engine.features.replicas.versions import Place, deleted, entry_of, forget_deleted
from tablewright.errors import ResourceInUse, ResourceNotFound, ServiceError, TablewrightError

PAGES_AT_ONCE = 64
"""Pages of one table and region that one round reads, so that no table waits long for another."""

_log = logging.getLogger("tablewright.engine")


def replicate(sessions: Sessions, region: str) -> bool:
    """Bring all tables up to date with another region; return whether anything changed."""
    changed = False
    for name in [table.name for table in replicated_tables(sessions.state)]:
        try:
            changed |= _replicate_table(sessions, name, region)
            links_of(sessions.state).progress.note_success(name, region)
        except ServiceError as error:
            if links_of(sessions.state).progress.is_new_failure(name, region, repr(error)):
                _log.warning("table %s: replication from %s failed: %s", name, region, error)
        except TablewrightError:
            # The region cannot be reached, or this database is closed: no other table can be replicated either.
            raise
        except Exception as error:
            _report(sessions, name, region, error)
    return changed


def _report(sessions: Sessions, name: str, region: str, error: Exception) -> None:
    """Log an unexpected error of one table, once: every round would repeat it. Other tables continue."""
    if links_of(sessions.state).progress.is_new_failure(name, region, repr(error)):
        _log.error(
            "table %s: replication with %s failed; other tables continue", name, region, exc_info=error
        )


def tidy(sessions: Sessions) -> bool:
    """End the replication of tables whose other replicas have left, finish settings, and remove old deletions."""
    changed = False
    for name in [table.name for table in replicated_tables(sessions.state)]:
        try:
            changed |= _tidy_table(sessions, name)
        except TablewrightError:
            raise
        except Exception as error:
            _report(sessions, name, sessions.state.region, error)
    return changed


def _tidy_table(sessions: Sessions, name: str) -> bool:
    table = sessions.state.catalog.find(name)
    if table is None or not is_replicated(table):
        return False
    if not other_members(table.definition, sessions.state.region):
        group = table.definition["Replication"]["Group"]
        sessions.write(partial(dissolve, name=name, group=group))
        return True
    if _is_last(sessions, table):
        group = table.definition["Replication"]["Group"]
        return sessions.write(partial(remove_last, name=name, group=group))
    if not is_settled(table):
        sessions.write(partial(_settle, name=name))
        return True
    if tombstones := sessions.read(partial(aged_tombstones, table=table)):
        sessions.write(partial(remove_tombstones, table=table, tombstones=tombstones))
    return False


def _is_last(sessions: Sessions, table: StoredTable) -> bool:
    """Whether this replica leaves, and no other region has the table: no region would delete this replica."""
    own, progress = sessions.state.region, links_of(sessions.state).progress
    return live_members(table.definition).get(own, {}).get("Status") == "DELETING" and all(
        progress.is_missing(version_space(table), region) for region in other_members(table.definition, own)
    )


def _settle(tx: Writing, name: str) -> None:
    table = tx.state.catalog.find(name)
    if table is not None and is_replicated(table):
        apply_settings(tx, table)


def _replicate_table(sessions: Sessions, name: str, region: str) -> bool:
    table = sessions.state.catalog.find(name)
    peer = links_of(sessions.state).peer(region)
    if table is None or peer is None:
        return False
    member = other_members(table.definition, sessions.state.region).get(region)
    if member is None:
        return False
    if member["Status"] == "CREATING" and member["Source"] == sessions.state.region:
        try:
            peer.call("CreateReplica", invitation(table))
        except ResourceInUse as error:
            # As on AWS, a creation that fails leaves no trace.
            _log.warning("the replica of %s in %s was not created: %s", name, region, error)
            return _set_status(sessions, table, region, "DELETED")
    try:
        changed = _read_pages(sessions, peer, name, region)
        if member["Status"] == "DELETING" and _ends_member(table, sessions.state.region):
            changed |= _end_member(sessions, peer, name, region)
    except ResourceNotFound:
        _note_missing(sessions, table, region, is_missing=True)
        if member["Status"] == "DELETING":
            return _set_status(sessions, table, region, "DELETED")
        return False
    _note_missing(sessions, table, region, is_missing=False)
    return changed


def _note_missing(sessions: Sessions, table: StoredTable, region: str, *, is_missing: bool) -> None:
    links_of(sessions.state).progress.note_missing(version_space(table), region, is_missing=is_missing)


def _read_pages(sessions: Sessions, peer: Peer, name: str, region: str) -> bool:
    """Read and apply pages until there are no more; return whether anything was new."""
    changed = False
    for _ in range(PAGES_AT_ONCE):
        table = sessions.state.catalog.find(name)
        if table is None or not is_replicated(table):
            return changed
        started = sessions.state.clock.now()
        place = sessions.read(partial(_place, table=table, region=region))
        page = peer.call("ReadReplica", _request(place))
        if is_news(table, place, region, page):
            sessions.write(partial(receive, name=name, place=place, region=region, page=page))
            changed = True
        if not page["More"]:
            links_of(sessions.state).progress.note_complete(version_space(table), region, started)
            break
    return changed


def _place(tx: Reading, table: StoredTable, region: str) -> Place:
    return place_of(tx, table, region)


def _request(place: Place) -> dict[str, Any]:
    return {
        "TableName": place.table,
        "Group": place.group,
        "Region": place.region,
        "Epoch": place.epoch,
        "Number": place.number,
        "CopyFrom": None if place.copy_from is None else place.copy_from.hex(),
    }


def _ends_member(table: StoredTable, own: str) -> bool:
    """Whether this region deletes the replicas of members that leave: not if it leaves itself, unless all do."""
    members = live_members(table.definition)
    leaving = [region for region, entry in members.items() if entry["Status"] == "DELETING"]
    return own not in leaving or (len(leaving) == len(members) and own == min(leaving))


def _end_member(sessions: Sessions, peer: Peer, name: str, region: str) -> bool:
    table = sessions.state.catalog.find(name)
    if table is None or not is_replicated(table):
        return False
    place = sessions.read(partial(_place, table=table, region=region))
    request = {"TableName": name, "Group": place.group, "Number": place.number}
    return bool(peer.call("DeleteReplica", request)["Deleted"]) and _set_status(
        sessions, table, region, "DELETED"
    )


def _set_status(sessions: Sessions, table: StoredTable, region: str, status: str) -> bool:
    def change(tx: Writing) -> None:
        current = tx.state.catalog.find(table.name)
        if current is not None and is_replicated(current) and version_space(current) == version_space(table):
            own = tx.state.region
            definition = with_member(current.definition, region, tx.now(), own, {"Status": status})
            tx.state.catalog.save(tx.rows, definition)

    sessions.write(change)
    return True


def replicate_quietly(sessions: Sessions, region: str) -> bool | None:
    """As `replicate`; None when it failed, for example because the region cannot be reached."""
    try:
        return replicate(sessions, region)
    except TablewrightError as error:
        _log.debug("replication from %s is tried again later: %s", region, error)
        return None
    except Exception:
        _log.exception("replication from %s failed", region)
        return None


KEPT = 24 * 3600.0
"""Seconds for which every deletion is kept."""
_AT_ONCE = 500


def aged_tombstones(tx: Reading, table: StoredTable) -> list[tuple[bytes, bytes]]:
    """Some tombstones that can be removed, oldest first."""
    space, progress = version_space(table), links_of(tx.state).progress
    others = other_members(table.definition, tx.state.region)
    if not others:
        return []
    complete = min(progress.complete_at(space, region) for region in others)
    read = min(progress.read_by(space, region) for region in others)
    before = max(0, int((min(complete, tx.now()) - KEPT) * 1_000_000))
    tombstones: list[tuple[bytes, bytes]] = []
    for place, key in islice(deleted(tx.rows, space, before), _AT_ONCE):
        entry = entry_of(tx.rows, space, key)
        if entry is None or entry.number <= read:
            tombstones.append((place, key))
    return tombstones


def remove_tombstones(tx: Writing, table: StoredTable, tombstones: list[tuple[bytes, bytes]]) -> None:
    """Remove tombstones, unless the item was written again meanwhile."""
    space = version_space(table)
    for place, key in tombstones:
        if tx.rows.get(space, place) is not None:
            forget_deleted(tx.rows, space, place, key)


BUSY_WAIT = 0.02
"""Seconds between two rounds while changes arrive."""
IDLE_WAIT = 0.25
"""The longest time between two rounds when nothing is new."""
FAILED_WAIT = 1.0
"""Seconds until the next round after a region could not be reached."""


class ReplicationLoop(BackgroundThread):
    """Calls `run_round` until it is stopped; the result is whether anything changed, or None when it failed."""

    def __init__(self, run_round: Callable[[], bool | None], name: str) -> None:
        super().__init__(self._replicate, f"replication-{name}")
        self._run_round = run_round

    def _try_round(self) -> bool | None:
        try:
            return self._run_round()
        except Exception:
            # The next round tries again.
            _log.exception("replication failed")
            return None

    def _replicate(self) -> None:
        wait = BUSY_WAIT
        while not self.wait(wait):
            changed = self._try_round()
            if changed is None:
                wait = FAILED_WAIT
            else:
                wait = BUSY_WAIT if changed else min(IDLE_WAIT, max(BUSY_WAIT, wait * 2))

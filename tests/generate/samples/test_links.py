"""Links keep together what belongs together."""

from datetime import UTC, datetime

from tablewright import Design, Entity, Index, Keys, Query, Table, fields
from tablewright.generate.samples.sample_data import sample_data

main = Table("main", key=("PK", "SK"), indexes=[Index("children", "parentGroupId", "groupId")])
NOW = datetime(2026, 3, 18, tzinfo=UTC)


class User(Entity, table=main, type="USER"):
    user_id: str
    created_at: fields.Timestamp = fields.now()
    keys = Keys(primary=("USER#{user_id}", "PROFILE"))


class Group(Entity, table=main, type="GROUP"):
    group_id: str = fields.new_id()
    parent_group_id: str | None = None
    root_group_id: str
    members: list[str]
    created_at: fields.Timestamp = fields.now()
    keys = Keys(primary=("GROUP#{group_id}", "META"))


class Note(Entity, table=main, type="NOTE"):
    group_id: str
    note_id: str = fields.new_id()
    user_id: str
    created_at: fields.Timestamp = fields.now()
    keys = Keys(primary=("GROUP#{group_id}", "NOTE#{note_id}"))


MADE = sample_data(Design("notes", entities=[Note, Group, User]), 12, now=NOW).entities
GROUPS = {each.group_id: each for each in MADE if isinstance(each, Group)}
NOTES = [each for each in MADE if isinstance(each, Note)]


def test_authors_are_members_of_the_group() -> None:
    assert all(note.user_id in GROUPS[note.group_id].members for note in NOTES)


def test_partitions_hold_several_items() -> None:
    assert len({note.group_id for note in NOTES}) < len(NOTES)


def test_nothing_is_older_than_what_it_refers_to() -> None:
    assert all(note.created_at >= GROUPS[note.group_id].created_at for note in NOTES)


class ChildGroups(Query[Group]):
    parent_group_id: str
    index = "children"


def test_a_child_is_made_after_its_parent() -> None:
    design = Design("notes", entities=[Group, User], patterns=[ChildGroups])
    (children,) = sample_data(design, 1, now=NOW).requests
    assert children.found


def test_a_tree_has_roots_and_children() -> None:
    assert {group.parent_group_id is None for group in GROUPS.values()} == {True, False}
    assert all(group.root_group_id in GROUPS for group in GROUPS.values())

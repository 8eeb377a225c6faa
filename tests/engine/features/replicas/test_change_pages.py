"""Change pages: bounded in rows and bytes, and complete when they are read one after the other."""

from dataclasses import replace

from tablewright.engine.core.state.row_batches import MAX_ROWS
from tablewright.engine.features.replicas.replica_groups import version_space
from tablewright.engine.features.replicas.replica_progress import links_of
from tablewright.engine.features.replicas.versions import Place, read_page
from tests.engine.features.replicas.replicated_table import EU, US, World, world

__all__ = ["world"]


def place(world: World, number: int = 0, copy_from: bytes | None = None) -> Place:
    replication = world[US].state.catalog.table("music").definition["Replication"]
    return Place("music", replication["Group"], EU, replication["Epoch"], number, copy_from)


def test_a_page_has_a_limited_number_of_changes(world: World) -> None:
    for number in range(MAX_ROWS + 1):
        world.put(US, f"artist-{number}")
    first = world[US].sessions.read(lambda tx: read_page(tx, place(world)))
    assert (len(first["Changes"]), first["More"]) == (MAX_ROWS, True)
    rest = world[US].sessions.read(lambda tx: read_page(tx, place(world, first["Number"])))
    assert (len(rest["Changes"]), rest["More"]) == (1, False)


def test_a_page_has_a_limited_number_of_bytes(world: World) -> None:
    for number in range(5):
        world.put(US, f"artist-{number}", "x" * 390_000)
    first = world[US].sessions.read(lambda tx: read_page(tx, place(world)))
    assert (len(first["Changes"]), first["More"]) == (3, True)


def test_only_items_without_a_version_are_copied() -> None:
    world = World()
    world.create()
    world.put(US, "nina")
    world.put(US, "miles")
    world.join(EU)
    world.put(US, "nina", "changed")
    page = world[US].sessions.read(lambda tx: read_page(tx, place(world, copy_from=b"")))
    assert [item.attributes["artist"]["S"] for item in page["Items"]] == ["miles"]
    assert page["CopyNext"] is None
    world.close()


def test_the_source_notes_what_a_reader_has_stored(world: World) -> None:
    world.put(US, "nina")
    world.pull(EU, US)
    world.pull(EU, US)
    space = version_space(world[US].state.catalog.table("music"))
    assert links_of(world[US].state).progress.read_by(space, EU) == 1


def test_a_reader_that_is_no_member_is_not_noted(world: World) -> None:
    world.put(US, "nina")
    unknown = replace(place(world, 1), region="ap-south-1")
    world[US].sessions.read(lambda tx: read_page(tx, unknown))
    space = version_space(world[US].state.catalog.table("music"))
    assert links_of(world[US].state).progress.read_by(space, "ap-south-1") == -1

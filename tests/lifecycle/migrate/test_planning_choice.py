"""How many processes plan a migration, and why only one can."""

import sys
from pathlib import Path

import pytest

from tablewright import Design, connect, embedded, keyrings, migrations
from tablewright.errors import MigrationError
from tablewright.lifecycle.migrate import planning_choice
from tablewright.lifecycle.migrate.planning_choice import importable_name
from tests.lifecycle.albums import Album, designed, price_as_number
from tests.lifecycle.migrate import planned_designs
from tests.lifecycle.migrate.planned_files import filled

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="several processes are not supported there")


def test_what_cannot_be_planned_elsewhere_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    hidden = designed(migrations.Migration("hidden", Album, price_as_number))
    cases = [
        (hidden, "make it a variable of a module"),
        (planned_designs.lookups, "looks up other entities"),
    ]
    for number, (design, reason) in enumerate(cases):
        with filled(tmp_path / f"{number}.db", design, 1) as db:
            with pytest.raises(MigrationError, match=reason):
                migrations.migrate(db, processes=2)
            assert [each.status for each in migrations.status(db)] == ["pending"]
    keys = keyrings.MemoryKeys()
    with (
        connect(
            planned_designs.contracts, embedded(tmp_path / "contracts.db"), create=True, secrets=keys
        ) as db,
        pytest.raises(MigrationError, match="Contract has secret fields"),
    ):
        migrations.migrate(db, processes=2)
    with embedded() as memory:
        db = connect(planned_designs.prices, memory, create=True)
        with pytest.raises(MigrationError, match="only a migration of a data file"):
            migrations.migrate(db, processes=2)
        with pytest.raises(MigrationError, match="at least 1, got 0"):
            migrations.migrate(db, processes=0)


@pytest.mark.usefixtures("forked_planners")
def test_a_process_that_cannot_import_the_design_is_reported(tmp_path: Path) -> None:
    with filled(tmp_path / "music.db", planned_designs.prices, 1) as db:
        with pytest.raises(MigrationError, match="no_such_module"):
            migrations.migrate(db, processes=migrations.Processes(2, "no_such_module:design"))
        reported: list[tuple[str, int, bool]] = []
        wanted = migrations.Processes(
            2,
            "no_such_module:design",
            is_required=False,
            on_choice=lambda migration, count, reason: reported.append(
                (migration.name, count, "no_such" in reason)
            ),
        )
        (result,) = migrations.migrate(db, processes=wanted)
        assert (result.tally.changed, reported) == (1, [("prices", 1, True)])


def test_a_small_table_is_planned_in_one_process(tmp_path: Path) -> None:
    reported: list[tuple[int, str]] = []
    wanted = migrations.Processes(None, on_choice=lambda migration, *rest: reported.append(rest))
    with filled(tmp_path / "music.db", planned_designs.prices, 3) as db:
        migrations.migrate(db, processes=wanted)
    assert reported == [(1, "")]


@pytest.mark.usefixtures("forked_planners")
@pytest.mark.parametrize(
    ("load", "cores", "processes"), [(0.2, 3, 3), (1.6, 4, 2), (2.9, 3, 1), (0.0, 16, 4)]
)
def test_a_large_table_is_planned_by_the_idle_cores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, load: float, cores: int, processes: int
) -> None:
    monkeypatch.setattr(planning_choice, "WORTHWHILE", 9)
    monkeypatch.setattr("os.getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr("os.sched_getaffinity", lambda process: set(range(cores)), raising=False)
    reported: list[tuple[int, str]] = []
    wanted = migrations.Processes(None, on_choice=lambda migration, *rest: reported.append(rest))
    with filled(tmp_path / "music.db", planned_designs.prices, 3) as db:
        migrations.migrate(db, processes=wanted)
    assert reported == [(processes, "")]


def test_a_design_is_found_where_it_can_be_imported() -> None:
    assert importable_name(planned_designs.prices) == "tests.lifecycle.migrate.planned_designs:prices"
    assert importable_name(Design("nowhere")) is None

"""Power cuts at every file call: acknowledged commits are kept, none is partial, every index matches its table."""

import random
from functools import partial
from pathlib import Path

import pytest

from tablewright.engine.storage import open_store
from tests.engine.crash import crash_script
from tests.engine.crash.crash_script import CrashScript
from tests.engine.crash.power_cuts import LOSSES, SECTOR, Disk, Recording, cuts, record, write_image

COMMITS = 40


def check_images(directory: Path, seed: int, images: int, recording: Recording | None = None) -> list[str]:
    """Check so many images of a script, spread over its calls; return their problems."""
    script = CrashScript(seed, COMMITS)
    recording = recording or record(script, directory / f"recorded-{seed}.db")
    generator = random.Random(seed)
    path = directory / "image.db"
    problems: list[str] = []
    made = 0
    for number, disk in cuts(recording):
        # As many images for each call as bring the total to `images` at the last call.
        due = images * (number + 1) // len(recording.calls)
        for _ in range(due - made):
            loss = LOSSES[made % len(LOSSES)]
            write_image(disk.image(loss, generator), path)
            acknowledged = recording.acknowledged[number]
            problem = script.problem(path, acknowledged, acknowledged + 1)
            if problem is not None:
                problems.append(f"seed {seed}, power cut at call {number}, losing {loss}: {problem}")
            made += 1
    assert made == images
    return problems


@pytest.mark.parametrize(
    ("seeds", "images"), [(1, 100), pytest.param(20, 1_000, marks=pytest.mark.soak)], ids=["100", "20000"]
)
def test_power_cuts_lose_nothing(tmp_path: Path, seeds: int, images: int) -> None:
    for seed in range(seeds):
        assert not check_images(tmp_path, seed, images)


def test_a_power_cut_during_the_creation_of_a_file(tmp_path: Path) -> None:
    """The first page may be there in part, even without its format's name; SQLite's journal says that it is new."""
    script = CrashScript(0, COMMITS)
    generator = random.Random(0)
    seen = set()
    for number, disk in cuts(record(script, tmp_path / "recorded.db")):
        if number > 10:
            break
        for loss in LOSSES * 4:
            files = disk.image(loss, generator)
            seen.add(bytes(files.get("", b""))[:6])
            write_image(files, tmp_path / "image.db")
            assert script.problem(tmp_path / "image.db", 0, 0) is None, f"call {number}, losing {loss}"
    assert {b"", b"SQLite", bytes(6)} <= seen


def test_a_commit_without_a_sync_is_reported(tmp_path: Path) -> None:
    recording = record(CrashScript(0, COMMITS), tmp_path / "recorded.db")
    kept = [place for place, call in enumerate(recording.calls) if call.kind != "sync"]
    unsynced = Recording(
        [recording.calls[place] for place in kept], [recording.acknowledged[place] for place in kept]
    )
    problems = check_images(tmp_path, 0, 100, unsynced)
    assert any("lost write" in problem for problem in problems)


def test_relaxed_durability_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crash_script, "open_store", partial(open_store, durability="relaxed"))
    problems = check_images(tmp_path, 0, 100)
    assert any("lost write" in problem for problem in problems)


def test_a_lost_sector_of_a_synced_file_is_reported(tmp_path: Path) -> None:
    script = CrashScript(0, COMMITS)
    recording = record(script, tmp_path / "recorded.db")
    disk = Disk()
    for call in recording.calls:
        disk.apply(call)
    files = disk.image("nothing", random.Random(0))
    page = files[""].index(b'"note"')
    files[""][page : page + SECTOR] = bytes(SECTOR)
    write_image(files, tmp_path / "image.db")
    assert script.problem(tmp_path / "image.db", COMMITS) is not None

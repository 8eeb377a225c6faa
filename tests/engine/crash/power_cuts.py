"""Power cuts: the files that a machine may find after its power failed at any file call.

What was synced is on disk. What was written since the last sync of a file may be on disk in part and in any order:
each sector of each write is kept, dropped, or, where the file grew, filled with something else. A deletion is on disk
after the next sync of the directory, which SQLite makes with the first sync of a new log or journal. SQLite's own model
of a disk is the same (https://www.sqlite.org/atomiccommit.html, "Hardware Assumptions", with powersafe overwrite).
"""

import random
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from tests.engine.crash.crash_script import CrashScript
from tests.engine.crash.file_calls import FileCall, watching

SECTOR = 512
Loss = Literal["nothing", "everything", "writes", "sectors", "garbage"]
LOSSES: tuple[Loss, ...] = get_args(Loss)
Files = dict[str, bytearray]


class Recording(NamedTuple):
    """The file calls of a script, and the number of acknowledged commits ahead of each."""

    calls: list[FileCall]
    acknowledged: list[int]


def record(script: CrashScript, path: Path) -> Recording:
    """Run a script on a file, and record all calls that change it."""
    recording = Recording([], [])
    done = 0

    def note(call: FileCall) -> None:
        if call.changes_file:
            recording.calls.append(call._replace(path=call.path.removeprefix(str(path))))
            recording.acknowledged.append(done)

    def acknowledge(number: int) -> None:
        nonlocal done
        done = number

    with watching(note):
        script.run(path, acknowledge)
    return recording


def cuts(recording: Recording) -> Iterator[tuple[int, "Disk"]]:
    """The disk ahead of each call, with its number. The disk changes with the iteration."""
    disk = Disk()
    for number, call in enumerate(recording.calls):
        yield number, disk
        disk.apply(call)


class Disk:
    """The files of a machine: what is synced, and the calls since then. A file is named by its suffix."""

    def __init__(self) -> None:
        self._synced: Files = defaultdict(bytearray)
        self._pending: dict[str, list[FileCall]] = defaultdict(list)
        self._in_directory: set[str] = set()

    def apply(self, call: FileCall) -> None:
        """Make a call."""
        if call.kind != "sync":
            self._pending[call.path].append(call)
            return
        for pending in self._pending.pop(call.path, []):
            change(self._synced[call.path], pending)
        if call.path and call.path not in self._in_directory:
            self._sync_directory()
            self._in_directory.add(call.path)

    def _sync_directory(self) -> None:
        for suffix, pending in self._pending.items():
            deletions = [place for place, call in enumerate(pending) if call.kind == "delete"]
            if deletions:
                self._synced[suffix].clear()
                del pending[: deletions[-1] + 1]
                self._in_directory.discard(suffix)

    def image(self, loss: Loss, generator: random.Random) -> Files:
        """The files after a power cut that loses that much of what is not synced."""
        files: Files = {suffix: bytearray(content) for suffix, content in self._synced.items()}
        for suffix, pending in self._pending.items():
            content = files.setdefault(suffix, bytearray())
            for call in pending:
                if loss == "nothing" or (loss == "writes" and generator.random() < 0.5):
                    change(content, call)
                elif loss in ("sectors", "garbage"):
                    _change_sectors(content, call, loss, generator)
        return files


def change(content: bytearray, call: FileCall) -> None:
    """Apply a call to a file. A deletion leaves an empty file, which SQLite treats as a missing one."""
    if call.kind == "write":
        if len(content) < call.offset:
            content.extend(bytes(call.offset - len(content)))
        content[call.offset : call.offset + len(call.data)] = call.data
    elif call.kind == "truncate":
        del content[call.offset :]
        content.extend(bytes(call.offset - len(content)))
    elif call.kind == "delete":
        content.clear()


def _change_sectors(content: bytearray, call: FileCall, loss: Loss, generator: random.Random) -> None:
    if call.kind != "write":
        if generator.random() < 0.5:
            change(content, call)
        return
    start = 0
    while start < len(call.data):
        end = min(len(call.data), (call.offset + start) // SECTOR * SECTOR + SECTOR - call.offset)
        place = call.offset + start
        if generator.random() < 0.5:
            change(content, FileCall("write", call.path, place, call.data[start:end]))
        elif loss == "garbage" and place >= len(content):
            change(content, FileCall("write", call.path, place, generator.randbytes(end - start)))
        start = end


def write_image(files: Files, path: Path) -> None:
    """Write the files of an image beside each other."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    for suffix, content in files.items():
        if content or not suffix:
            Path(f"{path}{suffix}").write_bytes(content)

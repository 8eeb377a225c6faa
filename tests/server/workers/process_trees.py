"""The reader processes of a server, as the operating system lists them."""

from pathlib import Path


def readers_of(pid: int) -> set[int]:
    """The readers that a server has started and that still run."""
    found = set()
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            command = Path(f"/proc/{child}/cmdline").read_bytes()
            if b"reader_process" in command:
                found.add(child)
    return found


def is_running(pid: int) -> bool:
    """Whether a process exists and has not ended."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False

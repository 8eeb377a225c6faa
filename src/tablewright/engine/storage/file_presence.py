"""File presence: notice that a data file was deleted or replaced while it is open.

The operating system keeps a deleted file until it is closed: commits would succeed, and be gone at the next start.
"""

import os
from pathlib import Path


class FilePresence:
    """The data file and its log, as they were when they were opened."""

    __slots__ = ("_known", "_paths")

    def __init__(self, path: Path) -> None:
        self._paths = (str(path), f"{path}-wal")
        self._known: dict[str, tuple[int, int]] = {}

    def problem(self) -> str | None:
        """What happened to the files, or None. The first call learns which files they are."""
        for path in self._paths:
            try:
                found = os.stat(path)
            except FileNotFoundError:
                return f"{path} was deleted while it was open"
            except OSError as error:
                return f"{path} cannot be found any more ({error.strerror})"
            identity = (found.st_dev, found.st_ino)
            if self._known.setdefault(path, identity) != identity:
                return f"{path} was replaced by another file while it was open"
        return None

"""What a process uses over time: memory, file descriptors, and the size of its data file's log."""

import os
import threading
import time
from pathlib import Path
from statistics import linear_regression
from types import TracebackType
from typing import NamedTuple, Self

MB = 2**20


class Sample(NamedTuple):
    """What a process uses at one time."""

    seconds: float
    memory: int
    descriptors: int
    log: int


class Growth:
    """Samples of a process, from entering until leaving."""

    def __init__(self, pid: int, data: Path, period: float = 1.0) -> None:
        self._pid = pid
        self._log = Path(f"{data}-wal")
        self._period = period
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.samples: list[Sample] = []

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        began = time.monotonic()
        while not self._ended.wait(self._period):
            self.samples.append(self._sample(time.monotonic() - began))

    def _sample(self, seconds: float) -> Sample:
        # The second number is the resident memory, in pages.
        memory = int(Path(f"/proc/{self._pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        log = self._log.stat().st_size if self._log.exists() else 0
        return Sample(seconds, memory, len(os.listdir(f"/proc/{self._pid}/fd")), log)

    def settled(self) -> list[Sample]:
        """The samples without the first quarter, in which caches fill."""
        return self.samples[len(self.samples) // 4 :]

    @property
    def memory_per_minute(self) -> float:
        """How many MB of memory the process gains in a minute."""
        settled = self.settled()
        memory = [sample.memory / MB for sample in settled]
        return linear_regression([sample.seconds / 60 for sample in settled], memory).slope

    @property
    def descriptors_gained(self) -> int:
        """By how many file descriptors the second half of the samples exceeds the first one."""
        settled = self.settled()
        half = len(settled) // 2
        return max(sample.descriptors for sample in settled[half:]) - max(
            sample.descriptors for sample in settled[:half]
        )

    @property
    def longest_log(self) -> int:
        """The largest size of the log."""
        return max(sample.log for sample in self.samples)

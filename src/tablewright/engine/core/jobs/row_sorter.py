"""Row sorter: puts rows into the order of their keys with little memory, by an external merge sort.

Rows are collected in memory up to a number of bytes; then they are written to a temporary file as a sorted run. At the
end all runs are merged. Of several rows with the same key, the one that was added last is kept.

The temporary file is beside the data file, and only its owner can read it. It has no name (on Windows, the system
deletes it with its last handle): nothing is left of it when the sorter is closed or the process is killed. Its blocks
have checksums, because the rows get those of the store only when they are written to it.

Other threads run meanwhile: only small lists are sorted at once, as Python sorts a list without a break.
"""

import errno
import heapq
import struct
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO
from zlib import crc32

from tablewright.dynamodb.values.stored_items import StoredItem

Row = tuple[bytes, StoredItem]

RUN_BYTES = 32 << 20
"""Bytes of memory that the rows of a run take."""
MAX_RUNS = 128
"""Runs that are merged at once; each takes the memory of a block."""
_PIECE_ROWS = 4096
_BLOCK_BYTES = 64 << 10
_ROW_OVERHEAD = 200
"""Bytes of memory that a row takes besides its key and its body: a tuple, its members and a place in a list."""

_Entry = tuple[bytes, int, int, bytes]
"""Key, position among the rows that were added, size, and body; the position is unique for a key."""
_Run = tuple[int, int]
"""The first byte of a run in the file, and the byte after it."""

_BLOCK_HEAD = struct.Struct(">II")
_ROW_HEAD = struct.Struct(">III")


class RowSorter:
    """Sorts rows; use it in a `with` statement, which ends the temporary file.

    >>> with RowSorter(Path(tempfile.gettempdir())) as sorter:
    ...     for key, body in [(b"b", b"1"), (b"a", b"2"), (b"b", b"3")]:
    ...         sorter.add(key, StoredItem(body, 1))
    ...     [(key, item.raw) for key, item in sorter.rows()]
    [(b'a', b'2'), (b'b', b'3')]
    """

    def __init__(self, directory: Path, run_bytes: int | None = None) -> None:
        self._directory = directory
        self._run_bytes = RUN_BYTES if run_bytes is None else run_bytes
        self._file: IO[bytes] | None = None
        self._end = 0
        self._runs: list[_Run] = []
        self._pieces: list[list[_Entry]] = []
        """Sorted lists of the rows in memory."""
        self._piece: list[_Entry] = []
        self._added = 0
        self._bytes = 0

    def __enter__(self) -> "RowSorter":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def run_count(self) -> int:
        """The number of runs in the temporary file."""
        return len(self._runs)

    def add(self, key: bytes, item: StoredItem) -> None:
        """Add a row."""
        # A copy: the bytes that orjson makes are the start of a buffer of 4 KB, and the rest of it could not be used.
        raw = memoryview(item.raw).tobytes()
        self._piece.append((key, self._added, item.size, raw))
        self._added += 1
        self._bytes += len(key) + len(raw) + _ROW_OVERHEAD
        if len(self._piece) == _PIECE_ROWS:
            self._end_piece()
        if self._bytes >= self._run_bytes:
            self._end_run()

    def rows(self) -> Iterator[Row]:
        """All rows in the order of their keys; no row can be added any more."""
        if self._runs:
            self._end_run()
            self._join_runs()
            entries = self._merged(self._runs)
        else:
            self._end_piece()
            entries = heapq.merge(*self._pieces)
        for key, _, size, raw in _last_of_each_key(entries):
            yield key, StoredItem(raw, size)

    def close(self) -> None:
        """Free the memory and the temporary file."""
        self._pieces, self._piece, self._runs = [], [], []
        if self._file is not None:
            self._file.close()

    def _end_piece(self) -> None:
        if self._piece:
            self._piece.sort()
            self._pieces.append(self._piece)
            self._piece = []

    def _end_run(self) -> None:
        """Write the rows that are in memory to the file."""
        self._end_piece()
        if self._pieces:
            self._runs.append(self._write(heapq.merge(*self._pieces)))
        self._pieces, self._bytes = [], 0

    def _join_runs(self) -> None:
        """Merge neighbouring runs until all can be merged at once."""
        place = 0
        while len(self._runs) > MAX_RUNS:
            count = min(MAX_RUNS, len(self._runs) - MAX_RUNS + 1)
            neighbours = self._runs[place : place + count]
            if len(neighbours) < 2:
                place = 0
                continue
            self._runs[place : place + count] = [self._write(self._merged(neighbours))]
            place += 1

    def _merged(self, runs: list[_Run]) -> Iterator[_Entry]:
        return heapq.merge(*(self._read(run, order) for order, run in enumerate(runs)))

    def _write(self, entries: Iterable[_Entry]) -> _Run:
        """Append a run to the file."""
        start = self._end
        parts: list[bytes] = []
        length = 0
        for key, _, size, raw in _last_of_each_key(entries):
            parts += (_ROW_HEAD.pack(len(key), size, len(raw)), key, raw)
            length += _ROW_HEAD.size + len(key) + len(raw)
            if length >= _BLOCK_BYTES:
                self._write_block(b"".join(parts))
                parts, length = [], 0
        if parts:
            self._write_block(b"".join(parts))
        return start, self._end

    def _write_block(self, block: bytes) -> None:
        if self._file is None:
            # Closed by `close`.
            self._file = tempfile.TemporaryFile(dir=self._directory, prefix="tablewright-sort-")  # noqa: SIM115
        self._file.seek(self._end)
        self._file.write(_BLOCK_HEAD.pack(len(block), crc32(block)) + block)
        self._end += _BLOCK_HEAD.size + len(block)

    def _read(self, run: _Run, order: int) -> Iterator[_Entry]:
        """The rows of a run; `order` is its place among the runs that are merged."""
        start, end = run
        while start < end:
            block = self._read_block(start)
            start += _BLOCK_HEAD.size + len(block)
            at = 0
            while at < len(block):
                key_length, size, raw_length = _ROW_HEAD.unpack_from(block, at)
                at += _ROW_HEAD.size
                key = block[at : at + key_length]
                at += key_length
                yield key, order, size, block[at : at + raw_length]
                at += raw_length

    def _read_block(self, start: int) -> bytes:
        assert self._file is not None
        self._file.seek(start)
        head = self._file.read(_BLOCK_HEAD.size)
        if len(head) == _BLOCK_HEAD.size:
            length, checksum = _BLOCK_HEAD.unpack(head)
            block = self._file.read(length) if length <= self._end - start else b""
            if block and len(block) == length and crc32(block) == checksum:
                return block
        raise OSError(errno.EIO, f"a temporary file in {self._directory} changed on the disk; check the disk")


def _last_of_each_key(entries: Iterable[_Entry]) -> Iterator[_Entry]:
    last: _Entry | None = None
    for entry in entries:
        if last is not None and last[0] != entry[0]:
            yield last
        last = entry
    if last is not None:
        yield last

"""The store: one SQLite database, in memory or in a file, with its durability and its readers.

- A file acknowledges only what is on disk (WAL, synchronous FULL) unless the user says `durability="relaxed"`:
  then a crash of the process loses nothing, but a power failure may lose the last commits.
- Readers have connections of their own and see the last commit; they never wait for a writer.
- Rows and pages have checksums (`row_checksums`, `page_checksums`), which are verified when they are read.
- In memory there is one connection, which all readers and writers share, one at a time.

File presence: notice that a data file was deleted or replaced while it is open.

The operating system keeps a deleted file until it is closed: commits would succeed, and be gone at the next start.
"""

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, Literal, NoReturn, TypeVar

import apsw

from tablewright.engine.storage import compaction, page_checksums
from tablewright.engine.storage.compaction import FreeSpace
from tablewright.engine.storage.file_lock import lock_file, protect_from_fork
from tablewright.engine.storage.file_upgrade import FORMAT, PAGE_SIZE, create_pages, upgrade
from tablewright.engine.storage.group_commit import Staged, Writers
from tablewright.engine.storage.rows import SCHEMA, Place, ReadView, Transaction
from tablewright.engine.storage.sqlite_errors import damaged, explain
from tablewright.errors import StoreDamaged, StoreError, StoreFormat, StoreLocked, StoreMissing


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
                status = os.stat(path)
            except FileNotFoundError:
                return f"{path} was deleted while it was open"
            except OSError as error:
                return f"{path} cannot be found any more ({error.strerror})"
            identity = (status.st_dev, status.st_ino)
            if self._known.setdefault(path, identity) != identity:
                return f"{path} was replaced by another file while it was open"
        return None


Durability = Literal["full", "relaxed"]
T = TypeVar("T")

# "TWDB": identifies our files among SQLite files.
APPLICATION_ID = 0x54574442
CACHE_KIB = 16 * 1024
# More than the store has statements.
STATEMENT_CACHE = 64
# Pages in the log at which a commit copies them to the file: SQLite's own default; and while a job does so.
LOG_PAGES = 1000
LOG_PAGES_OF_JOBS = 4000
# Pages that a job leaves in the log: a page that the next transactions change again is copied once, with one flush.
UNCOPIED_PAGES = 250
# https://www.sqlite.org/fileformat2.html#the_rollback_journal; the size of the database before is at offset 16.
_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")


class Store:
    """One SQLite database. Use `open_store` to open one."""

    def __init__(self, path: Path | None, durability: Durability, lock: IO[bytes] | None) -> None:
        self.path = path
        self.durability = durability
        self._lock = lock
        self._closed = False
        self._readers: list[ReadView] = []
        self._writer = self._connect()
        self._presence = None if path is None else FilePresence(path)
        self._missing: StoreMissing | None = None
        self._log_limit_lock = threading.Lock()
        self._log_limits = 0
        self._spaces: dict[int, Place] = {}
        """The spaces that readers know."""
        self._writers = Writers(self._writer, self._explain, self._require_present, self._spaces)

    def read(self, work: Callable[[ReadView], T]) -> T:
        """Run `work` on a view; each statement sees the newest commit."""
        try:
            if self.path is None:
                return self._writers.read(work)
            view = self._reader()
            try:
                return work(view)
            finally:
                self._readers.append(view)
                if self._closed:
                    self._close_readers()
        except apsw.Error as error:
            raise self._explain(error) from error

    def snapshot(self, work: Callable[[ReadView], T]) -> T:
        """Run `work` on a view; all statements see the same commit."""

        def in_one_transaction(view: ReadView) -> T:
            view.execute("BEGIN")
            try:
                return work(view)
            finally:
                # SQLite itself ends the transaction after some errors.
                if view.connection.in_transaction:
                    view.execute("COMMIT")

        return self.read(in_one_transaction if self.path else work)

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a transaction; its changes are durable when this returns."""
        return self._writers.run(work)

    def snapshot_at(self, mark: Callable[[], None], work: Callable[[ReadView], T], *, wait: bool) -> T | None:
        """Run `work` on a snapshot, concurrently with writers. `mark` runs when the snapshot is taken, in a writer's
        turn: it separates the writes that the snapshot contains from later ones. Without `wait`, return None instead of
        waiting for that turn. A store in memory has no snapshots: there `work` runs in the turn."""
        take = self._writers.read_after_commit if wait else self._writers.read_committed

        def in_turn(transaction: Transaction) -> T:
            mark()
            return work(transaction)

        def beside(view: ReadView) -> T | None:
            def begin(_: Transaction) -> bool:
                view.execute("BEGIN")
                view.execute("SELECT 1 FROM spaces").fetchone()  # the first read fixes the snapshot
                mark()
                return True

            try:
                return work(view) if take(begin) else None
            finally:
                if view.connection.in_transaction:
                    view.execute("COMMIT")

        return take(in_turn) if self.path is None else self.read(beside)

    def stage(self, work: Callable[[Transaction], T]) -> Staged[T]:
        """Run `work` in a transaction that a later `flush` makes durable."""
        return self._writers.stage(work)

    def flush(self) -> None:
        """Make everything staged durable."""
        self._writers.flush()

    @contextlib.contextmanager
    def checkpoints_apart(self) -> Iterator[Callable[[], None]]:
        """Let commits leave the log alone; the caller calls the function it gets after each of its transactions.

        The function copies committed pages from the log to the file concurrently with writers, when there are some.
        When the log is large, it copies the few that are left in a writer's turn: then the next writer starts the log
        again.
        """
        self._set_log_limit(LOG_PAGES_OF_JOBS)
        try:
            yield self._checkpoint
        finally:
            with contextlib.suppress(StoreError):
                self._set_log_limit(LOG_PAGES)

    def _set_log_limit(self, pages: int) -> None:
        if self.path is None:
            return
        with self._log_limit_lock:
            self._log_limits += 1 if pages == LOG_PAGES_OF_JOBS else -1
            limit = LOG_PAGES_OF_JOBS if self._log_limits else LOG_PAGES
        with contextlib.suppress(apsw.Error):
            self._writers.read(lambda tx: tx.execute(f"PRAGMA wal_autocheckpoint = {limit}").fetchall())

    def _checkpoint(self) -> None:
        def uncopied(view: ReadView) -> int:
            ((_, pages, copied),) = view.execute("PRAGMA wal_checkpoint(NOOP)")
            return int(pages) - int(copied)

        def copy(view: ReadView) -> int:
            ((_, pages, _),) = view.execute("PRAGMA wal_checkpoint(PASSIVE)")
            return int(pages)

        def copy_all(view: ReadView) -> None:
            if uncopied(view) >= UNCOPIED_PAGES and copy(view) > LOG_PAGES:
                self._writers.read_after_commit(lambda _: copy(view))

        if self.path is not None:
            self.read(copy_all)

    def after_undo(self, recover: Callable[[ReadView], None]) -> None:
        """Call `recover` whenever a group of writes was undone, before any writer gets its error: what is kept in
        memory about the undone writes must be dropped too."""
        self._writers.after_undo = recover

    def after_commit(self, publish: Callable[[], None]) -> None:
        """Call `publish` after every commit, before any writer of the group returns."""
        self._writers.after_commit = publish

    def copy(self) -> "Store":
        """Return a new store in memory with the content of this one."""
        self.flush()
        copied = Store(None, self.durability, None)

        def fill(view: ReadView) -> None:
            with copied._writer.backup("main", view.connection, "main") as backup:
                backup.step()

        try:
            self.read(fill)
        except BaseException:
            copied.close()
            raise
        return copied

    def free_space(self) -> FreeSpace:
        """The size of the data, and how much of it is free; `compact` releases that."""
        return self.read(compaction.free_space)

    def compact(
        self,
        on_progress: compaction.OnProgress = lambda released, total: None,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> int:
        """Give free pages back to the file system, in short steps concurrently with writers; return the bytes."""
        return 0 if self.path is None else compaction.compact(self, on_progress, should_stop)

    def close(self) -> None:
        """Flush and release the file; readers and writers that are still running finish first."""
        self._closed = True
        try:
            self._close_readers()
            self._writers.close()
        finally:
            if self._lock is not None:
                self._lock.close()

    def close_in_child(self) -> None:
        """In a forked child: reject every call, do not use the file. A store in memory was copied and stays usable."""
        if self._lock is None:
            return
        self._lock.close()
        for name in ("read", "snapshot", "write", "stage", "flush", "compact", "close"):
            setattr(self, name, self._do_nothing if name == "close" else self._reject)

    def _reject(self, *_: Any) -> NoReturn:
        raise StoreLocked(
            f"{self.path} belongs to the process that forked this one. Open it after the fork, or share it: start "
            f"`tablewright serve --on {self.path}` and connect both to its address."
        )

    def _do_nothing(self) -> None:
        pass

    def _close_readers(self) -> None:
        while self._readers:
            with contextlib.suppress(IndexError):  # another thread took it
                self._readers.pop().connection.close()

    def _require_present(self) -> None:
        """Raise if the file was deleted or replaced: from then on, nothing that is written will be found again."""
        if self._presence is not None and self._missing is None and (problem := self._presence.problem()):
            self._missing = StoreMissing(
                f"{problem}; this write and later ones are not kept. "
                "Stop this process, restore the file, and start again."
            )
        if self._missing is not None:
            raise self._missing

    def _reader(self) -> ReadView:
        if self._missing is not None:
            raise self._missing
        try:
            return self._readers.pop()
        except IndexError:
            return ReadView(self._connect(), self._spaces)

    def _connect(self) -> apsw.Connection:
        try:
            if self.path is None:
                connection = apsw.Connection(":memory:", statementcachesize=STATEMENT_CACHE)
            else:
                connection = page_checksums.connect(str(self.path), STATEMENT_CACHE)
            connection.set_busy_timeout(5_000)
            connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
            connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
            if self.path is not None:
                if self.path.stat().st_size == 0:
                    create_pages(connection)
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute(
                    f"PRAGMA synchronous = {'FULL' if self.durability == 'full' else 'NORMAL'}"
                )
        except apsw.Error as error:
            raise self._explain(error) from error
        return connection

    def damaged(self, problem: object) -> StoreDamaged:
        """The error for content that cannot be what was written."""
        return damaged(self.path, problem)

    def _explain(self, error: apsw.Error) -> StoreError:
        return explain(error, self.path)


def open_store(path: str | os.PathLike[str] | None = None, durability: Durability = "full") -> Store:
    """Open a file, or create it, readable by its owner only; without a path, open a new database in memory."""
    if durability not in ("full", "relaxed"):
        raise StoreError(f'durability is "full" or "relaxed", not {durability!r}')
    if path is None:
        store = Store(None, durability, None)
        store.write(create_schema)
        return store
    file = _locate(path)
    # First of all: opening and closing a file that SQLite has open in this process would release SQLite's own locks.
    lock = lock_file(file)
    try:
        _create_private(file)
        _reject_foreign(file)
        upgrade(file)
        store = Store(file, durability, lock)
        _check_format(store)
    except BaseException:
        lock.close()
        raise
    protect_from_fork(store)
    return store


def _locate(path: str | os.PathLike[str]) -> Path:
    """The resolved path: a file that is opened through several links has one lock."""
    try:
        file = Path(path).expanduser().resolve()
        str(file).encode()
        if file.is_dir():
            raise StoreError(f"{file} is a directory; give the path of a file in it")
        if file.exists() and not file.is_file():
            raise StoreError(f"{file} is a device; give the path of a file")
        if file.exists() and file.stat().st_nlink > 1:
            raise StoreError(
                f"{file} has several hard links, so it cannot be locked by its name; copy it and open the copy"
            )
        if not file.parent.is_dir():
            raise StoreError(f"{file.parent} does not exist; create it first: mkdir -p {file.parent}")
    except (OSError, RuntimeError, ValueError) as error:
        raise StoreError(f"{str(path)!r} cannot be the path of a file: {error}") from None
    return file


def _create_private(file: Path) -> None:
    try:
        with contextlib.suppress(FileExistsError):
            os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        os.close(os.open(file, os.O_RDWR))
    except OSError as error:
        raise StoreError(f"{file} cannot be opened: {error.strerror}; check its permissions") from None


def _reject_foreign(file: Path) -> None:
    """Raise `StoreFormat` for a file of another program, before SQLite changes its journal mode."""
    with file.open("rb") as opened:
        header = opened.read(100)
    if not header or _is_unfinished_creation(file):
        return
    if not header.startswith(b"SQLite format 3\0"):
        raise StoreFormat(f"{file} is not a Tablewright database; give the path of another file")
    application = int.from_bytes(header[68:72], "big")
    # After a crash, the header of a new file of ours can be in its log alone.
    if application == APPLICATION_ID or (not application and Path(f"{file}-wal").exists()):
        return
    if application or _has_objects(file):
        raise _another_program(file)


def _is_unfinished_creation(file: Path) -> bool:
    """Whether a crash ended the first write to an empty file: its journal says so, and SQLite will empty it again."""
    try:
        with Path(f"{file}-journal").open("rb") as journal:
            header = journal.read(20)
    except OSError:
        return False
    return header.startswith(_JOURNAL_MAGIC) and header[16:] == bytes(4)


def _has_objects(file: Path) -> bool:
    uri = f"{file.as_uri()}?immutable=1"
    connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    try:
        ((objects,),) = connection.execute("SELECT count(*) FROM sqlite_schema")
    except apsw.Error:
        return False  # damaged: `Store` says how
    finally:
        connection.close()
    return bool(objects)


def _another_program(file: Path | None) -> StoreFormat:
    return StoreFormat(f"{file} is another program's SQLite file; give the path of another file")


def create_schema(tx: Transaction) -> None:
    """Create the SQL tables of an empty store."""
    tx.changes += 1
    for statement in SCHEMA:
        tx.execute(statement)


def _check_format(store: Store) -> None:
    def check(tx: Transaction) -> None:
        ((application,),) = tx.execute("PRAGMA application_id")
        ((version,),) = tx.execute("PRAGMA user_version")
        ((objects,),) = tx.execute("SELECT count(*) FROM sqlite_schema")
        if not application and not objects:
            create_schema(tx)
            tx.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            tx.execute(f"PRAGMA user_version = {FORMAT}")
        elif application != APPLICATION_ID:
            raise _another_program(store.path)
        elif version > FORMAT:
            raise StoreFormat(
                f"{store.path} has format {version}, this Tablewright reads up to {FORMAT}: "
                "pip install --upgrade tablewright"
            )

    try:
        store.write(check)
    except BaseException:
        store.close()
        raise

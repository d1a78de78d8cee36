"""One SQLite file: connections, transactions, named queries, and the driver's errors in our words.

Each thread has its own connection. Only `store/` sees one.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib.util import find_spec
from typing import Any

import apsw

from cloudnee import errors

__all__ = ["Database", "queries"]

APPLICATION_ID = 0x636C6E65  # "clne": tells this file from other SQLite databases
SCHEMA_VERSION = 1
BUSY_MS = 30_000
_SQL = os.path.join(os.path.dirname(__file__), "sql")
_NAME = "-- :name "


@cache
def queries() -> dict[str, str]:
    """All named statements of `sql/*.sql`: a line `-- :name NAME` begins each."""
    found: dict[str, str] = {}
    for file in sorted(os.listdir(_SQL)):
        for block in _read(file).split(_NAME)[1:]:
            name, _, statement = block.partition("\n")
            if name.strip() in found:
                raise ValueError(f"{file}: the name {name.strip()!r} is taken already")
            found[name.strip()] = statement.strip()
    return found


def _read(file: str) -> str:
    with open(os.path.join(_SQL, file), encoding="utf-8") as held:
        return held.read()


class Database:
    """A database file and this process's connections to it."""

    def __init__(self, path: str | os.PathLike[str], *, create: bool = True) -> None:
        """Open the file, making it (mode 0600) and its schema where there is none.

        Raises a `StoreError` kind that names the file and the way out.
        """
        self.path = os.fspath(path)
        self._create = create
        self._made = False
        self._local = threading.local()
        # a thread that ends closes its own: each event loop of an agent brings new threads
        self._all: weakref.WeakSet[apsw.Connection] = weakref.WeakSet()
        self._lock = threading.Lock()
        self._turn = threading.Lock()  # SQLite's own waiting is not fair: threads queue here
        with self.explained():
            self._prepare(self.connection)

    # connections

    @property
    def connection(self) -> apsw.Connection:
        """This thread's connection."""
        try:
            return self._local.connection  # type: ignore[no-any-return]
        except AttributeError:
            held = self._local.connection = self._connect()
            return held

    def _connect(self) -> apsw.Connection:
        if self.path != ":memory:" and _make_private(self.path, self._create):
            self._made = True
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        if self.path != ":memory:" and not os.access(self.path, os.W_OK):
            flags = apsw.SQLITE_OPEN_READONLY
        made = apsw.Connection(self.path, flags=flags, statementcachesize=200)
        made.set_busy_timeout(BUSY_MS)
        made.execute(
            "PRAGMA foreign_keys = 0; PRAGMA synchronous = FULL; PRAGMA cache_size = -8000"
        )
        with self._lock:
            self._all.add(made)
        return made

    def close(self) -> None:
        """Close the connections of every thread; one that is at work closes when it is done."""
        with self._lock:
            held, self._all = list(self._all), weakref.WeakSet()
        for connection in held:
            with suppress(apsw.ThreadingViolationError):  # its thread lets go of it, then it closes
                connection.close()
        self._local = threading.local()

    def discard(self) -> None:
        """Close, and take away a file that was made for nothing."""
        self.close()
        if self._made:
            os.unlink(self.path)

    def vectors(self) -> apsw.Connection:
        """This thread's connection with sqlite-vec loaded (its Python package is not imported)."""
        if not getattr(self._local, "vec", False):
            spec = find_spec("sqlite_vec")
            if spec is None or not spec.submodule_search_locations:
                raise errors.StoreError('sqlite-vec is not installed: run "pip install sqlite-vec"')
            connection = self.connection
            connection.enable_load_extension(enable=True)
            connection.load_extension(os.path.join(spec.submodule_search_locations[0], "vec0"))
            connection.enable_load_extension(enable=False)
            self._local.vec = True
        return self.connection

    # schema

    def _prepare(self, connection: apsw.Connection) -> None:
        version, ours = self._version(connection)
        if version == 0 and not ours:
            self._make_schema(connection)
        elif version > SCHEMA_VERSION:
            raise errors.NewerStore(
                f"{self.path} has schema {version}; this cloudnee reads up to {SCHEMA_VERSION}: "
                'run "pip install --upgrade cloudnee"'
            )

    def _version(self, connection: apsw.Connection) -> tuple[int, bool]:
        version = int(str(connection.pragma("user_version")))
        ours = connection.pragma("application_id") == APPLICATION_ID
        tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()[0][0]
        if not ours and (tables or version):
            raise errors.NotAStore(
                f"{self.path} is a SQLite database of another program: choose another file"
            )
        return version, ours

    def _make_schema(self, connection: apsw.Connection) -> None:
        connection.pragma("journal_mode", "wal")
        with self.writing():
            if self._version(connection)[1]:
                return  # another process was faster
            connection.execute(_read("schema.sql"))
            connection.pragma("application_id", APPLICATION_ID)
            connection.pragma("user_version", SCHEMA_VERSION)

    # statements

    def rows(self, name: str, /, **values: Any) -> list[tuple[Any, ...]]:
        """All rows of a named query."""
        try:
            return self.connection.execute(queries()[name], values).fetchall()
        except apsw.Error as error:
            raise _explained(self.path, error) from error

    def dicts(self, name: str, /, **values: Any) -> list[dict[str, Any]]:
        """All rows of a named query, by the names of their columns."""
        with self.explained():
            cursor = self.connection.cursor()
            cursor.row_trace = _named
            found: list[Any] = cursor.execute(queries()[name], values).fetchall()
        return found

    def row(self, name: str, /, **values: Any) -> tuple[Any, ...] | None:
        """The first row of a named query, or None."""
        try:
            return next(self.connection.execute(queries()[name], values), None)
        except apsw.Error as error:
            raise _explained(self.path, error) from error

    def run(self, name: str, /, **values: Any) -> int:
        """Run a named statement; gives the row id of the last insert."""
        try:
            connection = self.connection
            connection.execute(queries()[name], values)
            return connection.last_insert_rowid()
        except apsw.Error as error:
            raise _explained(self.path, error) from error

    def many(self, name: str, values: Sequence[tuple[Any, ...]]) -> None:
        """Run a named statement (with `?` places) once for each tuple."""
        if values:
            with self.explained():
                self.connection.executemany(queries()[name], values)

    @property
    def data_version(self) -> int:
        """A number that changes when another connection has written to the file."""
        with self.explained():
            found = self.connection.pragma("data_version")
        return int(str(found))

    def integrity(self) -> list[str]:
        """What SQLite itself finds wrong with the file."""
        self.vectors()
        with self.explained():
            rows = self.connection.execute("PRAGMA integrity_check(20)").fetchall()
        return [str(row[0]) for row in rows if row[0] != "ok"]

    def rewrite(self) -> None:
        """Write the file anew, so that nothing deleted is left in its bytes or its log."""
        connection = self.vectors()
        with self.explained():
            for name in ("optimize_edge_terms", "optimize_passage_terms"):
                connection.execute(queries()[name])
            connection.execute("VACUUM")
            busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0][0]
        if busy:
            raise errors.StoreLocked(
                f"{self.path} is read by another program, so its log still holds what was deleted: "
                'close that, then run "cloudnee forget … --purge" again'
            )

    def copy_to(self, file: str | os.PathLike[str]) -> None:
        """Copy the database as it is at this moment to another file, while others may write.

        The copy is made beside and renamed, so that the file is never half of one.
        """
        from pathlib import Path

        target = Path(file)
        if target.exists() and (target.is_dir() or target.samefile(self.path)):
            raise errors.BadInput(f"{target} cannot be the backup: name another file")
        if target.exists():
            Database(target, create=False).close()  # refuses what is no cloudnee database
        made = target.with_name(f".{target.name}.{os.getpid()}.part")
        _make_private(str(made), create=True)
        try:
            with self.explained():
                copy = apsw.Connection(str(made))
                with copy.backup("main", self.connection, "main") as backup:
                    backup.step(-1)
                copy.execute("PRAGMA journal_mode = DELETE")
                copy.close()
            made.replace(target)
        finally:
            made.unlink(missing_ok=True)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One immediate transaction: the lock first, all or nothing."""
        with self._turn, self.explained():
            connection = self.connection
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    @contextmanager
    def reading(self) -> Iterator[None]:
        """One read transaction, so that several queries see the same moment."""
        with self.explained():
            connection = self.connection
            if connection.in_transaction:
                yield
                return
            connection.execute("BEGIN")
            try:
                yield
            finally:
                if self.connection.in_transaction:
                    connection.execute("COMMIT")

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """A part of a transaction that can fail alone."""
        with self.explained(), self.connection:
            yield

    @contextmanager
    def explained(self) -> Iterator[None]:
        """The driver's errors in our words, wrapped once."""
        try:
            yield
        except apsw.Error as error:
            raise _explained(self.path, error) from error


def _named(cursor: apsw.Cursor, row: tuple[Any, ...]) -> dict[str, Any]:
    """A row by the names of its columns."""
    return {column[0]: value for column, value in zip(cursor.get_description(), row, strict=True)}


def _make_private(path: str, create: bool) -> bool:
    """Make the file with mode 0600 before SQLite does with another; whether it was new."""
    if os.path.isdir(path):
        raise errors.NotAStore(f"{path} is a folder: name a database file in it")
    if os.path.exists(path):
        return False
    if not create:
        raise errors.StoreError(f'there is no database at {path}: "cloudnee remember" makes one')
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise errors.StoreReadOnly(
            f"cannot make a database at {path}: {error.strerror}: choose a folder you can write"
        ) from error
    return True


def _explained(path: str, error: apsw.Error) -> errors.StoreError:
    kinds: list[tuple[type[apsw.Error], type[errors.StoreError], str]] = [
        (apsw.NotADBError, errors.NotAStore, "is not a cloudnee database: choose another file"),
        (apsw.BusyError, errors.StoreLocked, "is locked by another program: try again"),
        (apsw.LockedError, errors.StoreLocked, "is locked by another program: try again"),
        (apsw.ReadOnlyError, errors.StoreReadOnly, "cannot be written: check its permissions"),
        (apsw.FullError, errors.StoreFull, "cannot grow, the disk is full: free some space"),
        (apsw.IOError, errors.StoreFull, "cannot be read or written: check the disk"),
        (apsw.CorruptError, errors.StoreDamaged, 'is damaged: run "cloudnee check", then restore'),
        (apsw.CantOpenError, errors.StoreError, "cannot be opened: check the path and permissions"),
    ]
    for driver, ours, way_out in kinds:
        if isinstance(error, driver):
            return ours(f"{path} {way_out} ({error})")
    return errors.StoreError(f"{path}: {error}")

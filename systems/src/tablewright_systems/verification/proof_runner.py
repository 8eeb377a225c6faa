"""Run proofs in memory, in a file or at an endpoint, in tables created for them."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from traceback import extract_tb

from tablewright import Clock, Connection, Design, Faults, Repository, connect, errors, keyrings
from tablewright_systems.registry import System
from tablewright_systems.verification.proofs import Measurement, MeteredConnection, Proof, ProofContext

_HERE = str(Path(__file__).parent)


@dataclass(frozen=True, slots=True)
class ProofResult:
    """Result of one proof."""

    system: str
    proof: Proof
    measurement: Measurement
    failure: str | None

    @property
    def is_ok(self) -> bool:
        """Whether the proof passed."""
        return self.failure is None


@contextmanager
def proof_context(
    system: System, where: str | None = None, faults: Faults | None = None
) -> Iterator[ProofContext]:
    """Open a context for the proofs of a system, in memory, in a new file, at `http://...` or at `aws:region`.

    At an endpoint, the tables are created with names that begin with `verify-`, and deleted afterwards.
    """
    clock = Clock()
    clock.freeze()
    is_remote = where is not None and where.startswith(("http:", "https:", "aws:"))
    with _opened(where, clock, faults) as connection:
        metered = MeteredConnection(connection)
        db = connect(
            system.design,
            metered,
            environment="verify" if is_remote else system.environment,
            clock=clock,
            secrets=keyrings.MemoryKeys(),
            create=True,
            prefix=f"verify-{secrets.token_hex(4)}-" if is_remote else "",
        )
        try:
            yield ProofContext(db, metered, clock, is_remote=is_remote)
        finally:
            if is_remote:
                _delete_tables(db)


@contextmanager
def _opened(where: str | None, clock: Clock, faults: Faults | None) -> Iterator[Connection]:
    """Open the connection that `connect` would open there, before the design's tables exist."""
    empty = Design("empty")
    with connect(empty, where, clock=clock, faults=faults) as db:
        yield db.connection


def _delete_tables(db: Repository) -> None:
    """Delete all tables of a context, including those that proofs created themselves."""
    call = db.connection.call
    request: dict[str, str] = {}
    while True:
        reply = call("ListTables", request)
        for name in filter(lambda name: name.startswith(db.context.prefix), reply["TableNames"]):
            if call("DescribeTable", {"TableName": name})["Table"].get("DeletionProtectionEnabled"):
                call("UpdateTable", {"TableName": name, "DeletionProtectionEnabled": False})
            call("DeleteTable", {"TableName": name})
        if "LastEvaluatedTableName" not in reply:
            return
        request = {"ExclusiveStartTableName": reply["LastEvaluatedTableName"]}


def verify(system: System, context: ProofContext, proof: Proof) -> ProofResult:
    """Run a proof and return its result, with a failure described in one line."""
    with context.new_measurement() as measurement:
        try:
            proof.run(context)
        except (AssertionError, errors.TablewrightError) as failure:
            return ProofResult(system.name, proof, measurement, _describe(failure))
        except Exception as failure:
            return ProofResult(system.name, proof, measurement, f"{type(failure).__name__}: {failure}")
    return ProofResult(system.name, proof, measurement, None)


def _describe(failure: Exception) -> str:
    """Describe a failure in one line; for an assertion, quote its source line."""
    lines = str(failure).strip().splitlines()
    if not isinstance(failure, AssertionError):
        return lines[0] if lines else type(failure).__name__
    places = extract_tb(failure.__traceback__)
    place = next((frame for frame in reversed(places) if not frame.filename.startswith(_HERE)), places[-1])
    return f"{place.line} ({Path(place.filename).name}:{place.lineno})" + (f": {lines[0]}" if lines else "")

"""Stages: where proofs are run: in memory, in a file, or at an endpoint, in tables made for them."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from traceback import extract_tb

from tablewright import Clock, Connection, Design, Faults, Repository, connect, errors, keyrings
from tablewright_systems.proofs import Measurement, MeteredConnection, Proof, ProofContext
from tablewright_systems.registry import System


@dataclass(frozen=True, slots=True)
class ProofResult:
    """What came of a proof."""

    system: str
    proof: Proof
    measure: Measurement
    failure: str | None

    @property
    def is_ok(self) -> bool:
        """Whether it holds."""
        return self.failure is None


@contextmanager
def proof_context(
    system: System, where: str | None = None, faults: Faults | None = None
) -> Iterator[ProofContext]:
    """A context for the proofs of a system: memory, a new file, `http://...` or `aws:region`.

    At an endpoint, the tables have names that begin with `verify-` and are nobody's; they go when the context does.
    """
    clock = Clock()
    clock.freeze()
    is_foreign = where is not None and where.startswith(("http:", "https:", "aws:"))
    with _opened(where, clock, faults) as connection:
        watched = MeteredConnection(connection)
        db = connect(
            system.design,
            watched,
            environment="verify" if is_foreign else system.environment,
            clock=clock,
            secrets=keyrings.MemoryKeys(),
            create=True,
            prefix=f"verify-{secrets.token_hex(4)}-" if is_foreign else "",
        )
        try:
            yield ProofContext(db, watched, clock, lags=is_foreign)
        finally:
            if is_foreign:
                _clear(db)


@contextmanager
def _opened(where: str | None, clock: Clock, faults: Faults | None) -> Iterator[Connection]:
    """What `connect` would open there, with no design on it yet."""
    nothing = Design("nothing")
    with connect(nothing, where, clock=clock, faults=faults) as db:
        yield db.connection


def _clear(db: Repository) -> None:
    """Delete the tables of a context, those too that were made beside the design's own."""
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
    """Run a proof; a failure is told in one line."""
    with context.new_measurement() as measure:
        try:
            proof.run(context)
        except (AssertionError, errors.TablewrightError) as failure:
            return ProofResult(system.name, proof, measure, _told(failure))
        except Exception as failure:
            return ProofResult(system.name, proof, measure, f"{type(failure).__name__}: {failure}")
    return ProofResult(system.name, proof, measure, None)


def _told(failure: Exception) -> str:
    """The failure in a line; of an assertion, what was asserted."""
    lines = str(failure).strip().splitlines()
    if not isinstance(failure, AssertionError):
        return lines[0] if lines else type(failure).__name__
    place = extract_tb(failure.__traceback__)[-1]
    return f"{place.line} ({Path(place.filename).name}:{place.lineno})" + (f": {lines[0]}" if lines else "")

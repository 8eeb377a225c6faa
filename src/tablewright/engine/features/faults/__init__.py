"""Faults on demand: errors of a real DynamoDB, seeded and repeatable."""

from typing import TYPE_CHECKING

from tablewright.engine.core.plugs import Feature
from tablewright.engine.core.sessions import INTERCEPTIONS, Interception, Sessions

if TYPE_CHECKING:
    from tablewright.engine.features.faults.injector import Faults


def _inject(sessions: Sessions, faults: "Faults") -> Interception:
    from tablewright.engine.features.faults.fault_sessions import FaultInjection

    return FaultInjection(sessions, faults)


FEATURE = Feature(name="faults", parts=(INTERCEPTIONS.part(_inject),))

"""The features of this engine: each is a folder, and one line here.

To remove a feature, remove its folder and its line. Files and requests that need it are then refused by name.
"""

from tablewright.engine.core import operations as operations  # registers those of the core
from tablewright.engine.core.plugs import OPERATIONS, Feature, register
from tablewright.engine.features import (
    authorization,
    backups,
    bulk,
    exports,
    faults,
    imports,
    insights,
    kinesis,
    replicas,
    streams,
    ttl,
    vectors,
)

FEATURES: tuple[Feature, ...] = (
    authorization.FEATURE,
    ttl.FEATURE,
    insights.FEATURE,
    streams.FEATURE,
    kinesis.FEATURE,
    backups.FEATURE,
    exports.FEATURE,
    imports.FEATURE,
    bulk.FEATURE,
    vectors.FEATURE,
    replicas.FEATURE,
    faults.FEATURE,
)
"""In the order in which they take part in a write, a sweep and every other plug."""

register(FEATURES)


def operation_names() -> list[str]:
    """The names of all operations, of the core and of the features."""
    return sorted(OPERATIONS)

"""Faults on demand: errors of a real DynamoDB, seeded and repeatable."""

from tablewright.engine.core.plugs import Feature

FEATURE = Feature(
    name="faults",
)

"""Faults on demand: a DynamoDB that misbehaves, seeded and repeatable."""

from tablewright.engine.faults.injector import Faults

__all__ = ["Faults"]

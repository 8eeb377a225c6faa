"""Faults on demand: errors of a real DynamoDB, seeded and repeatable."""

from tablewright.engine.faults.injector import Faults

__all__ = ["Faults"]

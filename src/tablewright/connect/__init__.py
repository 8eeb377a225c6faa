"""Connections: one way to speak to a DynamoDB, wherever it runs."""

from tablewright.connect.connection import Connection
from tablewright.connect.embedded import Embedded, embedded

__all__ = ["Connection", "Embedded", "embedded"]

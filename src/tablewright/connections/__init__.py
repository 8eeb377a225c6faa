"""Connections: one way to speak to a DynamoDB, wherever it runs."""

from tablewright.connections.connection import Connection
from tablewright.connections.embedded import Embedded, embedded

__all__ = ["Connection", "Embedded", "embedded"]

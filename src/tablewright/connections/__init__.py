"""Connections: one interface to DynamoDB in this process, behind an endpoint, or on AWS."""

from tablewright.connections.connection import Connection
from tablewright.connections.embedded import Embedded, embedded

__all__ = ["Connection", "Embedded", "embedded"]

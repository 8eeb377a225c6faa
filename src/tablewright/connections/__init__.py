"""Connections: one interface to DynamoDB in this process, behind an endpoint, or on AWS."""

from tablewright.connections.connection import Connection
from tablewright.connections.embedded import Embedded, embedded
from tablewright.engine.insights.request_observers import ObservedRequest

__all__ = ["Connection", "Embedded", "ObservedRequest", "embedded"]

"""The view operations."""

from tablewright.console.endpoints import ConsoleRoute

ROUTES: list[ConsoleRoute] = []

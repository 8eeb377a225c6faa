"""The view edit."""

from tablewright.console.endpoints import ConsoleRoute

ROUTES: list[ConsoleRoute] = []

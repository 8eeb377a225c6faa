"""The view time."""

from tablewright.console.endpoints import ConsoleRoute

ROUTES: list[ConsoleRoute] = []

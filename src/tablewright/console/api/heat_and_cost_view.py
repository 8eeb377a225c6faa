"""The view heat and cost."""

from tablewright.console.endpoints import ConsoleRoute

ROUTES: list[ConsoleRoute] = []

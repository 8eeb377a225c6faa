"""The view patterns."""

from tablewright.console.endpoints import ConsoleRoute

ROUTES: list[ConsoleRoute] = []

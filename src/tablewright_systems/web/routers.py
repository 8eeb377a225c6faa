"""Routers: the endpoints of one area of an API, under a tag with a description."""

from typing import Any

from fastapi import APIRouter


class Router(APIRouter):
    """The endpoints of one area; `tag` groups them in the documentation.

    >>> router = Router("Boards", "Boards and their owners.")
    >>> router.include_router(Router("Members", "Who belongs to a board."))
    >>> sorted(router.tag_descriptions)
    ['Boards', 'Members']
    """

    def __init__(self, tag: str | None = None, description: str = "", **more: Any) -> None:
        super().__init__(tags=[tag] if tag else None, **more)
        self.tag_descriptions = {tag: description} if tag else {}

    def describe(self, **tags: str) -> None:
        """Describe further tags, which single endpoints have: `router.describe(Jobs="Background work.")`."""
        self.tag_descriptions |= {name.replace("_", " "): text for name, text in tags.items()}

    def include_router(self, router: APIRouter, **more: Any) -> None:
        """Add the endpoints and tags of another router."""
        super().include_router(router, **more)
        if isinstance(router, Router):
            self.tag_descriptions |= router.tag_descriptions

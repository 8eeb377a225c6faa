"""Routers with described tags."""

from tablewright_systems.web import Router


def test_tags_of_included_routers_are_collected() -> None:
    router = Router()
    router.include_router(Router("Boards", "Boards and their owners."))
    router.describe(Background_jobs="Work that no client waits for.")
    assert router.tag_descriptions == {
        "Boards": "Boards and their owners.",
        "Background jobs": "Work that no client waits for.",
    }

"""Events: listeners are typed functions, and the stream must contain the images of their events."""

from typing import Any, assert_type

import pytest

from tablewright import Repository
from tablewright.access.streams.events import Event, Expired, Inserted, Modified, Removed, on
from tablewright.errors import DesignError
from tests.access.streams.goals import Goal, Step, Thing, goal


def test_a_listener_is_a_function_with_a_name() -> None:
    @on(Goal, "inserted")
    def announce(event: Inserted[Goal]) -> str:
        return event.new.goal_id

    assert announce.events == ("inserted",)
    assert announce.name.endswith("announce")
    assert on(Goal)(print).events == ("inserted", "modified", "removed", "expired")


@pytest.mark.parametrize("event", ["modified", "removed", "expired"])
def test_a_stream_without_the_images_is_an_error(event: Any) -> None:
    with pytest.raises(
        DesignError, match=r'on\(Thing, .*set stream="NEW_AND_OLD_IMAGES"'.replace('"', "['\"]")
    ):
        on(Thing, event)


def test_an_unknown_event_name_is_an_error() -> None:
    with pytest.raises(DesignError, match="inserted, modified, removed, expired"):
        on(Goal, "created")  # type: ignore[call-overload]


class TestTypes:
    """What a type checker infers: an unneeded `type: ignore` is an error of mypy."""

    def test_each_event_has_the_images_of_its_kind(self, db: Repository) -> None:
        @on(Goal, "modified")
        def modified(event: Modified[Goal]) -> None:
            assert_type(event.old, Goal)
            assert_type(event.new, Goal)

        @on(Goal, "removed", "expired")
        def gone(event: Event[Goal]) -> None:
            assert isinstance(event, Removed | Expired)
            assert_type(event.old, Goal)

        @on(Goal, "removed")  # type: ignore[arg-type]
        def other_event(event: Inserted[Goal]) -> None:
            raise AssertionError

        @on(Goal, "inserted")  # type: ignore[arg-type]
        def other_entity(event: Inserted[Step]) -> None:
            raise AssertionError

        db.update(db.create(goal()), set={"title": "other"})
        assert db.streams.handle(modified, gone).delivered == 1

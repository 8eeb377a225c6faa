"""Connection errors: whether the request may have been executed."""

from tablewright.errors import LostConnection, Unreachable


def test_a_lost_connection_tells_whether_the_request_was_sent() -> None:
    assert LostConnection("reply lost").was_sent
    assert not LostConnection("no route", was_sent=False).was_sent


def test_a_lost_connection_is_caught_as_unreachable() -> None:
    assert isinstance(LostConnection("reply lost"), Unreachable)

"""Body buffer: the pieces of a body in order, in the heap or in pages of its own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.server.bodies.body_buffer import BodyBuffer


@given(st.lists(st.binary(max_size=20), max_size=8), st.integers(0, 8))
def test_the_body_is_the_pieces_in_order(pieces: list[bytes], reserved_at: int) -> None:
    body, whole = BodyBuffer(), b"".join(pieces)
    for number, piece in enumerate(pieces):
        if number == reserved_at:
            body.reserve(len(whole) or 1)
        body.append(piece)
    assert len(body) == len(whole)
    assert body.take() == whole


@pytest.mark.parametrize("is_reserved", [False, True])
def test_a_cleared_buffer_is_empty_and_can_be_used_again(is_reserved: bool) -> None:
    body = BodyBuffer()
    if is_reserved:
        body.reserve(100)
    body.append(b"first")
    body.clear()
    assert (len(body), body.take()) == (0, b"")
    body.append(b"second")
    assert body.take() == b"second"

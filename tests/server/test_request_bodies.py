"""Bodies that arrive: kept in order, admitted while there is memory, and read a few in each turn of the loop."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.server.request_bodies import TURNS, BodyBudget, BodyBuffer, ReadTurns


class Client:
    """Counts how often it was admitted."""

    def __init__(self) -> None:
        self.admitted = 0

    def admit(self) -> None:
        self.admitted += 1


def test_bodies_are_admitted_up_to_the_limit() -> None:
    budget, clients = BodyBudget(100), [Client() for _ in range(3)]
    assert [budget.request(client, 40) for client in clients] == [True, True, False]
    assert budget.is_exhausted
    budget.release(clients[0])
    assert clients[2].admitted == 1
    assert not budget.is_exhausted


def test_a_small_body_does_not_overtake_a_large_one() -> None:
    budget, first, large, small = BodyBudget(100), Client(), Client(), Client()
    assert budget.request(first, 60)
    assert not budget.request(large, 100)
    assert not budget.request(small, 10)
    budget.release(first)
    assert (large.admitted, small.admitted) == (1, 0)
    budget.release(large)
    assert small.admitted == 1


def test_a_client_that_leaves_the_queue_is_not_admitted() -> None:
    budget, first, second = BodyBudget(100), Client(), Client()
    budget.request(first, 100)
    budget.request(second, 100)
    budget.release(second)
    budget.release(first)
    assert second.admitted == 0
    assert budget.request(Client(), 100)


def test_releasing_twice_frees_once() -> None:
    budget, first = BodyBudget(100), Client()
    budget.request(first, 100)
    budget.release(first)
    budget.release(first)
    assert budget.request(Client(), 100)
    assert not budget.request(Client(), 1)


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


class ReadClient:
    """Notes when it is read."""

    def __init__(self, number: int, read: list[int]) -> None:
        self._number = number
        self._read = read

    def read_on(self) -> None:
        self._read.append(self._number)


def test_each_turn_of_the_loop_reads_a_few_clients_in_order() -> None:
    async def run() -> list[int]:
        read: list[int] = []
        turns = ReadTurns(asyncio.get_running_loop())
        for number in range(2 * TURNS + 1):
            turns.request(ReadClient(number, read))
        counts = []
        for _ in range(4):
            await asyncio.sleep(0)
            counts.append(len(read))
        assert read == sorted(read)
        return counts

    assert asyncio.run(run()) == [TURNS, 2 * TURNS, 2 * TURNS + 1, 2 * TURNS + 1]

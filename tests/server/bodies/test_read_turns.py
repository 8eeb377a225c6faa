"""Read turns: a few clients in each turn of the loop, in order."""

import asyncio

from tablewright.server.bodies.read_turns import TURNS, ReadTurns


class Client:
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
            turns.request(Client(number, read))
        counts = []
        for _ in range(4):
            await asyncio.sleep(0)
            counts.append(len(read))
        assert read == sorted(read)
        return counts

    assert asyncio.run(run()) == [TURNS, 2 * TURNS, 2 * TURNS + 1, 2 * TURNS + 1]

"""Body budget: bodies are admitted in the order of arrival, while there is memory."""

from tablewright.server.bodies.body_budget import BodyBudget


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

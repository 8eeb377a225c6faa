"""Work on many items shares its reads."""

from typing import Any

import pytest

from tablewright.access.procedures import Call, Procedure, run_sync, with_retries
from tablewright.errors import ProvisionedThroughputExceeded, ResourceNotFound
from tablewright.lifecycle.traversal.joined_reads import MOST_KEYS, in_step


class Server:
    """Replies with the keys that exist; leaves some unprocessed, once."""

    def __init__(self, *, throttled: int = 0, unprocessed: int = 0, missing: bool = False) -> None:
        self.calls: list[tuple[str, int]] = []
        self._throttled = throttled
        self._unprocessed = unprocessed
        self._missing = missing

    def __call__(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation != "BatchGetItem":
            self.calls.append((operation, 1))
            return {"of": request["Key"]}
        if self._missing:
            raise ResourceNotFound("no such table")
        keys = request["RequestItems"]["T"]["Keys"]
        self.calls.append((operation, len(keys)))
        assert len({str(key) for key in keys}) == len(keys) <= MOST_KEYS
        if self._throttled:
            self._throttled -= 1
            raise ProvisionedThroughputExceeded("too fast")
        left, self._unprocessed = keys[: self._unprocessed], 0
        items = [{**key, "a": {"S": "x"}} for key in keys if key not in left and int(key["id"]["N"]) % 2]
        waiting = {"T": {"Keys": left}} if left else {}
        return {"Responses": {"T": items}, "UnprocessedKeys": waiting}


def reading(*numbers: int, then_write: bool = True) -> Procedure[list[str]]:
    """Read items until all are processed, then write."""
    keys: list[Any] = [{"id": {"N": str(number)}} for number in numbers]
    found: list[Any] = []
    while keys:
        request = {"RequestItems": {"T": {"Keys": keys, "ConsistentRead": True}}}
        reply = yield from with_retries(Call("BatchGetItem", request))
        found += reply["Responses"]["T"]
        keys = reply["UnprocessedKeys"].get("T", {}).get("Keys", [])
    if then_write:
        yield Call("PutItem", {"Key": numbers[0]})
    return sorted(item["id"]["N"] for item in found)


def run(server: Server, *procedures: Procedure[Any]) -> Any:
    return run_sync(in_step(procedures), server, pause=lambda seconds: None)


def test_reads_are_joined_and_each_gets_its_own_items() -> None:
    server = Server()
    assert run(server, reading(1, 2), reading(3), reading(1, 5)) == [["1"], ["3"], ["1", "5"]]
    assert server.calls == [("BatchGetItem", 4), *[("PutItem", 1)] * 3]


def test_calls_have_no_more_keys_than_allowed() -> None:
    server = Server()
    run(server, *(reading(2 * number, 2 * number + 1, then_write=False) for number in range(120)))
    assert [size for _, size in server.calls] == [100, 100, 40]


def test_unprocessed_keys_and_errors_reach_the_work_that_asked() -> None:
    server = Server(unprocessed=2)
    assert run(server, reading(1, 3), reading(5)) == [["1", "3"], ["5"]]
    server = Server(throttled=1)
    assert run(server, reading(1), reading(3)) == [["1"], ["3"]]
    with pytest.raises(ResourceNotFound):
        run(Server(missing=True), reading(1), reading(3))


def test_no_work_makes_no_call() -> None:
    server = Server()
    assert run(server) == []
    assert not server.calls

"""ULIDs: in the order in which they were made, also within a millisecond and among threads."""

from concurrent.futures import ThreadPoolExecutor

from tablewright import fields


def test_ids_of_one_millisecond_keep_their_order() -> None:
    made = [fields.ulid(1_750_000_000.123) for _ in range(2_000)]
    assert made == sorted(set(made))
    assert len({each[:10] for each in made}) == 1


def test_ids_begin_with_their_millisecond_exactly() -> None:
    assert fields.ulid(1.001)[:10] == "00000000Z9"


def test_threads_never_make_an_id_twice() -> None:
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: [fields.ulid(5.0) for _ in range(500)], range(4)))
    assert all(each == sorted(each) for each in made)
    assert len({one for each in made for one in each}) == 2_000

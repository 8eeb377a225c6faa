"""Row checksums: every changed bit of key, size or body is found."""

import random

from tablewright.engine.storage.row_checksums import SIZE_MASK, is_intact, with_checksum


def flipped(data: bytes, bit: int) -> bytes:
    return (int.from_bytes(data, "big") ^ 1 << bit).to_bytes(len(data), "big")


def test_every_changed_bit_is_found() -> None:
    source = random.Random(1)
    for size in (0, 1, 400 * 1024, SIZE_MASK):
        key, body = source.randbytes(20), source.randbytes(200)
        column = with_checksum(key, size, body)
        assert column & SIZE_MASK == size
        assert -(1 << 63) <= column < 1 << 63, "SQLite stores it as one integer"
        assert is_intact(key, column, body)
        assert not any(is_intact(flipped(key, bit), column, body) for bit in range(len(key) * 8))
        assert not any(is_intact(key, column, flipped(body, bit)) for bit in range(len(body) * 8))
        assert not any(is_intact(key, column ^ 1 << bit, body) for bit in range(63))


def test_bytes_that_move_from_the_key_to_the_body_are_found_by_the_size_of_either() -> None:
    column = with_checksum(b"key", 4, b"body")
    assert not is_intact(b"keyb", column ^ 1, b"ody")


def test_values_of_another_type_are_damage() -> None:
    column = with_checksum(b"key", 4, b"body")
    for row in (
        (b"key", column, "body"),
        (b"key", None, b"body"),
        ("key", column, b"body"),
        (b"key", 1.5, b""),
    ):
        assert not is_intact(*row)

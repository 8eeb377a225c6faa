"""Envelopes: authenticated encryption with a data key and a binding."""

import pytest

from tablewright.access.encryption.envelopes import (
    ID_BYTES,
    VERSION,
    DataKey,
    NotAnEnvelope,
    WrongKeyOrBinding,
    decrypt,
    encrypt,
    key_id,
)

KEY = DataKey(b"i" * ID_BYTES, b"s" * 32)


@pytest.mark.parametrize("content", [b"", b"content", bytes(10_000)])
def test_content_round_trips(content: bytes) -> None:
    envelope = encrypt(KEY, b"place", content)
    assert decrypt(KEY, b"place", envelope) == content
    assert key_id(envelope) == KEY.id
    assert len(content) < 16 or content not in envelope


def test_equal_content_has_different_envelopes() -> None:
    assert len({encrypt(KEY, b"place", b"content") for _ in range(100)}) == 100


@pytest.mark.parametrize(
    ("key", "binding"),
    [
        (DataKey(KEY.id, b"t" * 32), b"place"),
        (KEY, b"another place"),
        (KEY, b""),
    ],
)
def test_another_key_or_binding_does_not_decrypt(key: DataKey, binding: bytes) -> None:
    envelope = encrypt(KEY, b"place", b"content")
    with pytest.raises(WrongKeyOrBinding):
        decrypt(key, binding, envelope)


def test_no_byte_can_be_changed() -> None:
    envelope = encrypt(KEY, b"place", b"content")
    for place in range(len(envelope)):
        changed = bytearray(envelope)
        changed[place] ^= 1
        with pytest.raises(WrongKeyOrBinding):
            decrypt(KEY, b"place", bytes(changed))


@pytest.mark.parametrize("value", [None, "text", b"", VERSION + bytes(48), b"\x02" + bytes(100)])
def test_other_values_are_not_envelopes(value: object) -> None:
    with pytest.raises(NotAnEnvelope):
        key_id(value)


def test_a_key_does_not_show_its_secret() -> None:
    assert "ssss" not in repr(KEY)

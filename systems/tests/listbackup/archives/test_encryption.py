"""Encryption of archives: a chunk decrypts only in its place, a manifest only unchanged."""

import pytest
from tablewright_systems.listbackup.archives.encryption import ArchiveCipher, ArchiveDamaged, new_key

KEY = new_key()


def test_a_chunk_is_encrypted_with_another_nonce_each_time() -> None:
    cipher = ArchiveCipher(KEY, "a1")
    one, other = cipher.encrypt(b"secret", "contacts", 0), cipher.encrypt(b"secret", "contacts", 0)
    assert one != other
    assert b"secret" not in one
    assert cipher.decrypt(one, "contacts", 0) == cipher.decrypt(other, "contacts", 0) == b"secret"


@pytest.mark.parametrize(
    ("archive", "data_type", "number"),
    [("a2", "contacts", 0), ("a1", "orders", 0), ("a1", "contacts", 1), ("a1", "0\ncontacts", 0)],
)
def test_a_chunk_of_another_place_is_rejected(archive: str, data_type: str, number: int) -> None:
    data = ArchiveCipher(KEY, "a1").encrypt(b"secret", "contacts", 0)
    with pytest.raises(ArchiveDamaged, match="does not decrypt"):
        ArchiveCipher(KEY, archive).decrypt(data, data_type, number)


def test_a_chunk_with_another_key_or_changed_bytes_is_rejected() -> None:
    data = ArchiveCipher(KEY, "a1").encrypt(b"secret", "contacts", 0)
    for cipher, read in [
        (ArchiveCipher(new_key(), "a1"), data),
        (ArchiveCipher(KEY, "a1"), data[:-1]),
        (ArchiveCipher(KEY, "a1"), data[:5]),
        (ArchiveCipher(KEY, "a1"), bytes([data[0] ^ 1]) + data[1:]),
    ]:
        with pytest.raises(ArchiveDamaged):
            cipher.decrypt(read, "contacts", 0)


def test_a_signature_belongs_to_one_manifest_archive_and_key() -> None:
    signature = ArchiveCipher(KEY, "a1").sign(b"manifest")
    assert ArchiveCipher(KEY, "a1").sign(b"manifest") == signature
    others = [
        ArchiveCipher(KEY, "a1").sign(b"manifesto"),
        ArchiveCipher(KEY, "a2").sign(b"manifest"),
        ArchiveCipher(new_key(), "a1").sign(b"manifest"),
    ]
    assert signature not in others

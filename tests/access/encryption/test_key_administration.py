"""`db.keys` and `db.aio.keys`: the same operations, called and awaited."""

import asyncio
from collections.abc import Iterator

import pytest

from tablewright import Get, Repository, connect
from tablewright.access.encryption.keyrings import MemoryKeys
from tablewright.errors import SecretShredded
from tests.access.encryption.secrets_store import OAuth, design, oauth


class OAuthOf(Get[OAuth]):
    account_id: str
    source_id: str


FIRST = OAuthOf(account_id="a1", source_id="s1")


@pytest.fixture
def keyring() -> MemoryKeys:
    return MemoryKeys()


@pytest.fixture
def db(keyring: MemoryKeys) -> Iterator[Repository]:
    with connect(design, secrets=keyring) as db:
        db.create(oauth())
        yield db


def test_called(db: Repository, keyring: MemoryKeys) -> None:
    keyring.rotate()
    assert db.keys.rewrap() == 1
    assert db.keys.rotate(OAuth, account_id="a1", source_id="s1") == 1
    assert db.keys.reencrypt(OAuth) == 1
    assert db.run(FIRST) == oauth()
    assert db.keys.shred(OAuth, account_id="a1") == 1
    with pytest.raises(SecretShredded):
        db.run(FIRST)


def test_awaited(db: Repository, keyring: MemoryKeys) -> None:
    async def administer() -> list[int]:
        keys = db.aio.keys
        return [
            await keys.rewrap(),
            await keys.rotate(OAuth, account_id="a1", source_id="s1"),
            await keys.reencrypt(OAuth),
            await keys.shred(OAuth, account_id="a1"),
        ]

    keyring.rotate()
    assert asyncio.run(administer()) == [1, 1, 1, 1]
    with pytest.raises(SecretShredded):
        db.run(FIRST)

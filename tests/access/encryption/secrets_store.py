"""Entities with secrets, and a store with a vault, for the tests of encryption."""

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field

from tablewright import Design, Entity, Index, Keys, Table
from tablewright.access.context import Context
from tablewright.access.encryption.field_encryption import SecretVault
from tablewright.access.encryption.keyrings import MemoryKeys
from tablewright.access.items.item_values import model_attributes
from tablewright.access.items.vault import compute_with_keys
from tablewright.access.procedures import Procedure, run_sync
from tablewright.connections import Embedded
from tablewright.design.fields import markers
from tablewright.design.layouts.layouts import Layout
from tablewright.dynamodb.values.attributes import Item

T = TypeVar("T")

main = Table("secrets-main", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK")])
KEY_TABLE = "secrets-keys"
PLAIN = "correct horse battery staple"


class Tokens(BaseModel):
    access: str
    scopes: set[str] = set()


class OAuth(Entity, table=main, type="OAUTH"):
    account_id: str
    source_id: str
    tokens: Annotated[Tokens, markers.Encrypted(context=("account_id", "source_id"))]
    refresh: Annotated[Any, markers.Encrypted(context=("account_id", "source_id"))] = None
    api_key: Annotated[str | None, Field(max_length=40), markers.Hashed()] = None
    keys = Keys(primary=("ACCOUNT#{account_id}", "SOURCE#{source_id}"), GSI1=("{api_key}",))


class Note(Entity, table=main, type="NOTE"):
    note_id: str
    account_id: str
    text: Annotated[str, markers.Encrypted(context=("account_id",))]
    draft: Annotated[str | None, markers.Encrypted()] = None
    keys = Keys(primary=("NOTE#{note_id}", "NOTE"))


class Memo(Entity, table=main, type="MEMO"):
    note_id: str
    account_id: str
    text: Annotated[str, markers.Encrypted(context=("account_id",))]
    api_key: Annotated[str | None, markers.Hashed()] = None
    keys = Keys(primary=("NOTE#{note_id}", "NOTE"))


design = Design("secrets", entities=[OAuth, Note, Memo])


class Store:
    """An embedded database, and a vault on it."""

    def __init__(self, db: Embedded, keyring: MemoryKeys | None = None, lifetime: float = 300.0) -> None:
        self.db = db
        self.time = 0.0
        self.keyring = keyring or MemoryKeys()
        assert design.key_table is not None
        self.vault = SecretVault(
            self.keyring, design.key_table.physical_name(), lifetime=lifetime, clock=lambda: self.time
        )
        self.context = Context(vault=self.vault)
        self.calls: list[str] = []

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self.calls.append(operation)
        return self.db.call(operation, request)

    def run_sync(self, procedure: Procedure[T]) -> T:
        return run_sync(procedure, self.call)

    def encrypt(self, entity: Entity) -> Item:
        return self.encrypt_item(entity.layout, plain(entity))

    def encrypt_item(self, layout: Layout, item: Item) -> Item:
        return self.run_sync(compute_with_keys(lambda: self.vault.encrypt(layout, item)))

    def decrypt(self, layout: Layout, item: Item) -> Item:
        return self.run_sync(compute_with_keys(lambda: self.vault.decrypt(layout, item)))

    def put(self, entity: Entity) -> Item:
        encrypted = self.encrypt(entity)
        self.db.call("PutItem", {"TableName": main.name, "Item": encrypted})
        return encrypted


def plain(entity: Entity) -> Item:
    """The item of an entity, before encryption."""
    key = {name: {"S": template.render(entity.__dict__)} for name, template in entity.layout.primary.parts}
    return {**key, "type": {"S": entity.layout.type_name}, **model_attributes(entity)}


def oauth(account: str = "a1", source: str = "s1", **more: Any) -> OAuth:
    """An entity with secrets."""
    return OAuth(account_id=account, source_id=source, tokens=Tokens(access=PLAIN), **more)


def items_in(store: Store) -> list[Item]:
    """All items of the table."""
    found: list[Item] = store.db.call("Scan", {"TableName": main.name})["Items"]
    return found

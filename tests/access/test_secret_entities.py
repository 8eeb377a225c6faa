"""Secret fields in every kind of read and write; no message contains them."""

import asyncio
from collections.abc import Iterator
from typing import Annotated, Any, ClassVar

import pytest
from pydantic import field_validator

from tablewright import Design, Entity, Find, Get, Index, Keys, Query, Scan, Table, connect, fields, writes
from tablewright.access.encryption.keyrings import KeyFile, MemoryKeys
from tablewright.access.repository import Repository
from tablewright.design.fields.markers import Digest
from tablewright.design.keys.keys import Copy
from tablewright.errors import (
    AlreadyExists,
    ConditionNotMet,
    DesignError,
    DoesNotExist,
    InvalidWrite,
    SecretAltered,
    SecretError,
    SecretShredded,
    TablewrightError,
    UniqueViolation,
    UnknownItem,
)

main = Table("vault-main", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK"), Index("by-shadow", "shadow")])
badges = Table("vault-badges", key="code")
PLAIN = "plain-secret"


class Login(Entity, table=main, type="LOGIN"):
    account: str
    login_id: str
    tenant: str = "t1"
    password: Annotated[str, fields.Encrypted(context=("tenant",))]
    hints: Annotated[list[str] | None, fields.Encrypted()] = None
    email: Annotated[str | None, fields.Encrypted(), fields.Unique()] = None
    token: Annotated[str | None, fields.Hashed()] = None
    visits: int = 0
    keys = Keys(primary=("ACCOUNT#{account}", "LOGIN#{login_id}"), GSI1=("TOKEN#{token}",))
    twin = Copy(primary=("TENANT#{tenant}", "LOGIN#{login_id}"))


class Pin(Entity, table=main, type="PIN"):
    account: str
    pin: Annotated[int, fields.Encrypted(context=("account",))]
    keys = Keys(primary=("ACCOUNT#{account}", "PIN"))


class Badge(Entity, table=badges):
    code: Annotated[str, fields.Hashed()]
    owner: str = "ada"


class Card(Entity, table=main, type="CARD"):
    card_id: str
    owner: str = "ada"
    shadow: Annotated[str, fields.Hashed()]
    keys = Keys(primary=("CARD#{card_id}", "CARD"))
    twin = Copy(primary=("CARD#{card_id}", "TWIN"), indexes={"by-shadow": "{shadow}"})
    pale = Copy(primary=("CARD#{card_id}", "PALE"))


class Strict(Entity, table=main, type="STRICT"):
    """Its validator's error quotes the invalid value."""

    word_ok: ClassVar[str] = "good"
    id: str
    word: Annotated[str, fields.Encrypted()]
    keys = Keys(primary=("STRICT#{id}", "STRICT"))

    @field_validator("word")
    @classmethod
    def _only_good(cls, word: str) -> str:
        if word != cls.word_ok:
            raise ValueError(f"{word} is not {cls.word_ok}")
        return word


class StrictById(Get[Strict]):
    id: str


class LoginById(Get[Login]):
    account: str
    login_id: str


class LoginByToken(Find[Login]):
    token: str
    key = "GSI1PK = TOKEN#{token}"


class OfAccount(Query[Login | Pin]):
    account: str
    key = "PK = ACCOUNT#{account}"


class Twins(Query[Login]):
    tenant: str
    key = "PK = TENANT#{tenant}"


class EveryPin(Scan[Pin]):
    pass


class BadgeByCode(Get[Badge]):
    code: str


class CardById(Get[Card]):
    card_id: str


class CardsByShadow(Query[Card]):
    shadow: str
    index = "by-shadow"


class Passwords(Query[Login]):
    account: str
    key = "PK = ACCOUNT#{account} AND begins_with(SK, LOGIN#)"
    fields = ("password", "tenant")


design = Design(
    "vault",
    entities=[Login, Pin, Badge, Card, Strict],
    patterns=[LoginById, LoginByToken, OfAccount, Twins, EveryPin, BadgeByCode, Passwords],
)


@pytest.fixture
def db() -> Iterator[Repository]:
    with connect(design) as db:
        yield db


def login(number: int = 1, **more: Any) -> Login:
    given = {"password": PLAIN, "hints": [PLAIN], "email": f"{PLAIN}@{number}", "token": f"{PLAIN}-{number}"}
    return Login(account="a", login_id=str(number), **(given | more))


def by_id(number: int = 1) -> LoginById:
    return LoginById(account="a", login_id=str(number))


def everything(db: Repository) -> str:
    return str([db.connection.call("Scan", {"TableName": table.name}) for table in design.tables])


def test_secrets_round_trip_and_are_not_stored_in_plaintext(db: Repository) -> None:
    created = db.create(login())
    found = db.run(by_id())
    assert found is not None
    assert (found.password, found.hints, found.email) == (PLAIN, [PLAIN], f"{PLAIN}@1")
    assert isinstance(found.token, Digest)
    assert created.token == f"{PLAIN}-1"
    assert PLAIN not in everything(db)


def test_a_hashed_field_is_found_by_its_value(db: Repository) -> None:
    for number in (1, 2):
        db.create(login(number))
    found = db.run(LoginByToken(token=f"{PLAIN}-2"))
    assert found is not None
    assert found.login_id == "2"
    assert db.run(LoginByToken(token=str(found.token))) is None


def test_a_read_entity_can_be_written_back(db: Repository) -> None:
    db.create(login())
    for _ in range(2):
        found = db.run(LoginByToken(token=f"{PLAIN}-1"))
        assert found is not None
        db.put(found.changed(visits=found.visits + 1))
    found = db.run(LoginByToken(token=f"{PLAIN}-1"))
    assert found is not None
    assert (found.visits, found.password) == (2, PLAIN)


def test_updates_encrypt_the_new_values(db: Repository) -> None:
    db.create(login())
    updated = db.update(by_id(), set={"password": f"{PLAIN}-new", "token": f"{PLAIN}-new", "hints": None})
    assert (updated.password, updated.hints) == (f"{PLAIN}-new", None)
    found = db.run(LoginByToken(token=f"{PLAIN}-new"))
    assert found is not None
    assert found.password == updated.password
    assert db.run(LoginByToken(token=f"{PLAIN}-1")) is None
    assert PLAIN not in everything(db)


def test_a_change_of_the_context_encrypts_again(db: Repository) -> None:
    db.create(login())
    db.update(by_id(), set={"tenant": "t2"})
    db.keys.shred(Login, tenant="t1")
    found = db.run(by_id())
    assert found is not None
    assert (found.password, found.tenant) == (PLAIN, "t2")


def test_copies_are_encrypted_for_their_own_key(db: Repository) -> None:
    db.create(login())
    db.update(by_id(), set={"password": "other"})
    (twin,) = db.run(Twins(tenant="t1"))
    assert twin.password == "other"
    assert PLAIN not in everything(db)


def test_moves_transactions_and_batches(db: Repository) -> None:
    db.create(login())
    moved = db.move(by_id(), login_id="9")
    assert db.run(by_id(9)) == moved.changed(token=_token(db, 9))
    db.transact(writes.Create(login(2)), writes.Create(Pin(account="a", pin=1234)))
    db.batch([writes.Put(Pin(account=name, pin=5678)) for name in "bc"])
    assert [type(entity).__name__ for entity in db.run(OfAccount(account="a"))] == ["Login", "Login", "Pin"]
    assert sorted(pin.pin for pin in db.all(EveryPin(), unknown="skip")) == [1234, 5678, 5678]
    assert PLAIN not in everything(db)
    assert db.delete(by_id(2))


def test_the_lock_of_a_unique_secret_does_not_contain_it(db: Repository) -> None:
    db.create(login(1, email=PLAIN))
    with pytest.raises(UniqueViolation) as error:
        db.create(login(2, email=PLAIN))
    assert error.value.field == "email"
    assert PLAIN not in str(error.value)
    db.update(by_id(), set={"email": "free"})
    db.create(login(2, email=PLAIN))


def test_hashed_fields_as_keys(db: Repository) -> None:
    db.create(Card(card_id="c", shadow=PLAIN))
    for owner in ("eve", "bob"):
        db.put(_required(db.run(CardById(card_id="c"))).changed(owner=owner))
    assert {card.owner for card in db.run(CardsByShadow(shadow=PLAIN))} == {"bob"}
    items = db.connection.call("Scan", {"TableName": main.name})["Items"]
    hashes = {(item.get("shadow") or item["_kept"]["M"]["shadow"])["S"] for item in items}
    assert (len(items), hashes) == (3, {str(_required(db.run(CardById(card_id="c"))).shadow)})
    assert PLAIN not in everything(db)


def test_rows(db: Repository) -> None:
    db.create(login())
    (row,) = db.rows(Passwords(account="a"))
    assert row["password"] == PLAIN
    assert PLAIN not in repr(row)


def test_async(db: Repository) -> None:
    async def use_async() -> None:
        aio = db.aio
        await aio.create(login())
        found = await aio.run(LoginByToken(token=f"{PLAIN}-1"))
        assert found is not None
        assert found.password == PLAIN
        assert await aio.keys.rotate(Login, tenant="t1") == 2
        assert await aio.keys.reencrypt(Login) == 2
        assert await aio.keys.shred(Login, tenant="t1") == 1
        with pytest.raises(SecretShredded):
            await aio.run(by_id())

    asyncio.run(use_async())


def test_a_page_lists_entities_that_cannot_be_decrypted(db: Repository) -> None:
    db.create(login(1, tenant="t1"))
    db.create(login(2, tenant="t2"))
    db.keys.shred(Login, tenant="t1")
    page = db.run(OfAccount(account="a"))
    assert [entity.login_id for entity in page if isinstance(entity, Login)] == ["2"]
    (unknown,) = page.unknown
    assert "its key was deleted" in str(unknown)
    with pytest.raises(SecretShredded, match=r"Login\.password"):
        db.run(by_id())


def test_a_missing_entity_is_named_without_its_secret(db: Repository) -> None:
    with pytest.raises(DoesNotExist) as found_by_index:
        db.get_or_raise(LoginByToken(token=PLAIN))
    with pytest.raises(DoesNotExist) as found_by_key:
        db.get_or_raise(BadgeByCode(code=PLAIN))
    messages = [str(found_by_index.value), str(found_by_key.value)]
    assert messages == ["Login(token='***') does not exist", "Badge(code='***') does not exist"]
    assert PLAIN not in repr((found_by_index.value.key, found_by_key.value.key))


def test_a_moved_ciphertext_is_detected(db: Repository) -> None:
    for number in (1, 2):
        db.create(login(number))
    first, second = ({"PK": {"S": "ACCOUNT#a"}, "SK": {"S": f"LOGIN#{number}"}} for number in (1, 2))
    item = db.connection.call("GetItem", {"TableName": main.name, "Key": first})["Item"]
    db.connection.call(
        "UpdateItem",
        {
            "TableName": main.name,
            "Key": second,
            "UpdateExpression": "SET password = :p",
            "ExpressionAttributeValues": {":p": item["password"]},
        },
    )
    with pytest.raises(SecretAltered, match=r"Login\.password does not decrypt"):
        db.run(by_id(2))


class TestMessages:
    def test_explain_shows_no_secret(self, db: Repository) -> None:
        assert PLAIN not in str(db.explain(LoginByToken(token=PLAIN)))
        assert "TOKEN#***" in str(db.explain(LoginByToken(token=PLAIN)))
        assert PLAIN not in str(db.explain(writes.Create(login())))
        assert PLAIN not in repr(db.explain(writes.Create(login())))

    def test_errors_do_not_contain_a_hashed_key(self, db: Repository) -> None:
        badge = db.create(Badge(code=PLAIN))
        assert db.run(BadgeByCode(code=PLAIN)) == badge.changed(code=_code(db))
        self._raises(AlreadyExists, lambda: db.create(Badge(code=PLAIN)))
        self._raises(DoesNotExist, lambda: db.update(BadgeByCode(code=f"{PLAIN}?"), set={"owner": "eve"}))
        self._raises(
            DoesNotExist,
            lambda: db.update(writes.Target(Badge, {"code": f"{PLAIN}?"}), set={"owner": "eve"}),
        )

    def test_errors_do_not_contain_values(self, db: Repository) -> None:
        db.create(login())
        self._raises(InvalidWrite, lambda: db.update(by_id(), set={"password": [PLAIN]}))
        self._raises(InvalidWrite, lambda: db.update(by_id(), set={"hints": PLAIN}))
        self._raises(
            InvalidWrite, lambda: db.update(by_id(), set={"visits": 1}, when=Login.password == PLAIN)
        )

    def test_what_is_added_to_an_encrypted_number(self, db: Repository) -> None:
        pin = db.create(Pin(account="a", pin=1234))
        assert db.add(pin, pin=1).pin == 1235
        self._raises(InvalidWrite, lambda: db.add(pin, pin="98765"), "98765")
        self._raises(InvalidWrite, lambda: db.add(pin, pin=98765.5), "98765")

    def test_errors_do_not_contain_stored_values(self, db: Repository) -> None:
        db.create(Strict(id="1", word="good"))
        Strict.word_ok = "changed"
        try:
            self._raises(UnknownItem, lambda: db.run(StrictById(id="1")), "good")
        finally:
            Strict.word_ok = "good"

    def test_writes_as_values(self) -> None:
        shown = repr([writes.Create(login()), writes.Update(by_id(), set={"password": PLAIN})])
        assert PLAIN not in shown

    @staticmethod
    def _raises(kind: type[TablewrightError], act: Any, secret: str = PLAIN) -> None:
        with pytest.raises(kind) as error:
            act()
        assert secret not in str(error.value)
        assert secret not in repr(error.value)


class TestFilters:
    def test_a_filter_cannot_compare_an_encrypted_field(self) -> None:
        with pytest.raises(DesignError, match=r"password is encrypted, so its value cannot be compared"):

            class ByPassword(Query[Login]):
                account: str
                password: str
                key = "PK = ACCOUNT#{account}"
                filter = "password = {password}"

    def test_a_filter_can_test_whether_a_secret_exists(self, db: Repository) -> None:
        class WithHints(Query[Login]):
            account: str
            key = "PK = ACCOUNT#{account}"
            filter = "attribute_exists(hints)"

        db.create(login(1))
        db.create(login(2, hints=None))
        assert [found.login_id for found in db.run(WithHints(account="a"))] == ["1"]

    def test_a_hashed_field_is_compared_by_its_hash(self, db: Repository) -> None:
        class WithToken(Query[Login]):
            account: str
            token: str
            key = "PK = ACCOUNT#{account}"
            filter = "token = {token}"

        for number in (1, 2):
            db.create(login(number))
        found = db.run(WithToken(account="a", token=f"{PLAIN}-2"))
        assert [each.login_id for each in found] == ["2"]

    def test_a_condition_on_a_hashed_field(self, db: Repository) -> None:
        db.create(login(1))
        updated = db.update(by_id(), set={"visits": 1}, when=Login.token == f"{PLAIN}-1")
        assert updated.visits == 1
        with pytest.raises(ConditionNotMet) as error:
            db.update(by_id(), set={"visits": 2}, when=Login.token == f"{PLAIN}-2")
        assert PLAIN not in str(error.value)


class TestConnecting:
    def test_a_file_needs_its_master_keys(self, tmp_path: Any) -> None:
        with (
            connect(design, tmp_path / "app.db") as db,
            pytest.raises(SecretError, match=r"tablewright keys new .*KeyFile\(.*KmsKey"),
        ):
            db.create(login())

    def test_keys_decrypt_data_of_an_earlier_process(self, tmp_path: Any) -> None:
        keys = KeyFile.create(tmp_path / "keys.json")
        with connect(design, tmp_path / "app.db", secrets=keys) as db:
            db.create(login())
            keys.rotate()
            assert db.keys.rewrap() > 0
        with connect(design, tmp_path / "app.db", secrets=KeyFile(tmp_path / "keys.json")) as db:
            found = db.run(LoginByToken(token=f"{PLAIN}-1"))
            assert found is not None
            assert found.password == PLAIN

    def test_other_master_keys_do_not_decrypt(self, tmp_path: Any) -> None:
        with connect(design, tmp_path / "app.db", secrets=MemoryKeys()) as db:
            db.create(login())
        with connect(design, tmp_path / "app.db", secrets=MemoryKeys()) as db, pytest.raises(SecretError):
            db.run(by_id())

    def test_a_design_without_secrets_has_no_keys(self) -> None:
        with (
            connect(Design("plain", tables=[badges])) as db,
            pytest.raises(SecretError, match="has no keys"),
        ):
            db.keys.rewrap()


def _required(card: Card | None) -> Card:
    assert card is not None
    return card


def _code(db: Repository) -> Any:
    found = db.run(BadgeByCode(code=PLAIN))
    return found and found.code


def _token(db: Repository, number: int) -> Any:
    found = db.run(by_id(number))
    return found and found.token

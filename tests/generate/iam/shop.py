"""A small design for policies: tenants, a lock, a copy, a secret, an append-only entity and a projection."""

from typing import Annotated

from tablewright import BatchGet, Copy, Design, Entity, Find, Get, Index, Keys, Query, Scan, Table, fields

shop = Table("shop", ("PK", "SK"), [Index("GSI1", "GSI1PK", "GSI1SK")], stream="NEW_IMAGE")


class Basket(Entity, table=shop, type="BASKET"):
    user_id: str
    code: Annotated[str, fields.Unique()]
    keys = Keys(primary=("USER#{user_id}", "BASKET"), GSI1=("CODE#{code}", "BASKET"))


class Line(Entity, table=shop, type="LINE"):
    user_id: str
    line_id: str
    title: str = ""
    note: str = ""
    keys = Keys(primary=("USER#{user_id}", "LINE#{line_id}"))


class Card(Entity, table=shop, type="CARD", writes={"create", "update"}):
    user_id: str
    shop_id: str
    number: Annotated[str, fields.Encrypted(context=("user_id",))]
    keys = Keys(primary=("USER#{user_id}", "CARD"))
    by_shop = Copy(primary=("SHOP#{shop_id}", "CARD#{user_id}"), fields=["user_id"])


class Receipt(Entity, table=shop, type="RECEIPT", writes={"create"}):
    user_id: str
    receipt_id: str
    keys = Keys(primary=("USER#{user_id}", "RECEIPT#{receipt_id}"))


class BasketOf(Get[Basket]):
    """The basket of a user."""

    user_id: str


class BasketByCode(Find[Basket]):
    """A basket by its code."""

    code: str
    key = "GSI1PK = CODE#{code}"


class LinesOf(Query[Line]):
    """The lines of a user."""

    user_id: str
    key = "PK = USER#{user_id}, begins_with(SK, 'LINE#')"


class LinesOfOwner(Query[Line]):
    """The same, with a parameter of another name."""

    owner: str
    key = "PK = USER#{owner}, begins_with(SK, 'LINE#')"


class TitlesOf(Query[Line]):
    """The titles of a user's lines."""

    user_id: str
    key = "PK = USER#{user_id}, begins_with(SK, 'LINE#')"
    fields = ("line_id", "title")


class SomeLines(BatchGet[Line]):
    """Some lines of a user."""

    user_id: str
    line_id: list[str]


class CardOf(Get[Card]):
    """The card of a user."""

    user_id: str


class EveryBasket(Scan[Basket]):
    """All baskets."""


design = Design(
    "shop",
    entities=[Basket, Line, Card, Receipt],
    patterns=[BasketOf, BasketByCode, LinesOf, LinesOfOwner, TitlesOf, SomeLines, CardOf, EveryBasket],
)

from typing import Annotated

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields import markers
from tablewright.design.indexes import Index
from tablewright.design.keys.keys import Copy, Keys
from tablewright.design.patterns import Query
from tablewright.design.tables import Table

CODE = "TW305"
users = Table(
    "users",
    key="userId",
    indexes=[
        Index("all", "email"),
        Index("some", "role", projection=["name", "email"]),
        Index("keys", "country", projection="KEYS_ONLY"),
    ],
    literal=True,
)


class User(Entity, table=users):
    user_id: str
    email: str
    role: str
    country: str
    name: str


class ByEmail(Query[User]):
    email: str
    key = "email = {email}"


class NamesByRole(Query[User]):
    role: str
    key = "role = {role}"
    fields = ("name", "email")


class ByRole(Query[User]):
    role: str
    key = "role = {role}"


class NamesByCountry(Query[User]):
    country: str
    key = "country = {country}"
    fields = ("user_id", "name")


sessions = Table(
    "sessions",
    key=("PK", "SK"),
    ttl="expiresAt",
    indexes=[
        Index("complete", "userId", projection=["device", "expiresAt", "type"]),
        Index("no-expiry", "city", projection=["device", "type"]),
        Index("no-type", "country", projection=["device", "expiresAt"]),
        Index("local", "PK", "device", projection="KEYS_ONLY", local=True),
    ],
    literal=True,
)


class Session(Entity, table=sessions, type="SESSION"):
    session_id: str
    user_id: str
    city: str
    country: str
    device: str
    expires_at: Annotated[int, markers.Ttl()]
    keys = Keys(primary=("USER#{user_id}", "SESSION#{session_id}"))


class OfUser(Query[Session]):
    user_id: str
    key = "userId = {user_id}"
    fields = ("device",)


class OfCity(Query[Session]):
    city: str
    key = "city = {city}"
    fields = ("device",)


class OfCountry(Query[Session]):
    country: str
    key = "country = {country}"
    fields = ("device",)


class ByDevice(Query[Session]):
    user_id: str
    device: str
    key = "PK = USER#{user_id} AND device = {device}"
    fields = ("city",)


class OfUserIn(Query[Session]):
    user_id: str
    city: str
    key = "userId = {user_id}"
    filter = "city = {city}"
    fields = ("device",)


class Invoice(Entity, table=sessions, type="INVOICE"):
    city: str
    device: str
    invoice_id: str
    keys = Keys(primary=("INVOICE#{invoice_id}", "INVOICE"))


class InvoicesOfCity(Query[Invoice]):
    city: str
    key = "city = {city}"
    fields = ("device",)


notes = Table(
    "notes",
    key=("PK", "SK"),
    indexes=[
        Index("by-owner", "ownerPK", projection=["text", "type"]),
        Index("by-list", "listPK", projection=["text", "type", "_of"]),
        Index("by-tag", "tag", projection=["text", "schemaVersion"]),
        Index("by-day", "day", projection=["text", "content"]),
    ],
    literal=True,
)


class Note(Entity, table=notes, type="NOTE"):
    note_id: str
    owner: str
    text: str
    keys = Keys(primary=("NOTE#{note_id}", "NOTE"), indexes={"by-owner": "OWNER#{owner}"})
    shared = Copy(primary=("SHARED#{owner}", "NOTE#{note_id}"), indexes={"by-owner": "OWNER#{owner}"})


class Listed(Entity, table=notes, type="LISTED"):
    note_id: str
    owner: str
    text: str
    body: str
    keys = Keys(primary=("LISTED#{note_id}", "NOTE"))
    shared = Copy(
        primary=("LIST#{owner}", "NOTE#{note_id}"), fields=("text",), indexes={"by-list": "LIST#{owner}"}
    )


class TextsOfList(Query[Listed]):
    owner: str
    key = "listPK = LIST#{owner}"


class OfOwner(Query[Note]):
    owner: str
    key = "ownerPK = OWNER#{owner}"
    fields = ("text",)


class Upgraded(Entity, table=notes, schema_version=2, upcasts={1: dict}):
    note_id: str
    tag: str
    text: str
    keys = Keys(primary=("UPGRADED#{note_id}", "NOTE"))


class OfTag(Query[Upgraded]):
    tag: str
    key = "tag = {tag}"
    fields = ("text",)


class Secret(Entity, table=notes):
    note_id: str
    day: str
    tenant: str
    content: Annotated[str, markers.Encrypted(context=("tenant",))]
    keys = Keys(primary=("SECRET#{note_id}", "NOTE"))


class OfDay(Query[Secret]):
    day: str
    key = "day = {day}"
    fields = ("content",)


passes = [
    Design("all", patterns=[ByEmail]),
    Design("only some", patterns=[NamesByRole]),
    Design("with the expiry and the type", patterns=[OfUser]),
    Design("an entity without expiry", patterns=[InvoicesOfCity]),
    Design("completed from the table", patterns=[ByDevice]),
    Design("the fields of the copies", patterns=[TextsOfList]),
]
fails = [
    (Design("an entity", patterns=[ByRole]), [("error", "ByRole", "country")]),
    (Design("a field", patterns=[NamesByCountry]), [("error", "NamesByCountry", "lacks name")]),
    (Design("no expiry", patterns=[OfCity]), [("error", "OfCity", "no-expiry, which lacks expiresAt")]),
    (Design("no type", patterns=[OfCountry]), [("error", "OfCountry", "no-type, which lacks type")]),
    (Design("no filtered field", patterns=[OfUserIn]), [("error", "OfUserIn", "lacks city")]),
    (Design("no mark of copies", patterns=[OfOwner]), [("error", "OfOwner", "lacks _of")]),
    (Design("a part for upcasts", patterns=[OfTag]), [("error", "OfTag", "take whole items")]),
    (Design("no context", patterns=[OfDay]), [("error", "OfDay", "lacks tenant")]),
]

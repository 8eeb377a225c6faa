from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.patterns.patterns import Query
from tablewright.design.tables.tables import Index, Table

CODE = "TW305"
users = Table(
    "users",
    key="userId",
    indexes=[
        Index("all", "email"),
        Index("some", "role", projection=["name", "email"]),
        Index("keys", "country", projection="KEYS_ONLY"),
    ],
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


passes = [Design("all", patterns=[ByEmail]), Design("only some", patterns=[NamesByRole])]
fails = [
    (Design("an entity", patterns=[ByRole]), [("error", "ByRole", "country")]),
    (Design("a field", patterns=[NamesByCountry]), [("error", "NamesByCountry", "lacks name")]),
]

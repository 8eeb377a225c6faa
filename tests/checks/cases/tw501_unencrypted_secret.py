from typing import Annotated

from pydantic import BaseModel

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields import markers
from tablewright.design.tables import Table

CODE = "TW501"
users = Table("users", key="userId")


class Login(BaseModel):
    kind: str
    refresh_token: str


class Sealed(Entity, table=users):
    user_id: str
    password: Annotated[str, markers.Hashed()]
    login: Annotated[Login, markers.Encrypted()]
    password_hash: str
    token_family: str
    has_password: bool
    tokens: int


class Open(Entity, table=users):
    user_id: str
    mfa_secret: str | None = None
    login: Login
    credentials: Login


passes = [Design("marked", entities=[Sealed])]
fails = [
    (
        Design("plain text", entities=[Open]),
        [
            ("warning", "Open.credentials", "looks like a secret"),
            ("warning", "Open.login.refresh_token", "looks like a secret"),
            ("warning", "Open.mfa_secret", "looks like a secret"),
        ],
    )
]

"""Users: sign-up, profile, second factor."""

from typing import Annotated

from pydantic import AfterValidator, TypeAdapter

from tablewright import fields
from tablewright_systems.listbackup.api.names import Name
from tablewright_systems.listbackup.api.sessions import Code
from tablewright_systems.listbackup.design.accounts import AccountType
from tablewright_systems.listbackup.design.users import Preferences, UserRole, UserStatus
from tablewright_systems.listbackup.design.vocabulary import Id, Username
from tablewright_systems.listbackup.service.users import mfa, users
from tablewright_systems.service import require_name
from tablewright_systems.web import Body, CurrentCaller, Db, Router, View, problems

router = Router("Users", "Sign-up, profile, second factor.")

_USERNAME: TypeAdapter[str] = TypeAdapter(Username)


def _fit(username: str) -> str:
    _USERNAME.validate_python(username)
    return require_name(username)


GivenUsername = Annotated[str, AfterValidator(_fit)]
"""A username as it was typed, which is kept for display; it has to fit once it is normalised."""


class UserView(View):
    """A user, without the secret of the second factor."""

    user_id: str
    email: str
    username: str
    display_email: str
    display_username: str
    name: str
    account_id: str | None
    status: UserStatus
    role: UserRole
    preferences: Preferences
    created_at: fields.Timestamp
    updated_at: fields.Timestamp
    last_login_at: fields.Timestamp | None
    mfa_enabled: bool


class SignUp(Body):
    """A new user with an account; the e-mail address comes from the token."""

    username: GivenUsername
    name: Name
    account_name: Name
    account_type: AccountType = AccountType.CONGLOMERATE


class ProfileChanges(Body):
    """Changes of the caller's profile."""

    name: Name | None = None
    username: GivenUsername | None = None
    preferences: Preferences | None = None


class PrimaryAccount(Body):
    """The new primary account."""

    account_id: Id


class MfaSecret(View):
    """The secret for the authenticator; returned only once."""

    secret: str


class MfaCode(Body):
    """A code from the authenticator."""

    code: Code


class StatusOfUser(Body):
    """The new status of a user."""

    status: UserStatus


class RoleOfUser(Body):
    """The new platform-wide role of a user."""

    role: UserRole


@router.post("/users", status_code=201)
def sign_up(db: Db, caller: CurrentCaller, body: SignUp) -> UserView:
    """Sign up, with a new account."""
    user = users.sign_up(
        db,
        caller,
        username=body.username,
        name=body.name,
        account_name=body.account_name,
        account_type=body.account_type,
    )
    return UserView.model_validate(user)


@router.get("/users/me", responses=problems(404))
def read_me(db: Db, caller: CurrentCaller) -> UserView:
    """Get the caller's profile."""
    return UserView.model_validate(users.own_user(db, caller))


@router.patch("/users/me")
def change_profile(db: Db, caller: CurrentCaller, body: ProfileChanges) -> UserView:
    """Change the caller's profile."""
    return UserView.model_validate(users.change_profile(db, caller, **body.given()))


@router.put("/users/me/email")
def update_email(db: Db, caller: CurrentCaller) -> UserView:
    """Replace the caller's e-mail address by the one in the token."""
    return UserView.model_validate(users.update_email(db, caller))


@router.put("/users/me/primary-account")
def choose_primary_account(db: Db, caller: CurrentCaller, body: PrimaryAccount) -> UserView:
    """Choose the caller's primary account."""
    return UserView.model_validate(users.choose_primary_account(db, caller, body.account_id))


@router.post("/users/me/mfa", status_code=201)
def start_mfa(db: Db, caller: CurrentCaller) -> MfaSecret:
    """Create a secret for the authenticator."""
    return MfaSecret(secret=mfa.start_mfa(db, caller))


@router.post("/users/me/mfa/confirmation", responses=problems(404, 429))
def confirm_mfa(db: Db, caller: CurrentCaller, body: MfaCode) -> UserView:
    """Activate the second factor with a code."""
    return UserView.model_validate(mfa.confirm_mfa(db, caller, body.code))


@router.post("/users/me/mfa/removal", responses=problems(404, 429))
def stop_mfa(db: Db, caller: CurrentCaller, body: MfaCode) -> UserView:
    """Deactivate the second factor with a code."""
    return UserView.model_validate(mfa.stop_mfa(db, caller, body.code))


@router.put("/users/{user_id}/status")
def set_status(db: Db, caller: CurrentCaller, user_id: str, body: StatusOfUser) -> UserView:
    """Suspend or reactivate a user. For the platform's staff."""
    return UserView.model_validate(users.set_status(db, caller, user_id, body.status))


@router.put("/users/{user_id}/role")
def set_role(db: Db, caller: CurrentCaller, user_id: str, body: RoleOfUser) -> UserView:
    """Make a user a platform admin, an ordinary user, or read-only in all accounts. For platform admins."""
    return UserView.model_validate(users.set_role(db, caller, user_id, body.role))


@router.delete("/users/{user_id}/mfa")
def reset_mfa(db: Db, caller: CurrentCaller, user_id: str) -> UserView:
    """Remove the second factor of a user who lost the authenticator. For platform admins."""
    return UserView.model_validate(mfa.reset_mfa(db, caller, user_id))

"""The flows of GoalsGuild about tokens and logins."""

from datetime import timedelta

from tablewright_systems.goalsguild.design.users import ResetRequests, Subject
from tablewright_systems.goalsguild.proofs.fixtures import member
from tablewright_systems.goalsguild.service import logins, users
from tablewright_systems.service import Forbidden, Gone, Invalid, TooManyRequests, Unauthenticated
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("goalsguild")


class Mailbox:
    """Keeps mails instead of sending them."""

    def __init__(self) -> None:
        self.mails: list[tuple[str, str]] = []

    def send(self, to: str, subject: str, text: str) -> None:
        """Keep the address and the token of a mail."""
        self.mails.append((to, text.rpartition(" ")[2]))


def mailed_token(context: ProofContext, email: str, address: str) -> tuple[str, str]:
    """Request a reset; return the address and the token of its mail."""
    db, mailbox = context.db, Mailbox()
    earlier = {reset_request.message_id for reset_request in db.all(ResetRequests())}
    logins.request_reset(db, email, address)
    (request,) = (
        reset_request for reset_request in db.all(ResetRequests()) if reset_request.message_id not in earlier
    )
    logins.send_reset(db, mailbox, request)
    (mail,) = mailbox.mails
    return mail


@PROOFS("F11")
def tokens_that_work_once(context: ProofContext) -> None:
    """Use a token once, before it expires; a new address or password invalidates it."""
    ada = member(context)
    db, email = context.db, users.my_profile(context.db, ada).email
    address = context.unique_id("ip")
    with context.measured():
        to, token = mailed_token(context, email.upper(), address)
        _, other = mailed_token(context, email, address)
        logins.reset_password(db, token, "correct horse")
    assert to == email
    expect_error(Gone, lambda: logins.reset_password(db, token, "battery staple"))
    expect_error(Gone, lambda: logins.reset_password(db, other, "battery staple"))
    _, late = mailed_token(context, email, address)
    context.clock.advance(timedelta(hours=1))
    expect_error(Gone, lambda: logins.reset_password(db, late, "battery staple"))
    issuer = context.caller(roles=["issuer"])
    login = logins.log_in(db, email, "correct horse", address)
    expect_error(Forbidden, lambda: logins.sign_in(db, ada, login))
    expect_error(Gone, lambda: logins.reset_password(db, login, "battery staple"))
    assert logins.sign_in(db, issuer, login).id == ada.user_id
    _, old = mailed_token(context, email, address)
    users.adopt_email(db, context.caller(ada.user_id, email=f"new.{email}"))
    expect_error(Gone, lambda: logins.reset_password(db, old, "battery staple"))


@PROOFS("F12")
def login_rate_limit(context: ProofContext) -> None:
    """Reject the sixth login attempt of a network in a quarter of an hour; the owner elsewhere is not blocked."""
    ada = member(context)
    db, email = context.db, users.my_profile(context.db, ada).email
    expect_error(Invalid, lambda: logins.set_password(db, ada, "short"), field="password")
    logins.set_password(db, ada, "correct horse")
    address, elsewhere = context.unique_id("ip"), context.unique_id("ip")

    def wrong() -> object:
        return logins.log_in(db, email, "wrong horse", address)

    with context.measured():
        for _ in range(4):
            expect_error(Unauthenticated, wrong)
        logins.log_in(db, email, "correct horse", address)
        for _ in range(5):
            expect_error(Unauthenticated, wrong)
        expect_error(TooManyRequests, wrong)
    expect_error(TooManyRequests, lambda: logins.log_in(db, email.upper(), "correct horse", address))
    assert logins.attempts(db, Subject.IP, address) == 9
    assert logins.log_in(db, email, "correct horse", elsewhere)
    to, _ = mailed_token(context, email, elsewhere)
    assert to == email
    context.clock.advance(logins.WINDOW)
    assert logins.log_in(db, email, "correct horse", address)
    users.suspend(db, context.caller(roles=["admin"]), ada.user_id)
    expect_error(Forbidden, lambda: logins.log_in(db, email, "correct horse", address))

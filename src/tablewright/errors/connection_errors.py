"""Connection errors: DynamoDB could not be called, or its reply did not arrive."""

from tablewright.errors.base_error import TablewrightError


class Unreachable(TablewrightError):
    """The endpoint did not reply, or there are no credentials to call it with."""


class LostConnection(Unreachable):
    """The network failed. `was_sent` tells whether the request may have arrived, and may have been executed."""

    def __init__(self, message: str, *, was_sent: bool = True) -> None:
        super().__init__(message)
        self.was_sent = was_sent

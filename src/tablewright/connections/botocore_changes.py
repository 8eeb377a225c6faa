"""What other code has changed about a botocore client: event handlers, replaced methods, logging.

moto, tracing libraries, stubs and tests observe or replace the requests of botocore by handlers of its events, or by
replacing its methods. They must see every request, so that requests take botocore's own path as soon as there is
anything that botocore does not do by itself.
"""

import logging
import os
from itertools import product
from pathlib import Path
from types import FunctionType
from typing import Any

import botocore
from botocore.awsrequest import AWSHTTPConnection, AWSHTTPSConnection
from botocore.history import get_global_history_recorder

from tablewright.dynamodb.values.capacity import DATA_OPERATIONS

_EVENTS = (
    "provide-client-params",
    "before-parameter-build",
    "before-endpoint-resolution",
    "before-call",
    "request-created",
    "choose-signer",
    "before-sign",
    "before-send",
    "response-received",
    "before-parse",
    "needs-retry",
    "after-call",
    "after-call-error",
)
# What the direct path does in another way, or what has no effect on the data operations.
_OWN_HANDLERS = {
    "aiobotocore.retries.standard.AioRetryHandler.needs_retry",
    "aiobotocore.signers.AioRequestSigner.handler",
    "botocore.discovery.block_endpoint_discovery_required_operations",
    "botocore.handlers._handle_request_validation_mode_member",
    "botocore.handlers._set_auth_scheme_preference_signer",
    "botocore.handlers.add_recursion_detection_header",
    "botocore.handlers.add_retry_headers",
    "botocore.handlers.generate_idempotent_uuid",
    "botocore.handlers.inject_api_version_header_if_needed",
    "botocore.handlers.set_operation_specific_signer",
    "botocore.retries.standard.RetryHandler.needs_retry",
    "botocore.retries.standard.RetryQuotaChecker.release_retry_quota",
    "botocore.signers.RequestSigner.handler",
    "botocore.useragent.UserAgentString.rebuild_and_replace_user_agent_handler",
    "tablewright.connections.http_exchange.reject_damaged_reply",
}
_PACKAGES = Path(botocore.__file__).parent.parent
_SOURCES = (f"{_PACKAGES / 'botocore'}{os.sep}", f"{_PACKAGES / 'aiobotocore'}{os.sep}")
_HISTORY = get_global_history_recorder()
_LOGGER = logging.getLogger("botocore.endpoint")


class BotocoreChanges:
    """Watches one client. `is_unchanged` costs less than a microsecond while nothing is registered or replaced."""

    def __init__(self, client: Any) -> None:
        self._kind, self._endpoint = type(client), type(client._endpoint)
        self._signer, self._session = type(client._request_signer), type(client._endpoint.http_session)
        self._emitter = client.meta.events._emitter
        self._seen: Any = None
        self._methods: tuple[Any, ...] = ()
        self.reason: str | None = None
        """What was changed; None when nothing was."""

    def is_unchanged(self) -> bool:
        """Return whether no other code expects to see the requests of this client."""
        # The emitter replaces this cache when a handler is registered or unregistered.
        if self._emitter._lookup_cache is not self._seen or self._current_methods() != self._methods:
            self._look()
        if self.reason is None and (_LOGGER.isEnabledFor(logging.DEBUG) or _HISTORY._enabled):
            return False  # botocore logs and records each request
        return self.reason is None

    def _current_methods(self) -> tuple[Any, ...]:
        return (
            self._kind._make_api_call,
            self._endpoint.make_request,
            self._endpoint._send_request,
            self._endpoint._send,
            self._signer.handler,
            self._signer.sign,
            self._session.send,
            AWSHTTPConnection.request,
            AWSHTTPSConnection.request,
        )

    def _look(self) -> None:
        seen, methods = self._emitter._lookup_cache, self._current_methods()
        self.reason = self._replaced(methods) or self._registered()
        self._seen, self._methods = seen, methods

    def _replaced(self, methods: tuple[Any, ...]) -> str | None:
        for method in methods:
            # A method that was replaced, even by a function with the same name, has its code elsewhere.
            if not isinstance(method, FunctionType) or not method.__code__.co_filename.startswith(_SOURCES):
                return f"{getattr(method, '__qualname__', method)} of botocore is replaced"
        return None

    def _registered(self) -> str | None:
        for event, operation in product(_EVENTS, DATA_OPERATIONS):
            for handler in self._emitter._handlers.prefix_search(f"{event}.dynamodb.{operation}"):
                name = f"{getattr(handler, '__module__', '')}.{getattr(handler, '__qualname__', handler)}"
                if name not in _OWN_HANDLERS:
                    return f"{name} is registered for the event {event}"
        return None

"""What botocore prepares for each session, prepared once in a process: the models of AWS's services, and its handlers.

It would read the models and examine the handlers again for each session: a tenth of a second for each client, of which
the tests open thousands.
"""

from functools import cache
from types import FunctionType
from typing import Any

from botocore import hooks
from botocore.loaders import Loader

_CACHES: dict[tuple[str, ...], dict[Any, Any]] = {}
_EVENT_NAMES: dict[str, str] = {}


def share() -> None:
    """Let all sessions have the models, the names of events, and the signatures of handlers of the first one."""

    def cache_of(loader: Any) -> dict[Any, Any]:
        return _CACHES.setdefault(tuple(loader.search_paths), {})

    Loader._cache = property(cache_of, lambda _loader, _empty: None)
    hooks.EventAliaser._alias_name_cache = property(
        lambda _events: _EVENT_NAMES, lambda _events, _empty: None
    )
    accepts_kwargs = hooks.accepts_kwargs
    known = cache(accepts_kwargs)

    def accepts(handler: Any) -> bool:
        function = getattr(handler, "__func__", handler)  # a method would keep its client
        return bool(known(function) if isinstance(function, FunctionType) else accepts_kwargs(handler))

    hooks.accepts_kwargs = accepts

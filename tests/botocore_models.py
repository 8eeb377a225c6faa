"""The models of AWS's services, read once in a process.

botocore reads them again for each session: a tenth of a second for each client, of which the tests open thousands.
"""

from typing import Any

from botocore.loaders import Loader

_CACHES: dict[tuple[str, ...], dict[Any, Any]] = {}


def share() -> None:
    """Let all loaders with the same search path have one cache, as the clients of one session do."""

    def cache_of(loader: Any) -> dict[Any, Any]:
        return _CACHES.setdefault(tuple(loader.search_paths), {})

    Loader._cache = property(cache_of, lambda _loader, _empty: None)

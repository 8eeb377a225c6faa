"""Import every module of the library, for tests that run pytest inside of pytest.

`pytester` removes the modules that an inner run has imported. The library imports its modules on first use, so without
this the next inner run would import some of them again, and find two classes of one name.
"""

from importlib import import_module
from pkgutil import walk_packages

import tablewright


def load() -> None:
    """Import every module of the library."""
    for module in walk_packages(tablewright.__path__, "tablewright."):
        if not module.name.endswith("__main__"):
            import_module(module.name)

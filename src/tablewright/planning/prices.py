"""Prices: the list prices of AWS in a region, from a dated file. They change; another file can be given.

The file of the package contains all commercial regions of AWS.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field

from tablewright.design.tables import TableClass
from tablewright.errors import UsageError
from tablewright.planning.json_files import StrictModel, parsed, read_json

OWN = Path(__file__).with_name("prices.json")
DEFAULT_REGION = "us-east-1"
GB = 2**30
MILLION = 1_000_000
STREAM_LOT = 100_000

Dollars = Annotated[float, Field(ge=0)]


class ReservedPrices(StrictModel):
    """The prices of 100 units of provisioned capacity that are reserved for some years."""

    years: int
    read_upfront: Dollars
    read_hour: Dollars
    write_upfront: Dollars
    write_hour: Dollars


RESERVED_LOT = 100
"""Capacity is reserved in lots of so many units."""


class ClassPrices(StrictModel):
    """The prices of one table class."""

    read: Dollars
    """Dollars for a million read request units."""
    write: Dollars
    read_hour: Dollars | None = None
    """Dollars for a read capacity unit and hour."""
    write_hour: Dollars | None = None
    storage: Dollars
    """Dollars for a GB and month."""
    reserved: tuple[ReservedPrices, ...] = ()


class Prices(StrictModel):
    """The prices of one region."""

    region: str = ""
    as_of: str = ""
    standard: ClassPrices
    infrequent: ClassPrices | None = None
    free_storage: float = 0
    pitr: Dollars | None = None
    backup: Dollars | None = None
    restore: Dollars | None = None
    export: Dollars | None = None
    import_: Annotated[Dollars | None, Field(alias="import")] = None
    stream: Dollars | None = None
    vector_search: Dollars | None = None
    """Dollars for a GB of vector search; not in the file of the package."""
    vector_write: Dollars | None = None
    """Dollars for a GB that is written to vector indexes; not in the file of the package."""
    free_stream: float = 0

    def of_class(self, kind: TableClass) -> ClassPrices:
        """The prices of a table class."""
        if kind == "STANDARD":
            return self.standard
        if self.infrequent is None:
            raise self.missing("infrequent")
        return self.infrequent

    def of(self, name: str) -> float:
        """One of the other prices; `UsageError` if it is unknown."""
        price: float | None = getattr(self, name)
        if price is None:
            raise self.missing(name)
        return price

    def missing(self, name: str) -> UsageError:
        """The error for a price that is needed and unknown."""
        return UsageError(
            f"the prices of {self.region} have no {name!r}, which this design needs; add it to the file"
        )


class PriceList(StrictModel):
    """A price file. A region may refer to another region by name, if the prices are the same."""

    as_of: str
    source: str = ""
    units: Mapping[str, str] = {}
    regions: Mapping[str, Prices | str]


def priced_regions(file: str | Path | None = None) -> list[str]:
    """The regions of the price file of the package, or of another.

    >>> "us-east-1" in priced_regions()
    True
    """
    where = file or OWN
    return list(parsed(PriceList, read_json(where), where).regions)


def load_prices(region: str | None = None, file: str | Path | None = None) -> Prices:
    """The prices of a region, from the file of the package or another; a file with one region needs no name.

    >>> load_prices("us-west-2").standard.write
    0.625
    """
    where = file or OWN
    listed = parsed(PriceList, read_json(where), where)
    if region is None:
        region = next(iter(listed.regions)) if len(listed.regions) == 1 else DEFAULT_REGION
    listed_prices = listed.regions.get(region)
    if isinstance(listed_prices, str):
        listed_prices = listed.regions.get(listed_prices)
    if not isinstance(listed_prices, Prices):
        known = ", ".join(listed.regions)
        fix = "choose one of them" if file else "choose one of them, or give a price file with --prices FILE"
        raise UsageError(f"there are no prices for the region {region}, only for {known}; {fix}")
    return listed_prices.model_copy(update={"region": region, "as_of": listed.as_of})

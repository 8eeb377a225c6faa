"""Overviews for administrators."""

from tablewright import fields
from tablewright_systems.collabhub.design.overviews import Kind
from tablewright_systems.collabhub.service import overviews
from tablewright_systems.collabhub.service.overviews import Created
from tablewright_systems.web import CurrentCaller, Db, PageReply, PageRequest, Router

router = Router("Overviews", "What was created in a time range, for administrators.")


@router.get("/admin/created")
def list_created(
    db: Db,
    caller: CurrentCaller,
    kind: Kind,
    start: fields.Timestamp,
    end: fields.Timestamp,
    paging: PageRequest,
) -> PageReply[Created]:
    """List the entities of a type that were created in a time range. For administrators."""
    return PageReply.of(overviews.list_created(db, caller, kind, start, end, paging))

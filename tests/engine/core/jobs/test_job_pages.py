"""Job pages: newest first, page by page, with tokens that fit their list only."""

from typing import Any

import pytest

from tablewright.engine.core.jobs.job_pages import DEFAULT_PAGE, page_of
from tablewright.errors import ValidationError

FOUND: list[tuple[str, dict[str, Any]]] = [
    (f"{number:04}", {"Number": number}) for number in range(25, 0, -1)
]


def test_pages_contain_each_document_once_in_order() -> None:
    numbers, token, pages = [], None, 0
    while pages == 0 or token is not None:
        page, token = page_of(FOUND, "export", None, token)
        assert len(page) <= DEFAULT_PAGE
        numbers += [document["Number"] for document in page]
        pages += 1
    assert numbers == list(range(25, 0, -1))
    assert pages == 3


@pytest.mark.parametrize("token", ["nonsense", "00" * 56, ""])
def test_tokens_that_are_not_valid(token: str) -> None:
    with pytest.raises(ValidationError, match="Provided nextToken is invalid"):
        page_of(FOUND, "export", 5, token)


def test_a_token_fits_its_own_list_only() -> None:
    _, token = page_of(FOUND, "export", 5, None)
    with pytest.raises(ValidationError, match="Provided nextToken is invalid"):
        page_of(FOUND, "import", 5, token)

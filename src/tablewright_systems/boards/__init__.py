"""Boards: people who share a board, join it by approval, and use its services by permission.

`design` is the document as data, `service` has the flows by area (users, boards, joining, members, services,
permissions, catalogue), `lists` reads through indexes, and without them where that is allowed. DEVIATIONS.md says what
we do otherwise than the document, and why.
"""

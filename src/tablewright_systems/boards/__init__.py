"""Boards: users share a board, join it with approval, and use its services with permission.

`design` is the document as data, `service` has the flows by area (users, boards, joining, members, services,
permissions, catalogue), `index_fallback` reads through indexes, or without them in development. DEVIATIONS.md lists
where we differ from the document, and why.
"""

"""Boards: users share a board, join it with approval, and use its services with permission.

Read `design` first: it is the document as data. `values` has the types of what clients send, `service` the flows by
area (users, boards, joining, members, services, permissions, catalogue), `api` one endpoint for each flow, `jobs` the
background work, `index_fallback` the reads through indexes, or without them in development. DEVIATIONS.md lists where
we differ from the document, and why.
"""

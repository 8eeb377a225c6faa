"""The flows of Boards, by area: users, boards, joining, members, services, permissions, catalogue.

Each flow first checks the permissions of the caller (`authorization`), and a new name is claimed (`names`). It writes what belongs together in one
transaction, in which each write has the error to raise if it fails.
"""

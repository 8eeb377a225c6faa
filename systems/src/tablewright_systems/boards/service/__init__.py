"""The flows of Boards, by area: users, boards, joining, members, services, permissions, catalogue.

Each flow first checks the permissions of the caller (`authorization`); `names` keeps names unique. A flow writes what
belongs together in one transaction, in which each write has the error to raise if it fails.
"""

"""The flows of Boards, by area: users, boards, joining, members, services, permissions, catalogue.

Every flow says in its first lines who may do it (`rights`), and does what belongs together in one transaction, in which
each write has the refusal that it stands for (`settling`).
"""

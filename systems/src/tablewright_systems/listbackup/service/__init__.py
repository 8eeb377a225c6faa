"""The flows of ListBackup, by area.

Each function takes the repository and the caller, and checks the caller's rights itself: the API checks none. Writes
that depend on each other (counters, the membership, the activity that records the change) share one transaction.
"""

"""ListBackup: accounts in a hierarchy, encrypted credentials, and a worker that backs up platforms and restores them.

The document is "DynamoDB Table Schemas - ListBackup.ai v2": 13 tables, 23 indexes. DEVIATIONS.md lists the
differences from it, with reasons.
"""

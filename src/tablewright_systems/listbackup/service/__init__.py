"""The flows of ListBackup, area by area.

Whoever acts is the second argument, and what they may do is found out here, never in the API. What belongs together is
written together: the counters, the membership, the activity that tells of it.
"""

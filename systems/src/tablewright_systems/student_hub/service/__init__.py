"""The flows of Student Hub, by area, for students, the reminder worker and administrators.

Each function takes the repository and the caller, and checks the permissions of the caller.
"""

"""Workers: several processes serve the clients of one data file; one process writes it.

writer (supervisor)  accepts clients, passes each to a reader, runs what readers forward
reader               talks to its clients, runs GetItem, Query, Scan and the like, forwards everything else
"""

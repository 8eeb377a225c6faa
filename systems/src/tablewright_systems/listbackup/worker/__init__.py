"""The worker: takes jobs from the queue, reads and writes platforms, and stores archives.

    tablewright-systems jobs listbackup --on tablewright.db

Any number of workers can run. A worker that is killed loses nothing: its lease ends, and the next worker continues from
the checkpoint of the job.
"""

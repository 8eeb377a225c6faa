"""The worker: takes jobs from the queue, reads and writes platforms, and stores archives.

    python -m tablewright_systems.listbackup.worker --on tablewright.db

Any number of workers can run. A worker that is killed loses nothing: its lease ends, and the next worker continues from
the checkpoint of the job.
"""

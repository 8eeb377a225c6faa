"""Planning: the capacity and the cost of a design under a workload, and its hot partitions. Nothing is run."""

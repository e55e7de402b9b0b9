"""The queue's other side: lanes, leases, and the way of a job through its stages."""

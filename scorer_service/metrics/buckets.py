"""Histogram buckets."""

# A compile takes half a second, a large model half an hour; the RPCs that read take milliseconds.
DURATION_BUCKETS_S = (0.005, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1200, 1800)

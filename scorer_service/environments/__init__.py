"""One folder an environment: what to build, what to run, how to judge.

An environment knows nothing of RPCs, SQL or queues. Those of this package are found by their folder: each
has a module `environment` with a function `create(settings) -> Environment`.
"""

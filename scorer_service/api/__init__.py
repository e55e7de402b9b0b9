"""gRPC servicers and interceptors: they translate, and nothing else."""

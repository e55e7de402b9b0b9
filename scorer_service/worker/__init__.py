"""The trusted process that owns one device: draws inputs, holds the clock and the expected outputs.

`client` is the server's side and needs no torch. All else here is run by the worker process, under an
interpreter that has torch.
"""

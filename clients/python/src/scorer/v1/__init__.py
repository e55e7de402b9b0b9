"""Generated messages and stubs of `scorer.v1`. Never edited: run `make stubs`."""

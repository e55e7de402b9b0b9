"""One module for each environment that the command line scores; see `scorer_client._cli.score`."""

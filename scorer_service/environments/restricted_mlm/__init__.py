"""restricted_mlm: masked language models built from few primitives, judged as data."""

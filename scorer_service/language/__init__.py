"""The text and the models that `restricted_mlm` and `fix_embedding` judge with, in profile `embedded`.

`data/` holds token files, the tokenizer and the manifest that pins them; `models/` the weights that ship.
`model` needs torch and is imported by the worker alone. All else is standard library.
"""

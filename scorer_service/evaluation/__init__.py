"""Judges language models by their loss on hidden text: what `fix_embedding` and `restricted_mlm` share.

`loss` needs torch and is imported by the worker alone. All else is standard library.
"""

"""fix_embedding: a language model whose embedding was scrambled, judged by its loss on hidden text."""

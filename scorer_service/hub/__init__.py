"""The Hugging Face hub: repositories and their files, fetched once, also where the network comes and goes."""

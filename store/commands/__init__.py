"""What each command of `python -m store` does; the words are read in `store.cli`."""

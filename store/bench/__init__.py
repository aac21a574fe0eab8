"""`python -m store bench`: the speed goals, each a ratio against a baseline measured in the same run."""

"""The fund with its figure and its office, where a source is captured again."""

from tests.recapturing import fund  # noqa: F401 - a fixture

"""Fixtures that several files of these tests share."""

from tests.recapturing import fund  # noqa: F401 - a fixture
from tests.rehearsing import chain  # noqa: F401 - a fixture

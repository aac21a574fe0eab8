"""The word of a status is the design's: an artifact's status reads otherwise than a claim's."""

from pages.widgets.status import word


def test_an_artifact_reads_as_current_needing_revalidation_replaced_or_withdrawn():
    read = [word(status, "artifact") for status in ("ACCEPTED", "STALE", "SUPERSEDED", "REVOKED")]
    assert read == ["Current", "Needs re-validation", "Replaced by a newer edition", "Withdrawn"]
    assert [word(status) for status in ("ACCEPTED", "STALE", "SUPERSEDED", "REVOKED")] == ["Accepted", "Needs re-validation", "Superseded", "Revoked"]

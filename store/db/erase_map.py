"""For every column of the store: on which surface what it may hold of a forgotten record is cleared, and how its row is tied to the record.

A column that is in no line here fails the build: whoever adds one says what becomes of it when something is to be forgotten.
How rows are tied: `number` - the row carries the record's number, or that of something only it has; `words` - the text names an
id or words of the record, and is searched for while these are known; `both`.
"""

from __future__ import annotations

from dataclasses import dataclass

from store.domain.forgetting import Surface

_RECORD, _EVIDENCE, _INDEX, _CACHES = Surface.RECORD, Surface.EVIDENCE, Surface.SEARCH_INDEX, Surface.CACHES
_PREVIEWS, _HISTORY, _READ_LOG, _EXPORTS, _LOGS = Surface.PREVIEWS, Surface.HISTORY, Surface.READ_LOG, Surface.EXPORTS, Surface.LOGS

#: Why a column holds nothing of a record that would have to go.
NUMBERS = "numbers given by the store, dates of what people did, flags"
FIXED = "words of fixed lists"
PEOPLE = "people of the store; they stay"
CONFIGURED = "how the tenant is run, written for that by an admin; verification tells where it names what was forgotten"
OWN = "written by the forgetting itself: numbers, HMACs, words of fixed lists"


@dataclass(frozen=True, slots=True)
class Entry:
    """What becomes of a column: cleared on a surface, where its row is tied as `tie` says; or why it needs not."""

    surface: Surface | None
    tie: str


#: Table, columns, surface that clears them (None where nothing has to go), how they are tied or why they stay.
LINES: tuple[tuple[str, str, Surface | None, str], ...] = (
    # What a record says.
    ("record", "id flags key value_code valid_from valid_to expires_at review_at due_at content_hash line_hash proposed_by task", _RECORD, "number"),
    ("record", "tenant record kind source importer created_seq", None, NUMBERS),
    ("record_state", "owner", _RECORD, "number"),
    ("record_state", "tenant record status version scope kind", None, NUMBERS),
    ("claim", "value claim_type statement observed_at purposes conditions authority speaker confirmed_by sensitivity extraction", _RECORD, "number"),
    ("claim", "entity_confidence on_conflict revalidate_on source_uri source_span assumed_utc", _RECORD, "number"),
    ("claim", "tenant record", None, NUMBERS),
    ("artifact", "artifact_type edition edition_of assumed_utc", _RECORD, "number"),
    ("artifact", "title body", _CACHES, "number: of the record on surface record, of answers below it on surface caches; of reports below it they are listed"),
    ("artifact", "tenant record", None, NUMBERS),
    ("evidence", "captured_at sha256 assumed_utc", _RECORD, "number"),
    ("evidence", "tenant record version", None, NUMBERS),
    ("evidence", "media_type", None, FIXED),
    ("evidence_content", "content", _EVIDENCE, "number: the whole version on surface record, passages of shared versions on surface evidence"),
    ("evidence_content", "tenant record", None, NUMBERS),
    ("rendition", "text sha256 pages extractor extractor_version", _EVIDENCE, "number, as evidence_content"),
    ("rendition", "tenant record", None, NUMBERS),
    ("binding", "span quote", _EVIDENCE, "number: of the record, and of others that quote an erased version or passage"),
    ("binding", "tenant record n evidence", None, NUMBERS),
    ("contributor", "name", _RECORD, "number"),
    ("contributor", "tenant record", None, NUMBERS),
    ("delivery", "recipient channel", _RECORD, "both"),
    ("delivery", "delivered_at operation_id assumed_utc", _RECORD, "number"),
    ("delivery", "tenant record n", None, NUMBERS),
    ("claim_key", "hash subject predicate qualifiers question", _RECORD, "number: the row goes when no other record has the key"),
    ("claim_key", "tenant key scope many", None, NUMBERS),
    ("party", "name", _RECORD, "number: renamed when no other record has the owner or proposer"),
    ("party", "tenant party", None, NUMBERS),
    ("source", "id uri authority owner family", _RECORD, "number: emptied when nothing of the source is left"),
    ("source", "title", _RECORD, "both"),
    ("source", "tenant source scope", None, NUMBERS),
    ("dependency", "tenant parent child origin", None, NUMBERS),
    ("dependency_review", "tenant record read_record used seq", None, NUMBERS),
    ("succession", "tenant record successor", None, NUMBERS),
    # What people wrote about it.
    ("decision", "reason terms", _RECORD, "both"),
    ("decision", "tenant record seq person at version", None, NUMBERS),
    ("decision", "action route", None, FIXED),
    ("conflict", "id owner cause reason question asked former signature", _RECORD, "both: the row goes with its key"),
    ("conflict", "tenant conflict key state opened_at opened_seq closed_at closed_seq", None, NUMBERS),
    ("conflict", "verdict", None, FIXED),
    ("conflict_side", "tenant conflict record", None, NUMBERS),
    ("question", "about text answer", _RECORD, "both"),
    ("question", "tenant question asked_at asked_seq answered_at answered_seq seen_at", None, NUMBERS),
    ("question", "kind", None, FIXED),
    ("question", "asked_by asked_of answered_by", None, PEOPLE),
    ("fired_trigger", "cause reason", _RECORD, "both"),
    ("fired_trigger", "tenant record n fired_at fired_seq dismissed_at dismissed_seq", None, NUMBERS),
    ("fired_trigger", "name", None, FIXED),
    ("fired_trigger", "fired_by dismissed_by", None, PEOPLE),
    ("remedy", "text", _RECORD, "both"),
    ("remedy", "tenant record seq edition at", None, NUMBERS),
    ("remedy", "way", None, FIXED),
    ("remedy", "person", None, PEOPLE),
    ("notice", "recipient channel", _RECORD, "both"),
    ("notice", "tenant seq n record edition", None, NUMBERS),
    ("message", "subject body failure recipient address", _RECORD, "both"),
    ("message", "tenant message correction state drafted_at approved_at sent_at seen_at attempts attempted_at request", None, NUMBERS),
    ("message", "id message_id", None, "made of numbers and random words by the store"),
    ("message", "channel", None, FIXED),
    ("message", "drafted_by approved_by", None, PEOPLE),
    ("message_record", "tenant message record", None, NUMBERS),
    ("message_notice", "tenant message seq n", None, NUMBERS),
    ("correction", "id", _RECORD, "both: made of the id of its source"),
    ("correction", "title cause closing_note carried", _RECORD, "words"),
    ("correction", "tenant correction scope due_at opened_at opened_seq closed_at closed_seq", None, NUMBERS),
    ("correction", "owner opened_by closed_by", None, PEOPLE),
    ("correction_source", "tenant correction source", None, NUMBERS),
    ("correction_event", "tenant correction seq", None, NUMBERS),
    ("correction_event", "step", None, FIXED),
    ("correction_waiver", "about reason", _RECORD, "words"),
    ("correction_waiver", "tenant correction waived_at waived_seq", None, NUMBERS),
    ("correction_waiver", "kind", None, FIXED),
    ("correction_waiver", "waived_by", None, PEOPLE),
    # Plans and what was seen of them.
    ("preview", "fingerprint plan rows", _PREVIEWS, "both: the row goes"),
    ("preview", "tenant at revision committed_seq", None, NUMBERS),
    ("preview", "person", None, PEOPLE),
    ("rehearsal", "name plan fingerprint rows seen summary handed_why", _PREVIEWS, "both"),
    ("rehearsal", "tenant rehearsal correction saved_at revision handed_at committed_seq removed_at", None, NUMBERS),
    ("rehearsal", "id", None, "made of a number by the store"),
    ("rehearsal", "saved_by handed_to handed_by", None, PEOPLE),
    ("plan_file", "sha256 name content", _PREVIEWS, "words: the row goes"),
    ("plan_file", "tenant at", None, NUMBERS),
    ("plan_file", "media_type", None, FIXED),
    ("plan_file", "person", None, PEOPLE),
    # What happened.
    ("replaced_content", "content_hash line", _RECORD, "both: of the record on surface record, of others that name it blotted at the same time"),
    ("replaced_content", "tenant record version seq", None, NUMBERS),
    ("event_note", "mac_key note", _HISTORY, "both: the row goes, and with it the key of the HMAC; a reason of a fixed list stays, without the key"),
    ("event_note", "tenant seq", None, NUMBERS),
    ("operation", "operation words result", _HISTORY, "both"),
    ("operation", "tenant seq person", None, NUMBERS),
    ("event", "tenant seq at person count authenticated", None, NUMBERS),
    ("event", "action", None, FIXED),
    ("event", "digest previous hash", None, "hashes over numbers and over `note_mac`; the chain has to hold"),
    ("event", "note_mac", None, "an HMAC whose key is destroyed with the note"),
    ("event", "touched", None, "record numbers"),
    ("history", "tenant record seq old new version", None, NUMBERS),
    ("read_log", "question task", _READ_LOG, "both; the log is append-only but for being emptied; what is asked later is kept as store.db.read_log says"),
    ("read_log", "by", _READ_LOG, "words"),
    ("read_log", "n tenant at", None, NUMBERS),
    ("read_log", "result", None, FIXED),
    ("read_log", "scope", None, CONFIGURED),
    ("read_log_record", "tenant record n place version", None, NUMBERS),
    ("refusal", "by", _LOGS, "words, with the record"),
    ("refusal", "n tenant at", None, NUMBERS),
    ("refusal", "action code", None, FIXED),
    # Copies and proofs.
    ("export_copy", "name", _EXPORTS, "words, with the record"),
    ("export_copy", "tenant export at lines revision gone_at", None, NUMBERS),
    ("export_copy", "records", None, "record numbers"),
    ("export_copy", "format", None, FIXED),
    ("export_copy", "scope", None, CONFIGURED),
    ("export_copy", "holder", _EXPORTS, "words, with the record, once the copy is destroyed; until then that is who has to be asked; verification tells where it names what was forgotten"),
    ("export_copy", "person gone_by", None, PEOPLE),
    ("backup_copy", "tenant backup at ledger_seq until gone_at", None, NUMBERS),
    ("backup_copy", "revisions", None, "numbers by tenant"),
    ("backup_copy", "name", None, "a file of the operator's, by which it is found to be destroyed"),
    ("backup_copy", "person gone_by", None, PEOPLE),
    ("deletion_request", "requester reason refusal", _RECORD, "words with the record; all of it when the request is finished"),
    ("deletion_request", "tenant request state due_at entered_at entered_seq begun_at finished_at finished_seq refused_at refused_seq from_ledger", None, NUMBERS),
    ("deletion_request", "id found_by ground", None, OWN),
    ("deletion_request", "entered_by owner refused_by", None, PEOPLE),
    ("deletion_target", "tenant request record was version id_mac value_mac erased_at", None, OWN),
    ("deletion_surface", "note", _RECORD, "words, with the record"),
    ("deletion_surface", "tenant request surface n state until at found about", None, OWN),
    ("deletion_surface", "rule place", None, "names of rules and of places of copies"),
    ("deletion_surface", "owner by", None, PEOPLE),
    ("deletion_receipt", "tenant request n seq at content", None, OWN),
    ("redaction", "tenant request record start end done_at", None, NUMBERS),
    ("redaction", "words_mac", None, OWN),
    ("proof", "tenant proof request at ok", None, NUMBERS),
    ("proof", "kind found", None, OWN),
    ("proof", "person", None, PEOPLE),
    # The store and how it is run.
    ("store", "name value", None, "what the store is called and how far it is"),
    ("tenant", "tenant revision event_seq next_record policy_version", None, NUMBERS),
    ("tenant", "name", None, CONFIGURED),
    ("tenant", "head", None, "the last hash of the chain"),
    ("person", "tenant person", None, NUMBERS),
    ("person", "id name email", None, PEOPLE),
    ("role", "tenant person", None, NUMBERS),
    ("role", "role scope", None, CONFIGURED),
    ("scope", "tenant scope", None, NUMBERS),
    ("scope", "path", None, CONFIGURED),
    ("predicate", "tenant", None, NUMBERS),
    ("predicate", "scope name many value_type order series compare about tolerance thresholds", None, CONFIGURED),
    ("policy", "tenant", None, NUMBERS),
    ("policy", "scope settings", None, CONFIGURED),
    ("counter", "tenant scope status kind n", None, NUMBERS),
    ("owner_counter", "tenant owner status n", None, NUMBERS),
    # The full-text index is no table of the metadata; its entries go by the record's number.
    ("search_text", "words", _INDEX, "number; what entries leave in its segments goes with the sweep"),
)  # fmt: skip

#: `table.column` -> what becomes of it.
ERASE_MAP: dict[str, Entry] = {f"{table}.{column}": Entry(surface, tie) for table, columns, surface, tie in LINES for column in columns.split()}

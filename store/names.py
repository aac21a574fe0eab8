"""The names of the façade: whoever asks `store` for one of them gets it from here, see there."""

from store.actions.approve import Approval, approve
from store.actions.ask_which import ask_which
from store.actions.backups import KEEP_DAYS, drop_backup, make_backup, record_backup_destroyed, restore_backup
from store.actions.capture import Label, capture
from store.actions.commit_plan import commit_plan
from store.actions.copies import name_copy_holder, record_copy_destroyed
from store.actions.corrections import (
    add_source_to_correction,
    change_correction,
    close_correction,
    open_correction,
    reopen_correction,
    take_waiver_back,
    waive,
)
from store.actions.deliveries import note_remedy, propose_edition, record_delivery
from store.actions.forgetting import refuse_deletion, request_deletion, settle_surface
from store.actions.import_bundle import import_files, import_lines, show_progress
from store.actions.keep_version import keep_version
from store.actions.messages import (
    approve_messages,
    cancel_messages,
    draft_messages,
    edit_message,
    note_message_seen,
    note_told,
    settle_unknown_sending,
)
from store.actions.people import add_person, rename_person, set_email, set_roles
from store.actions.plan_files import keep_plan_file, keep_plan_values, recall_plan_values
from store.actions.policy import change_policy
from store.actions.questions import answer_question, ask, note_answer_seen, withdraw_question
from store.actions.rebuild_index import rebuild_index
from store.actions.rehearsals import hand_over, refresh_rehearsal, remove_rehearsal, rename_rehearsal, save_rehearsal
from store.actions.reveal import reveal
from store.actions.review import amend, reject, renew, reopen
from store.actions.sending import send_messages
from store.actions.stale_answers import propose_answer
from store.actions.triggers import dismiss_trigger, fire_trigger, foresee_trigger
from store.db.case_events import NamedCaseEvent
from store.db.claim_store import ClaimStore, create_store, open_store
from store.db.plan_files import PlanFile
from store.db.question_keys import AskedKey
from store.db.questions import AskedQuestion
from store.db.receipts import Receipt
from store.domain.corrections import Bar, NewCase, OpenThing, StepState
from store.domain.data_differences import Change
from store.domain.deletion_letter import DeletionLetter, LetterLine, write_plainly
from store.domain.detection import Flag
from store.domain.differences import Piece, Stretch, set_beside
from store.domain.errors import Code, Refusal
from store.domain.excerpt import Excerpt, Look
from store.domain.forgetting import GROUNDS, NAMELESS, Surface, Wanted
from store.domain.likeness import LIKENESSES
from store.domain.mail import MailSettings, find_address
from store.domain.marking import Segment, Window
from store.domain.meant import Meaning
from store.domain.messages import MessageState
from store.domain.people import OPERATOR, ROLES, Actor, Right
from store.domain.periods import TRIGGERS
from store.domain.picking import MADE_BY
from store.domain.plans import Answer, Plan, Verb
from store.domain.policy import LEAST_CONFIDENCE
from store.domain.promotion import Terms, read_terms
from store.domain.records import CLAIM_TYPES, ROUTES, SENSITIVITIES
from store.domain.routes import Answer as QuestionAnswer
from store.domain.routes import Suggestion
from store.domain.scopes import EVERYWHERE
from store.domain.settling import NAMING, NEWEST, RULE_VERDICTS
from store.domain.status import Kind, Status
from store.domain.text import show_invisible, spaced
from store.domain.times import format_time, parse_stated_time
from store.domain.tolerance import Threshold, crosses_threshold, parse_tolerance, read_thresholds, say_tolerance
from store.domain.usual_terms import ANY_PREDICATE, UsualTerms, parse_usual_terms
from store.domain.value_change import ValueChange
from store.domain.value_in_quote import InQuote
from store.domain.values import COMPARISONS, VALUE_TYPES, Predicate
from store.domain.veiling import VEIL, lower_veil, veil_shown, veiling
from store.domain.watch_words import HARMLESS, KINDS, LANGUAGES
from store.drill import run_drill
from store.erasing_run import find_residue, look_through, run_deletion
from store.handing_out import (
    export_comparison_csv,
    export_comparison_json,
    export_correction_csv,
    export_letter_csv,
    export_neighbours_csv,
    export_plan_csv,
    export_plan_json,
    export_rehearsal_csv,
    export_rehearsal_json,
    export_rejections_csv,
    export_sheet_csv,
    export_store,
    write_message_file,
)
from store.memory_gate import run_memory_gate
from store.reads.about_person import PersonClaim, PersonHeld, PersonReport, ReaderTold, view_person_held
from store.reads.answers import Question, read_claims, read_record, search_records
from store.reads.asked import (
    Beside,
    Found,
    Identity,
    Told,
    Why,
    ask_as,
    list_identities,
    parse_qualifiers,
    search_as,
    suggest_questions,
    write_qualifiers,
)
from store.reads.backups import BackupRow, KeptBackups, count_kept_backups, list_backups
from store.reads.candidate_background import Newer, Previous
from store.reads.candidate_grid import CandidateGrid, GridRow, list_grid
from store.reads.candidate_page import CandidateView, Decision, Near, Passage, find_places, rebind, view_candidate
from store.reads.candidate_queue import ONLY, ORDERS, PAGE, CandidateQueue, DocumentCount, Sift, WaitingRow, list_candidates
from store.reads.check import check_record
from store.reads.conflict_group import (
    LESS,
    MORE,
    SAYS,
    Comparing,
    GroupForeseen,
    OtherComparison,
    Way,
    choose_in_group,
    compare_otherwise,
    foresee_group,
)
from store.reads.conflict_index import WHY
from store.reads.conflict_page import ConflictSide, ConflictView, ContestedValue, EarlierVerdict, Foreseen, foresee_verdicts, view_conflict
from store.reads.conflict_queue import (
    CONFLICTS_ONLY,
    CONFLICTS_PAGE,
    ConflictBrief,
    ConflictQueue,
    ConflictSift,
    Matrix,
    MatrixColumn,
    list_conflicts_page,
)
from store.reads.copies import COPIES_PAGE, CopyList, CopyRow, count_blockings, list_export_copies
from store.reads.correction_report import (
    REPORT_ROWS,
    CorrectionReport,
    ReportFall,
    ReportPassage,
    write_correction_report,
)
from store.reads.corrections import (
    CASES_ONLY,
    CaseList,
    CaseRow,
    CaseSource,
    CaseView,
    CaseWaiver,
    OpenCase,
    count_open_corrections,
    list_case_owners,
    list_corrections,
    list_corrections_of_event,
    list_due_corrections,
    list_open_corrections,
    view_correction,
)
from store.reads.deletion_dues import WaitingDeletion
from store.reads.due_weeks import CALENDAR_WEEKS, DuePage, list_due, view_due_weeks
from store.reads.events import list_events
from store.reads.exposure import EXPOSURE_ORDERS, ExposedSource, ExposurePage, Figures, measure_exposure
from store.reads.extractors import EXTRACTOR_ORDERS, ExtractorRow, ExtractorTable, measure_extractors
from store.reads.forgetting import (
    DeletionRow,
    DeletionView,
    ForeseenDeletion,
    SurfaceRow,
    Target,
    find_deletion,
    list_deletions,
    preview_deletion,
    view_deletion,
    write_deletion_letter,
)
from store.reads.forgotten_passages import FallingClaim, ForeseenDocument, ForeseenPassage, ForeseenPassages, foresee_passages
from store.reads.further_places import OtherPlace, OtherPlaces, suggest_further_places
from store.reads.import_report import events_of_import
from store.reads.letter import LETTER_ROWS, Letter, LetterPick, LetterRow, list_letter_picks, write_letter
from store.reads.locate import describe_actor, find_tenant, list_people, list_tenants
from store.reads.made import MadeCount, MadeRow, count_made, list_made
from store.reads.meant import Meant, MeantWay, OtherClaim, ReadNext, view_meant
from store.reads.messages import (
    ArtifactPaper,
    DeliveredArtifact,
    DeliveredList,
    MessageRow,
    Outbox,
    list_delivered,
    list_messages,
    mail_settings,
    view_delivered,
    view_message,
)
from store.reads.metrics import explain_actions, measure
from store.reads.neighbour_rows import (
    NeighbourDetail,
    NeighbourPage,
    NeighbourRow,
    NeighbourSift,
    Start,
    Starts,
    WayStep,
    describe_neighbour,
    explain_ways,
    find_starts,
    list_neighbours,
    suggest_starts,
)
from store.reads.neighbourhood import GraphNode, GraphPicture, Surroundings, look_around, picture_around
from store.reads.new_session import NewSession, SessionLook, check_new_session
from store.reads.people import GOVERNING, Governing, PeopleView, PersonRow, PolicyView, list_governing, view_people, view_policy
from store.reads.plan_page import (
    Drift,
    Pick,
    Picture,
    Rehearsal,
    check_rehearsal,
    describe_picks,
    find_picks,
    latest_event,
    list_people_of,
    picture_of,
    rehearse,
    suggest_picks,
)
from store.reads.plan_result import PlanResult, load_plan_result
from store.reads.plan_rows import PLAN_TABS, RowPage, explain_plan_path, list_plan_rows
from store.reads.predicates import PredicateRow, list_predicates
from store.reads.preview import Preview, explain_path, preview_plan
from store.reads.proofs import ProofRow, list_proofs
from store.reads.proposals import ProposedVerdict, propose_verdicts
from store.reads.questions import (
    MyQuestions,
    PersonToAsk,
    PlacedQuestion,
    list_my_questions,
    list_people_to_ask,
    list_questions_about,
    list_questions_of,
)
from store.reads.queues import QUEUES, list_queue
from store.reads.recapture import Recapture, Unsorted, list_unsorted
from store.reads.recent_decisions import RecentDecision, list_recent_decisions
from store.reads.record import list_children, show_record
from store.reads.record_around import Chain, ChainBox, ServedTo
from store.reads.record_page import RecordView, TextPart, view_record
from store.reads.rehearsal_compare import (
    COMPARED,
    Comparison,
    compare_rehearsals,
    list_compared,
)
from store.reads.rehearsal_rows import list_saved_rows
from store.reads.rehearsals import RehearsalView, SavedRehearsal, Shift, list_committers, list_rehearsals, view_rehearsal
from store.reads.renewals import DatedRecord, list_dates
from store.reads.scopes import list_scopes
from store.reads.sheet import SHEET_ACTIONS, SHEET_MOST, DecisionSheet, SheetRow, list_decided
from store.reads.source_data import DataCut, DataLine, DataPage, Unreadable
from store.reads.source_difference import CHANGES_PAGE, Fold, PassageFate, VersionDifference, compare_versions
from store.reads.source_page import BoundClaim, MarkedText, SourceVersion, SourceView, read_version, view_source
from store.reads.source_recapture import list_recaptured
from store.reads.source_span import find_words, take_span
from store.reads.sources import SOURCES_ONLY, SOURCES_ORDERS, SOURCES_PAGE, SourceBrief, SourcePage, list_sources
from store.reads.stale_answers import AnswerGround, StaleAnswer, view_answer_ground
from store.reads.stale_one import find_stale
from store.reads.stale_page import FiredNow, PassageNow, StaleView, Support, view_stale
from store.reads.stale_queue import STALE_STATES, StaleGroup, StaleQueue, StaleRow, StaleSift, list_stale
from store.reads.subject import GROUPS, ROWS, STATES, SubjectGroup, SubjectRow, SubjectView, Suggested, find_subject, suggest_subjects
from store.reads.subject_around import Name, Names, SubjectAnswer, SubjectAround, SubjectConflict, SubjectReport
from store.reads.subject_history import Carried, Point, SubjectHistory, ValueLine
from store.reads.subject_page import SubjectPage, view_subject
from store.reads.support_changes import SupportChange
from store.reads.today import TODAY_LISTS, AgendaList, AgendaRow, DueWeek, HandedPlan, OwnPlan, Today, WaitingConflict, list_today, view_today
from store.reads.verify import verify_store
from store.reads.version_pages import PagePicture, draw_given_pages, draw_page
from store.reads.waiting_for import Waiting, count_waiting

__all__ = [
    "ANY_PREDICATE",
    "CALENDAR_WEEKS",
    "CASES_ONLY",
    "CHANGES_PAGE",
    "CLAIM_TYPES",
    "COMPARED",
    "COMPARISONS",
    "CONFLICTS_ONLY",
    "CONFLICTS_PAGE",
    "COPIES_PAGE",
    "EVERYWHERE",
    "EXPOSURE_ORDERS",
    "EXTRACTOR_ORDERS",
    "GOVERNING",
    "GROUNDS",
    "GROUPS",
    "HARMLESS",
    "KEEP_DAYS",
    "KINDS",
    "LANGUAGES",
    "LEAST_CONFIDENCE",
    "LESS",
    "LETTER_ROWS",
    "LIKENESSES",
    "MADE_BY",
    "MORE",
    "NAMELESS",
    "NAMING",
    "NEWEST",
    "ONLY",
    "OPERATOR",
    "ORDERS",
    "PAGE",
    "PLAN_TABS",
    "QUEUES",
    "REPORT_ROWS",
    "ROLES",
    "ROUTES",
    "ROWS",
    "RULE_VERDICTS",
    "SAYS",
    "SENSITIVITIES",
    "SHEET_ACTIONS",
    "SHEET_MOST",
    "SOURCES_ONLY",
    "SOURCES_ORDERS",
    "SOURCES_PAGE",
    "STALE_STATES",
    "STATES",
    "TODAY_LISTS",
    "TRIGGERS",
    "VALUE_TYPES",
    "VEIL",
    "WHY",
    "Actor",
    "AgendaList",
    "AgendaRow",
    "Answer",
    "AnswerGround",
    "Approval",
    "ArtifactPaper",
    "AskedKey",
    "AskedQuestion",
    "BackupRow",
    "Bar",
    "Beside",
    "BoundClaim",
    "CandidateGrid",
    "CandidateQueue",
    "CandidateView",
    "Carried",
    "CaseList",
    "CaseRow",
    "CaseSource",
    "CaseView",
    "CaseWaiver",
    "Chain",
    "ChainBox",
    "Change",
    "ClaimStore",
    "Code",
    "Comparing",
    "Comparison",
    "ConflictBrief",
    "ConflictQueue",
    "ConflictSide",
    "ConflictSift",
    "ConflictView",
    "ContestedValue",
    "CopyList",
    "CopyRow",
    "CorrectionReport",
    "DataCut",
    "DataLine",
    "DataPage",
    "DatedRecord",
    "Decision",
    "DecisionSheet",
    "DeletionLetter",
    "DeletionRow",
    "DeletionView",
    "DeliveredArtifact",
    "DeliveredList",
    "DocumentCount",
    "Drift",
    "DuePage",
    "DueWeek",
    "EarlierVerdict",
    "Excerpt",
    "ExposedSource",
    "ExposurePage",
    "ExtractorRow",
    "ExtractorTable",
    "FallingClaim",
    "Figures",
    "FiredNow",
    "Flag",
    "Fold",
    "Foreseen",
    "ForeseenDeletion",
    "ForeseenDocument",
    "ForeseenPassage",
    "ForeseenPassages",
    "Found",
    "Governing",
    "GraphNode",
    "GraphPicture",
    "GridRow",
    "GroupForeseen",
    "HandedPlan",
    "Identity",
    "InQuote",
    "KeptBackups",
    "Kind",
    "Label",
    "Letter",
    "LetterLine",
    "LetterPick",
    "LetterRow",
    "Look",
    "MadeCount",
    "MadeRow",
    "MailSettings",
    "MarkedText",
    "Matrix",
    "MatrixColumn",
    "Meaning",
    "Meant",
    "MeantWay",
    "MessageRow",
    "MessageState",
    "MyQuestions",
    "Name",
    "NamedCaseEvent",
    "Names",
    "Near",
    "NeighbourDetail",
    "NeighbourPage",
    "NeighbourRow",
    "NeighbourSift",
    "NewCase",
    "NewSession",
    "Newer",
    "OpenCase",
    "OpenThing",
    "OtherClaim",
    "OtherComparison",
    "OtherPlace",
    "OtherPlaces",
    "Outbox",
    "OwnPlan",
    "PagePicture",
    "Passage",
    "PassageFate",
    "PassageNow",
    "PeopleView",
    "PersonClaim",
    "PersonHeld",
    "PersonReport",
    "PersonRow",
    "PersonToAsk",
    "Pick",
    "Picture",
    "Piece",
    "PlacedQuestion",
    "Plan",
    "PlanFile",
    "PlanResult",
    "Point",
    "PolicyView",
    "Predicate",
    "PredicateRow",
    "Preview",
    "Previous",
    "ProofRow",
    "ProposedVerdict",
    "Question",
    "QuestionAnswer",
    "ReadNext",
    "ReaderTold",
    "Recapture",
    "Receipt",
    "RecentDecision",
    "RecordView",
    "Refusal",
    "Rehearsal",
    "RehearsalView",
    "ReportFall",
    "ReportPassage",
    "Right",
    "RowPage",
    "SavedRehearsal",
    "Segment",
    "ServedTo",
    "SessionLook",
    "SheetRow",
    "Shift",
    "Sift",
    "SourceBrief",
    "SourcePage",
    "SourceVersion",
    "SourceView",
    "StaleAnswer",
    "StaleGroup",
    "StaleQueue",
    "StaleRow",
    "StaleSift",
    "StaleView",
    "Start",
    "Starts",
    "Status",
    "StepState",
    "Stretch",
    "SubjectAnswer",
    "SubjectAround",
    "SubjectConflict",
    "SubjectGroup",
    "SubjectHistory",
    "SubjectPage",
    "SubjectReport",
    "SubjectRow",
    "SubjectView",
    "Suggested",
    "Suggestion",
    "Support",
    "SupportChange",
    "Surface",
    "SurfaceRow",
    "Surroundings",
    "Target",
    "Terms",
    "TextPart",
    "Threshold",
    "Today",
    "Told",
    "Unreadable",
    "Unsorted",
    "UsualTerms",
    "ValueChange",
    "ValueLine",
    "Verb",
    "VersionDifference",
    "Waiting",
    "WaitingConflict",
    "WaitingDeletion",
    "WaitingRow",
    "Wanted",
    "Way",
    "WayStep",
    "Why",
    "Window",
    "add_person",
    "add_source_to_correction",
    "amend",
    "answer_question",
    "approve",
    "approve_messages",
    "ask",
    "ask_as",
    "ask_which",
    "cancel_messages",
    "capture",
    "change_correction",
    "change_policy",
    "check_new_session",
    "check_record",
    "check_rehearsal",
    "choose_in_group",
    "close_correction",
    "commit_plan",
    "compare_otherwise",
    "compare_rehearsals",
    "compare_versions",
    "count_blockings",
    "count_kept_backups",
    "count_made",
    "count_open_corrections",
    "count_waiting",
    "create_store",
    "crosses_threshold",
    "describe_actor",
    "describe_neighbour",
    "describe_picks",
    "dismiss_trigger",
    "draft_messages",
    "draw_given_pages",
    "draw_page",
    "drop_backup",
    "edit_message",
    "events_of_import",
    "explain_actions",
    "explain_path",
    "explain_plan_path",
    "explain_ways",
    "export_comparison_csv",
    "export_comparison_json",
    "export_correction_csv",
    "export_letter_csv",
    "export_neighbours_csv",
    "export_plan_csv",
    "export_plan_json",
    "export_rehearsal_csv",
    "export_rehearsal_json",
    "export_rejections_csv",
    "export_sheet_csv",
    "export_store",
    "find_address",
    "find_deletion",
    "find_picks",
    "find_places",
    "find_residue",
    "find_stale",
    "find_starts",
    "find_subject",
    "find_tenant",
    "find_words",
    "fire_trigger",
    "foresee_group",
    "foresee_passages",
    "foresee_trigger",
    "foresee_verdicts",
    "format_time",
    "hand_over",
    "import_files",
    "import_lines",
    "keep_plan_file",
    "keep_plan_values",
    "keep_version",
    "latest_event",
    "list_backups",
    "list_candidates",
    "list_case_owners",
    "list_children",
    "list_committers",
    "list_compared",
    "list_conflicts_page",
    "list_corrections",
    "list_corrections_of_event",
    "list_dates",
    "list_decided",
    "list_deletions",
    "list_delivered",
    "list_due",
    "list_due_corrections",
    "list_events",
    "list_export_copies",
    "list_governing",
    "list_grid",
    "list_identities",
    "list_letter_picks",
    "list_made",
    "list_messages",
    "list_my_questions",
    "list_neighbours",
    "list_open_corrections",
    "list_people",
    "list_people_of",
    "list_people_to_ask",
    "list_plan_rows",
    "list_predicates",
    "list_proofs",
    "list_questions_about",
    "list_questions_of",
    "list_queue",
    "list_recaptured",
    "list_recent_decisions",
    "list_rehearsals",
    "list_saved_rows",
    "list_scopes",
    "list_sources",
    "list_stale",
    "list_tenants",
    "list_today",
    "list_unsorted",
    "load_plan_result",
    "look_around",
    "look_through",
    "lower_veil",
    "mail_settings",
    "make_backup",
    "measure",
    "measure_exposure",
    "measure_extractors",
    "name_copy_holder",
    "note_answer_seen",
    "note_message_seen",
    "note_remedy",
    "note_told",
    "open_correction",
    "open_store",
    "parse_qualifiers",
    "parse_stated_time",
    "parse_tolerance",
    "parse_usual_terms",
    "picture_around",
    "picture_of",
    "preview_deletion",
    "preview_plan",
    "propose_answer",
    "propose_edition",
    "propose_verdicts",
    "read_claims",
    "read_record",
    "read_terms",
    "read_thresholds",
    "read_version",
    "rebind",
    "rebuild_index",
    "recall_plan_values",
    "record_backup_destroyed",
    "record_copy_destroyed",
    "record_delivery",
    "refresh_rehearsal",
    "refuse_deletion",
    "rehearse",
    "reject",
    "remove_rehearsal",
    "rename_person",
    "rename_rehearsal",
    "renew",
    "reopen",
    "reopen_correction",
    "request_deletion",
    "restore_backup",
    "reveal",
    "run_deletion",
    "run_drill",
    "run_memory_gate",
    "save_rehearsal",
    "say_tolerance",
    "search_as",
    "search_records",
    "send_messages",
    "set_beside",
    "set_email",
    "set_roles",
    "settle_surface",
    "settle_unknown_sending",
    "show_invisible",
    "show_progress",
    "show_record",
    "spaced",
    "suggest_further_places",
    "suggest_picks",
    "suggest_questions",
    "suggest_starts",
    "suggest_subjects",
    "take_span",
    "take_waiver_back",
    "veil_shown",
    "veiling",
    "verify_store",
    "view_answer_ground",
    "view_candidate",
    "view_conflict",
    "view_correction",
    "view_deletion",
    "view_delivered",
    "view_due_weeks",
    "view_meant",
    "view_message",
    "view_people",
    "view_person_held",
    "view_policy",
    "view_record",
    "view_rehearsal",
    "view_source",
    "view_stale",
    "view_subject",
    "view_today",
    "waive",
    "withdraw_question",
    "write_correction_report",
    "write_deletion_letter",
    "write_letter",
    "write_message_file",
    "write_plainly",
    "write_qualifiers",
]  # fmt: skip

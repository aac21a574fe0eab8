"""Claimdesk's store: what agents may believe, why, and what falls when a source turns out wrong.

This is the façade: pages, the command line and agents use these names and nothing below them.
"""

from store.actions.approve import Approval, approve
from store.actions.commit_plan import commit_plan
from store.actions.import_bundle import import_files, import_lines, show_progress
from store.actions.rebuild_index import rebuild_index
from store.actions.review import amend, reject, renew, reopen
from store.db.claim_store import ClaimStore, create_store, open_store
from store.domain.errors import Code, Refusal
from store.domain.people import OPERATOR, Actor, Right
from store.domain.plans import Answer, Plan, Verb
from store.domain.promotion import Terms, read_terms
from store.domain.records import ROUTES
from store.domain.status import Kind, Status
from store.domain.text import show_invisible
from store.domain.times import format_time, parse_stated_time
from store.reads.answers import Question, read_claims, read_record, search_records
from store.reads.check import check_record
from store.reads.events import list_events
from store.reads.export import export_store
from store.reads.locate import describe_actor, find_tenant, list_people, list_tenants
from store.reads.metrics import explain_actions, measure
from store.reads.preview import Preview, explain_path, preview_plan
from store.reads.queues import QUEUES, list_queue
from store.reads.record import list_children, show_record
from store.reads.verify import verify_store

__all__ = [
    "OPERATOR", "QUEUES", "ROUTES", "Actor", "Answer", "Approval", "ClaimStore", "Code", "Kind", "Plan", "Preview", "Question", "Refusal",
    "Right", "Status", "Terms", "Verb", "amend", "approve", "check_record", "commit_plan", "create_store", "describe_actor",
    "explain_actions", "explain_path", "export_store", "find_tenant", "format_time", "import_files", "import_lines", "list_children",
    "list_events", "list_people", "list_queue", "list_tenants", "measure", "open_store", "parse_stated_time", "preview_plan", "read_claims",
    "read_record", "read_terms", "rebuild_index", "reject", "renew", "reopen", "search_records", "show_invisible", "show_progress",
    "show_record", "verify_store",
]  # fmt: skip

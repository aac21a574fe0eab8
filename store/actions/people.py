"""People and their roles: adding somebody, giving and taking roles, and what somebody is called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from store.db.claim_store import ClaimStore
from store.db.decisions import need_reason
from store.db.declarations import admins_of, change_roles, find_person, keep_email, load_roles, save_person
from store.db.messages import emails_of, fill_address
from store.db.transaction import Writing, write
from store.domain.appointing import RolePair, may_appoint, needs_an_admin, why_not_appoint
from store.domain.bundle import parse_object
from store.domain.errors import Code, Refusal
from store.domain.mail import find_address
from store.domain.people import Right
from store.domain.records import Person
from store.domain.scopes import tenant_of
from store.domain.text import is_blank


def add_person(
    store: ClaimStore, person: str, tenant: str, new_id: str, name: str, roles: Sequence[RolePair], reason: str | None, *,
    operation: str | None = None, authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Add somebody to a tenant with roles.

    Raises:
        Refusal: `not_allowed`, `other_content` where somebody has the id, `bad_value` for what no person can be called or be.
    """
    words = [new_id, name, sorted(roles)]
    with write(store, person, tenant, "add_person", words, operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            tx.reason = need_reason(reason)
            wanted = _checked(tenant, new_id, name, roles)
            if not wanted.roles:
                raise Refusal(Code.BAD_VALUE, f"{new_id} would hold no role and could do nothing. Nothing was saved. Give at least one role.")
            _need_appointable(tx, wanted.roles)
            known = find_person(tx.connection, tx.tenant, new_id)
            if known is not None:
                raise Refusal(
                    Code.OTHER_CONTENT,
                    f"Somebody called {new_id} is here already ({known.name}). Nothing was saved. Change their roles, or take another id.",
                )
            number = save_person(tx, new_id, wanted.name)
            change_roles(tx, number, give=wanted.roles, take=())
            tx.result = {"person": new_id, "before": [], "after": _listed(wanted.roles), "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def set_roles(
    store: ClaimStore, person: str, tenant: str, who: str, give: Iterable[RolePair], take: Iterable[RolePair], reason: str | None, *,
    seen: Iterable[RolePair] | None = None, operation: str | None = None, authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Give somebody roles and take others away.

    Args:
        seen: the roles the person was seen to hold where the actor is admin; if they differ by now, nothing is done.

    Raises:
        Refusal: `not_allowed`, `not_found`, `changed_since_seen` with the roles held now, `illegal_step` where no admin would be left.
    """
    giving, taking = sorted(set(give)), sorted(set(take))
    before_seen = None if seen is None else sorted(set(seen))
    words = [who, giving, taking, before_seen]
    with write(store, person, tenant, "set_roles", words, operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            tx.reason = need_reason(reason)
            known = find_person(tx.connection, tx.tenant, who)
            if known is None:
                raise Refusal(Code.NOT_FOUND, f"Nobody here is called {who!r}. Nothing was saved. Add them first.")
            _checked(tenant, who, known.name, giving)
            _need_appointable(tx, (*giving, *taking))
            held = load_roles(tx, known.number)
            _need_as_seen(tx, who, held, before_seen)
            wrong = [pair for pair in giving if pair in held] + [pair for pair in taking if pair not in held]
            if wrong or not (giving or taking) or set(giving) & set(taking):
                what = (
                    f"{who} {'holds' if wrong and wrong[0] in held else 'does not hold'} {wrong[0][0]} in {wrong[0][1]}"
                    if wrong
                    else "no role changes"
                )
                raise Refusal(Code.BAD_VALUE, f"Nothing was saved: {what}.")
            change_roles(tx, known.number, give=giving, take=taking)
            if needs_an_admin(tx.actor, tenant, taking, admins_of(tx.connection, tx.tenant, tenant)):
                raise Refusal(
                    Code.ILLEGAL_STEP, f"{tenant} would be left without an admin. Nothing was saved. Make somebody else admin of {tenant} first."
                )
            after = (held | set(giving)) - set(taking)
            tx.result = {"person": who, "before": _listed(held), "after": _listed(after), "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def rename_person(
    store: ClaimStore, person: str, tenant: str, who: str, name: str, reason: str | None, *, seen: str | None = None, operation: str | None = None,
    authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Change what somebody is called in a tenant; the id stays.

    Raises:
        Refusal: `not_allowed`, `not_found`, `changed_since_seen`, `bad_value`.
    """
    with write(store, person, tenant, "rename_person", [who, name, seen], operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            tx.reason = need_reason(reason)
            tx.actor.need(Right.ADMINISTER, tenant, f"rename {who}")
            known = find_person(tx.connection, tx.tenant, who)
            if known is None:
                raise Refusal(Code.NOT_FOUND, f"Nobody here is called {who!r}. Nothing was saved.")
            if seen is not None and seen != known.name:
                raise Refusal(
                    Code.CHANGED_SINCE_SEEN, f"{who} was called {seen!r} when you looked and is called {known.name!r} now. Nothing was saved.",
                    now=known.name,
                )  # fmt: skip
            wanted = _checked(tenant, who, name, ()).name
            if wanted == known.name:
                raise Refusal(Code.BAD_VALUE, f"{who} is called that already. Nothing was saved.")
            save_person(tx, who, wanted)
            tx.result = {"person": who, "before": known.name, "after": wanted, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result


def _listed(roles: Iterable[RolePair]) -> list[list[str]]:
    return [list(pair) for pair in sorted(roles)]


def _checked(tenant: str, person_id: str, name: str, roles: Iterable[RolePair]) -> Person:
    """Return the person as a bundle line would be read, every role inside the tenant."""
    try:
        found = parse_object({"type": "person", "id": person_id, "name": name.strip(), "roles": [{"role": r, "scope": s} for r, s in roles]})
    except ValueError as error:
        raise Refusal(Code.BAD_VALUE, f"Nothing was saved: {error.args[0]}.") from None
    assert isinstance(found, Person)
    if person_id != person_id.strip() or is_blank(person_id) or is_blank(name):
        raise Refusal(Code.BAD_VALUE, "Nothing was saved: a person needs an id without spaces around it, and a name.")
    outside = [scope for _, scope in found.roles if tenant_of(scope) != tenant]
    if outside:
        raise Refusal(Code.BAD_VALUE, f"{outside[0]} lies outside {tenant}. Nothing was saved. Choose a scope of {tenant}.")
    return found


def _need_appointable(tx: Writing, roles: Iterable[RolePair]) -> None:
    for role, scope in roles:
        if not may_appoint(tx.actor, role, scope):
            raise Refusal(Code.NOT_ALLOWED, f"Nothing was saved. {why_not_appoint(tx.actor, role, scope)}")


def _need_as_seen(tx: Writing, who: str, held: set[RolePair], seen: list[RolePair] | None) -> None:
    """Refuse when the roles that the actor can see to be at stake are others than were seen."""
    if seen is None:
        return
    mine = sorted(pair for pair in held if tx.actor.may(Right.ADMINISTER, pair[1]))
    if mine != sorted(pair for pair in seen if tx.actor.may(Right.ADMINISTER, pair[1])):
        raise Refusal(
            Code.CHANGED_SINCE_SEEN, f"Somebody changed the roles of {who} since you looked. Nothing was saved. They are shown as they are now.",
            now=_listed(mine),
        )  # fmt: skip


def set_email(
    store: ClaimStore, person: str, tenant: str, who: str, email: str | None, reason: str | None = None, *, seen: str | None = None,
    operation: str | None = None, authenticated: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Say where notices for somebody go, or that they go nowhere; an admin may, and everybody for themselves.

    Args:
        seen: the address as it was shown, empty for none; another one by now is refused.

    Returns:
        `{"person", "before", "after", "filled": how many drafts for them, which had no address, go there now, "event"}`.

    Raises:
        Refusal: `not_allowed`, `not_found`, `changed_since_seen`, `bad_value`.
    """
    words = [who, email] if seen is None else [who, email, seen]
    with write(store, person, tenant, "set_email", words, operation=operation, authenticated=authenticated) as tx:
        if tx.repeated is None:
            tx.reason = None if reason is None else need_reason(reason)
            if who != tx.actor.id:
                tx.actor.need(Right.ADMINISTER, tenant, f"change where notices for {who} go")
            if find_person(tx.connection, tx.tenant, who) is None:
                raise Refusal(Code.NOT_FOUND, f"Nobody here is called {who!r}. Nothing was saved.")
            before = emails_of(tx.connection, tx.tenant).get(who)
            if seen is not None and seen != (before or ""):
                raise Refusal(Code.CHANGED_SINCE_SEEN, f"Somebody changed the mail address of {who} since you looked. Nothing was saved. It is shown as it is now.")
            if email is not None and find_address(email) is None:
                raise Refusal(Code.BAD_VALUE, "That is no mail address. Nothing was saved. Write one like ana@example.org.")
            if email == before:
                raise Refusal(Code.BAD_VALUE, f"Notices for {who} go there already. Nothing was saved." if email else f"{who} has no mail address already. Nothing was saved.")
            keep_email(tx, who, email)
            filled = fill_address(tx, who, email) if email is not None else 0
            tx.result = {"person": who, "before": before, "after": email, "filled": filled, "event": tx.seq}
    return tx.repeated if tx.repeated is not None else tx.result

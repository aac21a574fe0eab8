"""What each word of a command means, where the command itself does not say it: one sentence for a name, wherever it is used."""

from __future__ import annotations

import argparse

#: By the name of an option or of what stands in its place; a name that means something else to one command is told as `command name`.
_MEANINGS = {
    "--about": "whether its subjects are things or people", "--add": "what it rests on now as well; #start-end is the passage",
    "--after": "go on behind this one; the end of a list names it", "--by": "the record that replaces it",
    "--at": "as it held at this time, such as 2026-06-30", "--cardinality": "whether one value holds at a time, or many",
    "--channel": "by what way it went, such as mail", "--claims": "how many claims the store has that is measured",
    "--compare": "when two values count as the same", "--confirm": "yes, everything that the search found is meant",
    "--copy": "only this one of several copies; status numbers them", "--correction": "only what belongs to this correction",
    "--delivered-at": "when it went out, such as 2026-11-23T09:00:00Z; otherwise now", "--drop": "what it does not rest on any more",
    "--due": "until when it has to be done", "--event": "only what this event changed; events lists them; may be repeated",
    "--except": "conflicts that are left alone", "--expires-at": "when it ends", "--file": "the file that is taken in",
    "--fingerprint": "what the preview printed: if anything has changed since, nothing is done", "--format": "what is written",
    "--from": "the day from which it replaces the other; until then the other holds", "--ground": "why, in one of these words; it stays",
    "--id": "one record by its id, instead of a question", "--keep": "the claim that stays", "--limit": "how many at most",
    "--narrow": "the condition under which each holds, for a verdict that keeps both", "--none": "no new edition is needed, and why",
    "--note": "what was found or done, in words", "--of": "who is asked", "--only": "measure these goals alone; may be repeated",
    "--open-conflict": "let both stand, in a conflict that somebody settles",
    "--operation": "a name of your own for this act: repeated, it answers with the first result",
    "--order": "whether the order of a list counts", "--other": "what becomes of each claim that does not stay",
    "--others": "what becomes of the claims that do not stay", "--output": "the file that is written",
    "--owner": "who owns an artifact that has no owner from now on; may be repeated", "--predicate": "what is asked of it, such as nav",
    "--purpose": "what for; without it, only what is open to every purpose", "--qualifier": "which figure is meant, such as currency=USD; may be repeated",
    "--reason": "why, for the history", "--record": "only what happened to this record", "--replace": "what takes the place of something it rests on",
    "--replaces": "the accepted claim it replaces", "--requester": "who asked for it: a name, or the number of a letter",
    "--review-at": "when somebody looks at it again", "--route": "where it goes", "--sample": "load the sample into the new store",
    "--scope": "where, such as acme/funds: it and every scope below", "--seen": "the version you looked at: if it is another by now, nothing is done",
    "--series": "whether each period has a value of its own, which ends the one before", "--state": "only those that stand so",
    "--subject": "what it is about, such as larch-hollow-3", "--task": "the task the answer is for, kept with what was told",
    "--terms": 'what is set with it, such as {"review_at": "2027-06-01"}', "--title": "what the new edition is called", "--to": "who got it",
    "--tolerance": "how far two numbers may lie apart", "--value-type": "what its values are", "--verdict": "how it is settled",
    "--waive": "why an artifact without owner needs none; may be repeated", "--withdraw": "take a question of your own back",
    "ARTIFACT": "the id of the answer, report or action", "CONFLICT": "the id of a conflict; queue conflicts lists them",
    "EXPORT": "the number of the file; copies list shows it", "FIELD=JSON": "the field that is changed, and what it says then", "FILE": "a file",
    "ID": "the id of a record", "MESSAGE": "the id of a message; messages list shows it", "NUMBER": "the number of the question; questions lists them",
    "PREDICATE": "the name of the predicate, such as nav", "REQUEST": "the id of the request, such as acme-deletion-1",
    "SOURCE": "the id of the source", "SURFACE": "the place; status lists them", "TEXT": "the words", "TRIGGER": "what happened",
    "WHO": "who holds it", "queue": "what is listed", "what": "what is done",
}  # fmt: skip
_IN_ONE = {
    "bench --claims": "how many claims the store has that is measured, at least 5,000", "lab --output": "write the table to this file as well",
    "read --scope": "where it is asked, such as acme/funds; what the scopes above hold is served too",
    "search --scope": "where it is asked, such as acme/funds; what the scopes above hold is served too",
    "erase settle --state": "how it stands there now", "import FILE": "a bundle, as JSON Lines", "backup FILE": "the new file; none is written over",
    "restore FILE": "a file that backup wrote", "export --scope": "only this scope and those below it; the whole tenant without it",
    "preview resolve --subject": "whom or what each claim is about, for a verdict that they differ in that",
    "commit resolve --subject": "whom or what each claim is about, for a verdict that they differ in that",
    "ask ID": "the id of a record or a conflict",
}  # fmt: skip


def give_meanings(parser: argparse.ArgumentParser, command: str = "") -> None:
    """Say of every word of the commands that has no sentence of its own what it means."""
    for action in parser._actions:  # noqa: SLF001  argparse lists its words nowhere else
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for name, below in action.choices.items():
                give_meanings(below, f"{command} {name}".strip())
        elif action.help is None:
            name = action.option_strings[-1] if action.option_strings else "TRIGGER" if action.dest == "name" else str(action.metavar or action.dest)
            action.help = _IN_ONE.get(f"{command} {name}", _MEANINGS.get(name))

"""Import: choose bundle files, see what they would do line by line, then bring exactly that in."""

from __future__ import annotations

from pages.widgets.desk import attempt, open_desk, show_notices
from pages.widgets.import_job import current_job
from pages.widgets.import_steps import draw_checked, draw_choice, draw_imported, draw_running, draw_stopped, scopes_to_add_to
from pages.widgets.language import phrase, say
from pages.widgets.markup import draw, tag


def main() -> None:
    """Draw the page."""
    desk = open_desk()
    draw(tag("h1", say("Import"), cls="cd-title"))
    show_notices()
    if not scopes_to_add_to(desk):
        draw(
            tag(
                "div",
                tag("b", say("You may add nothing")),
                say("Importing takes the role of a contributor, a reviewer or an admin in the scope of what comes in. Ask an admin of your team."),
                cls="cd-empty",
            )
        )
        return
    job = current_job(desk)
    if job is None:
        nothing = tag("b", say("Nothing comes in"))
        draw(
            tag(
                "p", phrase("Choose what to bring in. {nothing} before you have seen what it would do, line by line.", nothing=nothing), cls="cd-lead"
            )
        )
        draw_choice(desk)
    elif job.running:
        draw_running(desk, job)
    elif job.result is None:
        draw_stopped(desk, job)
    else:
        attempt(lambda: draw_checked(desk, job) if job.dry_run else draw_imported(desk, job))


main()

"""The catalogue of strings, made from the code: `python -m tests.catalogue` writes `pages/widgets/locale/claimdesk.pot`.

A second language is a copy of it, `pages/widgets/locale/LANGUAGE/LC_MESSAGES/claimdesk.po`, filled in and compiled with
`pybabel compile -D claimdesk -d pages/widgets/locale`. `invent_language` makes one for tests.
"""

from __future__ import annotations

import re
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parents[1]
TEMPLATE = ROOT / "pages" / "widgets" / "locale" / "claimdesk.pot"
#: The functions whose literal arguments are the catalogue; `pgettext` takes a context first.
KEYWORDS = {"say": None, "say_count": (1, 2), "phrase": None, "phrase_count": (1, 2), "later": None, "later_count": (1, 2), "pgettext": ((1, "c"), 2)}
_PLACE = re.compile(r"(\{[^}]*\})")
_ACCENTED = str.maketrans("aeiouycnszAEIOUYCNSZ", "áéíóúýçñšžÁÉÍÓÚÝÇÑŠŽ")
#: Every other letter, so that no plain letter is left in a translated text.
_TURNED = str.maketrans("bdfghjklmpqrtvwxBDFGHJKLMPQRTVWX", "ƀđƒĝĥĵķłɱƥɋřţṽŵẋƁĐƑĜĤĴĶŁṀƤɊŘŢṼŴẊ")


def messages_of_code():
    """Every message the code names: (file, message, context), once per place."""
    for name, _, message, _, context in extract_from_dir(str(ROOT / "pages"), [("**.py", "python")], keywords=KEYWORDS):
        yield name, message, context


def extract_catalogue():
    """Return the catalogue the code makes, with the file of each message and no line numbers."""
    found = Catalog(project="claimdesk", header_comment="# What Claimdesk says on its screens. Written by `python -m tests.catalogue`; see pages/widgets/language.py.")
    for name, message, context in messages_of_code():
        found.add(message, None, [(f"pages/{name}", 0)], context=context)
    return found


def read_template():
    """Return the catalogue kept in the tree."""
    with TEMPLATE.open("rb") as file:
        return read_po(file)


def names_of(catalogue):
    """Return what a catalogue holds: (context, one, many), sorted."""
    return sorted((message.context or "", *((message.id, "") if isinstance(message.id, str) else message.id)) for message in catalogue if message.id)


def write_template():
    """Write the catalogue beside the code: sorted, without dates, so that two changes merge."""
    found = extract_catalogue()
    lines = TEMPLATE.with_suffix(".tmp")
    with lines.open("wb") as file:
        write_po(file, found, width=150, sort_output=True, include_lineno=False, omit_header=False)
    text = "\n".join(line for line in lines.read_text("utf-8").splitlines() if not line.startswith(('"POT-Creation-Date', '"PO-Revision-Date')))
    lines.unlink()
    TEMPLATE.write_text(f"{text}\n", "utf-8")


def invent(text: str) -> str:
    """Return a text in the made language: no plain letter, in brackets, a third longer."""
    if not re.search("[A-Za-z]", _PLACE.sub("", text)):
        return text
    turned = "".join(part if _PLACE.fullmatch(part) else part.translate(_ACCENTED).translate(_TURNED) for part in _PLACE.split(text))
    return f"⟦{turned}{'·' * max(1, len(_PLACE.sub('', text)) * 3 // 10)}⟧"


def invent_language(folder: Path, language: str = "xx") -> None:
    """Make a second language out of the template: a file, and nothing else."""
    made = Catalog(locale=None, domain="claimdesk")
    for message in read_template():
        if not message.id:
            continue
        words = invent(message.id) if isinstance(message.id, str) else tuple(invent(one) for one in message.id)
        made.add(message.id, words, context=message.context)
    place = folder / language / "LC_MESSAGES"
    place.mkdir(parents=True)
    with (place / "claimdesk.mo").open("wb") as file:
        write_mo(file, made)


if __name__ == "__main__":
    write_template()

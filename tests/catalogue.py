"""The catalogue of strings, made from the code: `python -m tests.catalogue` writes `pages/widgets/locale/claimdesk.pot`.

A second language is a copy of it, `pages/widgets/locale/LANGUAGE/LC_MESSAGES/claimdesk.po`, filled in and compiled with
`pybabel compile -D claimdesk -d pages/widgets/locale`. `invent_language` makes one for tests.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parents[1]
TEMPLATE = ROOT / "pages" / "widgets" / "locale" / "claimdesk.pot"
#: The functions whose first literal arguments are the catalogue, and how many; `pgettext` takes a context first.
KEYWORDS = {"say": 1, "say_count": 2, "phrase": 1, "phrase_count": 2, "later": 1, "later_count": 2, "pgettext": 2}
_PLACE = re.compile(r"(\{[^}]*\})")
_ACCENTED = str.maketrans("aeiouycnszAEIOUYCNSZ", "áéíóúýçñšžÁÉÍÓÚÝÇÑŠŽ")
#: Every other letter, so that no plain letter is left in a translated text.
_TURNED = str.maketrans("bdfghjklmpqrtvwxBDFGHJKLMPQRTVWX", "ƀđƒĝĥĵķłɱƥɋřţṽŵẋƁĐƑĜĤĴĶŁṀƤɊŘŢṼŴẊ")


def messages_of_code():
    """Every message the code names: (file, message, context), once per place. Babel's own reader leaves out calls within calls."""
    for path in sorted((ROOT / "pages").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr if isinstance(node.func, ast.Attribute) else ""
            texts = [argument.value for argument in node.args if isinstance(argument, ast.Constant) and isinstance(argument.value, str)]
            taken = texts[: KEYWORDS.get(name, 0)]
            if name in KEYWORDS and len(taken) == KEYWORDS[name]:
                context = taken.pop(0) if name == "pgettext" else None
                yield str(path.relative_to(ROOT)), taken[0] if len(taken) == 1 else tuple(taken), context


def extract_catalogue():
    """Return the catalogue the code makes, with the file of each message and no line numbers."""
    found = Catalog(project="claimdesk", header_comment="# What Claimdesk says on its screens. Written by `python -m tests.catalogue`; see pages/widgets/language.py.")
    for name, message, context in messages_of_code():
        found.add(message, None, [(name, 0)], context=context)
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

"""Whether a claim's value really stands in its quote: as it is, at another scale, in another writing, or not at all.

Rules:
- a number may be written with any separators of thousands and decimals, in brackets when negative, or as a small word;
- a scale must be said: beside the number ("184.0 million", "1.2 亿", "4.2 %"), or in words around it ("in thousands",
  "USD m", "单位：万元"); digits that fit at a scale nobody says are `digits`, which is for a person to judge;
- a text is there if it is, but for case, spaces, quotation marks and dashes; a date in any usual writing is that date;
- true, false, null and objects have no words to look for: `untold`.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

YES, SCALED, PART, DIGITS, NO, UNTOLD = "yes", "scaled", "part", "digits", "no", "untold"


@dataclass(frozen=True, slots=True)
class InQuote:
    """Where a value stands in a quote.

    Attributes:
        kind: YES; SCALED, at a scale that is said; DIGITS, at one that is not; PART, some items of a list; NO; UNTOLD.
        words: the words of the quote that are the value, empty where none are.
        missing: items of a list that are not there.
    """

    kind: str
    words: str = ""
    missing: tuple[str, ...] = ()


_SCALES = {
    "thousand": 3, "thousands": 3, "thsd": 3, "tsd": 3, "tausend": 3, "k": 3, "mille": 3, "千": 3, "million": 6, "millions": 6, "mio": 6, "mn": 6, "mln": 6, "m": 6,
    "mm": 6, "millionen": 6, "百万": 6, "billion": 9, "billions": 9, "bn": 9, "b": 9, "mrd": 9, "milliarden": 9, "milliard": 9, "milliards": 9, "十亿": 9, "trillion": 12,
    "trillions": 12, "tn": 12, "万亿": 12, "兆": 12, "万": 4, "萬": 4, "十万": 5, "千万": 7, "亿": 8, "億": 8, "lakh": 5, "lakhs": 5, "crore": 7, "crores": 7, "hundred": 2,
}  # fmt: skip
_PERCENT = {"%": -2, "％": -2, "percent": -2, "per cent": -2, "pct": -2, "prozent": -2, "‰": -3, "bp": -4, "bps": -4, "basis points": -4, "basis point": -4}
_SCALE_WORD = "|".join(sorted(map(re.escape, [*_SCALES, *_PERCENT]), key=len, reverse=True))
_NUMBER = re.compile(
    rf"(?<![A-Za-z0-9_.])(?P<open>\()?\s*(?P<sign>[-−–+])?\s*(?P<money>[$€£¥]|US\$|USD|EUR|GBP|CHF|CNY|RMB)?\s*"
    rf"(?P<digits>\d+(?:[.,'’\u00a0\u202f ]\d+)*)\s*(?P<scale>(?:{_SCALE_WORD})(?![A-Za-z]))?(?P<close>\))?",
    re.IGNORECASE,
)
#: Words that set the scale of a whole table.
_AROUND = (
    (3, re.compile(r"\b(?:in|of)\s+(?:\w+\s+)?thousands\b|\b(?:USD|EUR|GBP|CHF|\$|€|£)\s?(?:k|000s?|'000)\b|\bT€|['’]000\b|\bin\s+Tsd\b|千元|单位[:：]\s*千", re.IGNORECASE)),
    (6, re.compile(r"\b(?:in|of)\s+(?:\w+\s+)?millions?\b|(?:\bUSD|\bEUR|\bGBP|\bCHF|\$|€|£)\s?(?:m|mn|mio|million)\b|\bin\s+Mio\b|百万元|单位[:：]\s*百万", re.IGNORECASE)),
    (9, re.compile(r"\b(?:in|of)\s+(?:\w+\s+)?billions?\b|(?:\bUSD|\bEUR|\bGBP|\$|€|£)\s?(?:bn|billion)\b", re.IGNORECASE)),
    (4, re.compile(r"万元|单位[:：]\s*万")), (8, re.compile(r"亿元|单位[:：]\s*亿")),
)  # fmt: skip
_LOSS = re.compile(r"\b(?:loss|losses|deficit|decrease|decreased|decline|declined|fell|down|minus|negative|outflow)\b|亏损|下降|减少", re.IGNORECASE)
_WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"]
_TENS = {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100, "once": 1, "twice": 2, "a dozen": 12}
_ORDINALS = {word: number for number, word in enumerate(["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"], 1)}
_NUMBER_WORDS = {**{word: number for number, word in enumerate(_WORDS)}, **_TENS, **_ORDINALS}
_SMALL_WORDS = re.compile(rf"\b(?:{'|'.join(sorted(_NUMBER_WORDS, key=len, reverse=True))})\b", re.IGNORECASE)
_HAN = {"零": 0, "〇": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000}
_HAN_NUMBER = re.compile(r"[零〇一二两三四五六七八九十百千]+")
_CURRENCIES = {"USD": ("$", "US$"), "EUR": ("€",), "GBP": ("£",), "JPY": ("¥",), "CNY": ("¥", "RMB", "人民币", "元"), "INR": ("₹",), "KRW": ("₩",)}
_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")
#: Parts of a day are no figures.
_DAY = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_MONTH = re.compile(r"(\d{4})-(\d{2})")
_RANGE = re.compile(r"\s*(?:至|到|\bto\b|\buntil\b|\band\b|-)\s*")
_MARKDOWN = re.compile(r"[*_`]|\]\([^)]*\)|\[")
_COMPARED = re.compile(r"[<>=~^!]=?\s*([0-9][\w.+-]*)")
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?:T.*)?")
#: Longest quote that is looked through.
_LONGEST = 20_000


def find_value(value: Any, quote: str, around: str = "") -> InQuote:
    """Return whether `value` stands in `quote`.

    Args:
        around: what stands near the quote, where a table may say its scale.
    """
    quote = quote[:_LONGEST]
    if value is None or isinstance(value, bool):
        return InQuote(UNTOLD)
    told = _told_by_json(value, quote)
    if told is not None:
        return told
    if isinstance(value, dict):
        amount, currency = value.get("amount"), value.get("currency")
        if set(value) != {"amount", "currency"} or isinstance(amount, bool) or not isinstance(amount, int | float) or not isinstance(currency, str):
            return InQuote(UNTOLD)
        found = _find_number(amount, quote, around)
        return InQuote(NO) if found.kind != NO and _names_another(currency, quote) else found
    if isinstance(value, list):
        return _find_list(value, quote, around)
    if isinstance(value, int | float):
        return _find_number(value, quote, around)
    return _find_text(str(value), quote, around)


def _told_by_json(value: Any, quote: str) -> InQuote | None:
    """Return YES where the quote is the JSON text of the value."""
    try:
        return InQuote(YES, quote) if json.loads(quote) == value else None
    except (ValueError, RecursionError):
        return None


def _find_list(value: list[Any], quote: str, around: str) -> InQuote:
    found = [find_value(item, quote, around) for item in value]
    missing = tuple(str(item) for item, one in zip(value, found, strict=True) if one.kind in (NO, UNTOLD))
    if not value or all(one.kind == UNTOLD for one in found):
        return InQuote(UNTOLD)
    if not missing:
        worst = next((kind for kind in (DIGITS, SCALED) if any(one.kind == kind for one in found)), YES)
        return InQuote(worst, found[0].words)
    return InQuote(NO if len(missing) == len(value) else PART, next((one.words for one in found if one.words), ""), missing)


# --- numbers ------------------------------------------------------------------------------------------------------


def _readings(digits: str) -> Iterator[tuple[Decimal, bool]]:
    """Yield what a run of digits and separators may mean, the likelier reading first, and whether that reading is plain.

    "1,234" is plainly a thousand and more, "1.234" plainly a little more than one; the other reading of each is possible.
    """
    marks = [ch for ch in digits if not ch.isdigit()]
    plain = re.sub(r"\D", "", digits)
    if not marks:
        yield Decimal(plain), True
        return
    last = marks[-1]
    tail = digits.rpartition(last)[2]
    groups = re.split(r"\D", digits)[1:]
    one_mark = len(set(marks)) == 1
    as_thousands = one_mark and (all(len(group) == 3 for group in groups) or (last == "," and len(groups[-1]) == 3 and all(len(group) == 2 for group in groups[:-1])))
    as_decimal = last in ".," and marks.count(last) == 1 and (one_mark or all(len(group) == 3 for group in groups[:-1]))
    thousands, decimal = Decimal(plain), Decimal(f"{plain[: len(plain) - len(tail)] or '0'}.{tail}")
    if as_decimal and last == ".":
        yield decimal, True
    if as_thousands:
        yield thousands, not as_decimal or last == ","
    if as_decimal and last == ",":
        yield decimal, not as_thousands
    if len(marks) > 1 and not as_thousands:
        # Figures of a row rather than groups of one figure.
        for part in re.split(r"[^\d.]" if "." in marks else r"\D", digits):
            yield from _readings(part) if part.strip(".") and part != digits else ()


def _exact(value: float) -> Decimal:
    return Decimal(value) if isinstance(value, int) else Decimal(repr(value))


def _find_number(value: float, quote: str, around: str) -> InQuote:
    try:
        wanted = _exact(value)
    except InvalidOperation:
        return InQuote(UNTOLD)
    if not wanted.is_finite() or abs(wanted.adjusted()) > 40:
        return InQuote(UNTOLD)
    said = {power for power, words in _AROUND if words.search(quote) or words.search(around)}
    best, loss = InQuote(NO), bool(_LOSS.search(quote))
    if not 1900 <= wanted <= 2100:
        quote = _DAY.sub(lambda day: " " * len(day.group()), quote)
    for found in _NUMBER.finditer(quote):
        bracketed = bool(found["open"] and found["close"])
        negative = found["sign"] in ("-", "−", "–") or bracketed
        scale = (found["scale"] or "").lower()
        words = found.group().strip()
        for read, plain in _readings(found["digits"]):
            kind = _kind_of(wanted, read, scale, said, negative=negative, loss=loss)
            if (not plain and kind != NO) or (bracketed and read == wanted):
                kind = DIGITS
            if kind == YES:
                return InQuote(YES, words)
            if kind == SCALED or (kind == DIGITS and best.kind == NO):
                best = best if best.kind == SCALED else InQuote(kind, words)
    return best if best.kind == SCALED else _find_number_word(wanted, quote) or best


def _kind_of(wanted: Decimal, read: Decimal, scale: str, said: set[int], *, negative: bool, loss: bool) -> str:
    """Return how a number that stands in the quote relates to the one wanted."""
    sizes = {-read} if negative else {read}
    if loss or negative:
        sizes = {read, -read} if loss else sizes
    powers = [_SCALES[scale]] if scale in _SCALES else [_PERCENT[scale]] if scale in _PERCENT else []
    for size in sizes:
        if powers:
            if size.scaleb(powers[0]) == wanted:
                return SCALED
            # "4.2 %" may be kept as 4.2, "184 million" as 184 of a unit that says million.
            if size == wanted:
                return YES
        elif size == wanted:
            return YES
        elif any(size.scaleb(power) == wanted for power in said):
            return SCALED
    if not powers and any(read != 0 and abs(read).scaleb(power) == abs(wanted) for power in (3, 6, 9, 4, 8, -2)):
        return DIGITS
    return NO


def _find_number_word(wanted: Decimal, quote: str) -> InQuote | None:
    if wanted != wanted.to_integral_value() or not 0 <= wanted <= 9999:
        return None
    for found in _SMALL_WORDS.finditer(quote):
        if _NUMBER_WORDS[found.group().lower()] == wanted:
            return InQuote(YES, found.group())
    for found in _HAN_NUMBER.finditer(quote):
        if _read_han(found.group()) == wanted:
            return InQuote(YES, found.group())
    return None


def _read_han(text: str) -> int:
    """Return the number a run of Chinese numerals stands for."""
    total, digit = 0, 0
    for ch in text:
        if ch in _HAN_UNITS:
            total += (digit or 1) * _HAN_UNITS[ch]
            digit = 0
        else:
            digit = digit * 10 + _HAN[ch] if digit and not total else _HAN[ch]
    return total + digit


def _names_another(currency: str, quote: str) -> bool:
    """Return whether a quote names currencies, and the wanted one is not among them."""
    named = {code for code, signs in _CURRENCIES.items() if re.search(rf"\b{code}\b", quote) or any(sign in quote for sign in signs)}
    return bool(named) and currency.upper() in _CURRENCIES and currency.upper() not in named


# --- texts --------------------------------------------------------------------------------------------------------

_ALIKE = str.maketrans({"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-"})


def _fold(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).translate(_ALIKE).split()).casefold()


def _find_text(value: str, quote: str, around: str) -> InQuote:
    if not value.strip():
        return InQuote(UNTOLD)
    if value in quote:
        return InQuote(YES, value)
    folded, mine = _fold(quote), _fold(value)
    if mine in folded or (len(mine) >= 3 and mine.replace(" ", "") in folded.replace(" ", "")):
        return InQuote(YES, value)
    if len(mine) >= 3 and (_RANGE.sub("-", mine) in _RANGE.sub("-", folded) or _MARKDOWN.sub("", mine) in _MARKDOWN.sub("", folded)):
        return InQuote(YES, value)
    day = _ISO.fullmatch(value.strip())
    if day is not None:
        return _find_date(day, quote)
    month = _MONTH.fullmatch(value.strip())
    if month is not None and 1 <= int(month[2]) <= 12:
        return _find_month(int(month[1]), int(month[2]), quote)
    versions = _COMPARED.findall(value)
    if versions and all(re.search(rf"(?<![\w.]){re.escape(one)}(?![\w]|\.\d)", quote) for one in versions):
        return InQuote(PART, versions[-1])
    number = re.fullmatch(r"[+-]?\d[\d,]*(?:\.\d+)?", value.strip())
    if number is not None:
        try:
            return _find_number(float(Decimal(value.strip().replace(",", ""))), quote, around)
        except (InvalidOperation, OverflowError):
            return InQuote(NO)
    return InQuote(NO)


def _find_month(year: int, month: int, quote: str) -> InQuote:
    name = _MONTHS[month - 1]
    found = re.search(rf"\b(?:{name}|{name[:3]}\.?),?\s+(?:of\s+)?{year}\b|{year}\s*年\s*0?{month}\s*月|\b0?{month}[/.]{year}\b", quote, re.IGNORECASE)
    return InQuote(YES, found.group()) if found else InQuote(NO)


def _find_date(found: re.Match[str], quote: str) -> InQuote:
    year, month, day = (int(part) for part in found.groups()[:3])
    try:
        wanted = date(year, month, day)
    except ValueError:
        return InQuote(NO)
    name = _MONTHS[wanted.month - 1]
    month_word = rf"(?:{name}|{name[:3]}\.?{'|sept' if wanted.month == 9 else ''})"
    ordinal = rf"0?{wanted.day}(?:st|nd|rd|th)?"
    writings = (
        rf"\b{ordinal}\.?\s+(?:of\s+)?{month_word},?\s+{year}\b", rf"\b{month_word}\s+{ordinal},?\s+{year}\b", rf"\b{year}[-/.]0?{wanted.month}[-/.]0?{wanted.day}\b",
        rf"\b0?{wanted.day}[/.]\s?0?{wanted.month}[/.]\s?(?:{year}|{year % 100:02d})\b", rf"\b0?{wanted.month}/0?{wanted.day}/(?:{year}|{year % 100:02d})\b",
        rf"{year}\s*年\s*0?{wanted.month}\s*月\s*0?{wanted.day}\s*[日号]", rf"\b{ordinal}[- ]{month_word}[- ](?:{year}|{year % 100:02d})\b",
    )  # fmt: skip
    for writing in writings:
        match = re.search(writing, quote, re.IGNORECASE)
        if match:
            return InQuote(YES, match.group())
    return InQuote(NO)

"""Numbers that name a person or an account, told from other numbers by their own check digits where they have some."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

#: (start, end, kind, what it is)
Found = tuple[int, int, str, str]

_CARD = re.compile(
    r"(?<![\w.,+/-])(?:[3-6]\d{12,18}|[3-6]\d{3}(?:[ -]\d{4}){3}(?:[ -]\d{1,3})?|3[47]\d{2}[ -]\d{6}[ -]\d{5})(?![\w/-]|[.,]\d)", re.ASCII
)
_RESIDENT = re.compile(r"(?<![A-Za-z0-9])[1-8]\d{5}(?:18|19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx](?![A-Za-z0-9])", re.ASCII)
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])", re.ASCII)
_SOCIAL = re.compile(r"(?<![\w.-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])", re.ASCII)
_TAIWAN = re.compile(r"(?<![A-Za-z0-9])[A-Z][1289]\d{8}(?![A-Za-z0-9])", re.ASCII)
_NAMED = re.compile(
    r"(?:passport(?: (?:no|number))?|national insurance(?: (?:no|number))?|driver'?s licen[cs]e(?: (?:no|number))?|driving licen[cs]e(?: (?:no|number))?|id card(?: (?:no|number))?"
    r"|social security(?: (?:no|number))?|tax id|护照(?:号码|号)?|身份证(?:号码|号)?|社保(?:卡|账)?号|社会保障号码?|驾驶证号|驾照号|通行证号?|学号|工号|病历号|住院号)"
    r"\.?(?:\s*(?:is|was|[:#=]|是|为))?\s*(?P<found>(?=[A-Za-z0-9 -]*\d{4})[A-Za-z]{0,3}[0-9][A-Za-z0-9 -]{4,18}[A-Za-z0-9])(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_ACCOUNT = re.compile(
    r"(?:(?:bank )?account (?:no|number)|sort code|routing number|银行卡号?|银行账[号户]|卡号|账号|帐号)\.?(?:\s*(?:is|was|[:#=]|是|为))?\s*(?P<found>\d[\d -]{6,24}\d)(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_MAIL = re.compile(r"(?<![\w.+-])(?P<who>[\w.+-]{1,64})@(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,24}(?![\w-])", re.ASCII)
_NOBODY = re.compile(
    r"^(?:no-?reply|do-?not-?reply|info|support|security|sales|contact|hello|admin|help|helpdesk|service|office|press|legal|privacy|abuse|postmaster|webmaster|billing|jobs|careers|team|dev|git|root|list|announce|feedback|hr|it|ops|noc|soc|psirt|cert|mailer-daemon)(?:[-+.].*)?$",
    re.IGNORECASE,
)
_PHONE = re.compile(
    r"(?<![\w.+/-])(?:\+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?\d{1,4}(?:[ .-]?\d{2,4}){2,4}|\(\d{3}\) ?\d{3}-\d{4}|(?<!\d-)[2-9]\d{2}-[2-9]\d{2}-\d{4}|1[3-9]\d{9}|1[3-9]\d[ -]\d{4}[ -]\d{4}|0\d{2,3}-\d{7,8})(?![\w/-]|[.,]\d)",
    re.ASCII,
)
_PHONE_WORDS = re.compile(
    r"(?:\b(?:phone|call|tel|telephone|mobile|cell|whatsapp|wechat|sms|fax|text (?:me|him|her)|reach(?:ed)?|contact)\b|电话|手机|致电|联系|微信|来电|拨打|短信|号码)[^0-9+(]{0,24}$",
    re.IGNORECASE,
)
_STREET = re.compile(
    r"\b(?:lives?|living|resides?|home address|moved|address is)\b[^.\d]{0,20}(?P<found>\d{1,5}[A-Za-z]?,? (?:[A-Z][\w'.-]+ ){1,4}(?:street|st|road|rd|avenue|ave|lane|ln|drive|dr|way|court|close|square|terrace|boulevard|blvd)\b\.?)",
    re.IGNORECASE,
)
_STREET_ZH = re.compile(
    r"(?:住在|住址|家庭住址|家住|现住|收货地址|住)[是为:在]{0,2}\s*(?P<found>[\u4e00-\u9fff]{2,20}(?:路|街|巷|道|弄|小区|花园|苑|村)[\u4e00-\u9fff]{0,8}\s?\d{1,5}\s?(?:号|弄|栋|幢|室|单元)[\w号弄栋幢室单元-]{0,12})"
)


def passes_luhn(digits: str) -> bool:
    """Return whether a row of digits ends in the check digit of payment cards."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if place % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0 and len(set(digits)) > 1


def _is_card(digits: str) -> bool:
    """Return whether digits are of the length and beginning of a maker of cards, and pass its check."""
    begins, size = int(digits[:4]), len(digits)
    known = (
        (digits[0] == "4" and size in (13, 16, 19)) or (size == 16 and (5100 <= begins < 5600 or 2221 <= begins <= 2720))
        or (size == 15 and digits[:2] in ("34", "37")) or (size == 16 and (digits[:4] == "6011" or digits[:2] == "65" or 3528 <= begins <= 3589))
        or (digits[:2] == "62" and 16 <= size <= 19) or (size == 14 and digits[:2] in ("36", "38"))
    )  # fmt: skip
    return known and passes_luhn(digits)


def is_resident_number(text: str) -> bool:
    """Return whether a text is a Chinese resident's number: a day of birth that exists, and its check digit."""
    try:
        date(int(text[6:10]), int(text[10:12]), int(text[12:14]))
    except ValueError:
        return False
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    return "10X98765432"[sum(int(digit) * weight for digit, weight in zip(text, weights)) % 11] == text[17].upper()


def is_iban(text: str) -> bool:
    """Return whether a text is an international account number by its two check digits."""
    plain = text.replace(" ", "")
    if not 15 <= len(plain) <= 34:
        return False
    return int("".join(str(int(ch, 36)) for ch in plain[4:] + plain[:4])) % 97 == 1


def _is_taiwanese(text: str) -> bool:
    letter = "ABCDEFGHJKLMNPQRSTUVXYWZIO".index(text[0]) + 10
    digits = [letter // 10, letter % 10, *map(int, text[1:])]
    return sum(digit * weight for digit, weight in zip(digits, (1, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1))) % 10 == 0


def find_identifiers(text: str, *, about_person: bool) -> Iterator[Found]:
    """Yield the numbers of people and accounts, mail addresses, phones and homes of a text whose wide characters are folded.

    Args:
        about_person: the record describes somebody; then digits alone may be a phone, and three groups of them a social security number.
    """
    if any(ch.isdigit() for ch in text):
        yield from _find_numbers(text, about_person)
    if "@" in text:
        for match in _MAIL.finditer(text):
            if not _NOBODY.match(match["who"]):
                yield (*match.span(), "contact", "somebody's mail address")


def _find_numbers(text: str, about_person: bool) -> Iterator[Found]:
    for match in _RESIDENT.finditer(text):
        if is_resident_number(match.group()):
            yield (*match.span(), "identity", "a resident's number of China")
    for match in _CARD.finditer(text):
        digits = re.sub(r"[ -]", "", match.group())
        if _is_card(digits) and not (len(digits) == 18 and is_resident_number(digits)):
            yield (*match.span(), "financial", "the number of a payment card")
    for match in _IBAN.finditer(text):
        if is_iban(match.group()):
            yield (*match.span(), "financial", "an international account number")
    for match in _SOCIAL.finditer(text):
        if about_person or re.search(r"ssn|social security", text[max(0, match.start() - 40) : match.start()], re.IGNORECASE):
            yield (*match.span(), "identity", "a social security number")
    for match in _TAIWAN.finditer(text):
        if _is_taiwanese(match.group()) and (about_person or "身份证" in text or "身分證" in text):
            yield (*match.span(), "identity", "a resident's number of Taiwan")
    for match in _NAMED.finditer(text):
        yield (*match.span("found"), "identity", "the number of a document of a person")
    for match in _ACCOUNT.finditer(text):
        if about_person or "银行" in match.group() or "bank" in match.group().lower() or "sort code" in match.group().lower():
            yield (*match.span("found"), "financial", "the number of an account")
    for match in _PHONE.finditer(text):
        found = match.group()
        spelled = found[0] in "+(" or (found.isdigit() is False and found[0] != "0" and len(re.sub(r"\D", "", found)) == 11)
        size = len(re.sub(r"\D", "", found))
        if 8 <= size <= 15 and (spelled or about_person or _PHONE_WORDS.search(text[max(0, match.start() - 40) : match.start()])):
            yield (*match.span(), "contact", "a phone number")
    for pattern in (_STREET, _STREET_ZH):
        for match in pattern.finditer(text):
            yield (*match.span("found"), "contact", "where somebody lives")

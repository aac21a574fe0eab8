"""Whether a value stands in its quote: on words of real sources, in the writings people use."""

import pytest

from store.domain.value_in_quote import DIGITS, NO, PART, SCALED, UNTOLD, YES, find_value

#: Quotes as the real data sets and the sample hold them.
REAL = [
    ("Industrials", "Industrials", YES),
    ("US$ 247.1 billion (2024)", '"US$ 247.1 billion (2024)"', YES),
    ('1910-09 ) (as "The Black & Decker Manufacturing Company")', '"1910-09 ) (as \\"The Black & Decker Manufacturing Company\\")"', YES),
    ("one (1) year from the applicable effective date of an order", "**“Subscription Term”** means one (1) year from the applicable effective date of an order or as", YES),
    ("If GitHub does not meet the “Service Level”, then", "(the **“Service Level”**). If GitHub does not meet the “**Service Level**”, then Customer", YES),
    ("0.3.1", 'version = "0.3.1"', YES),
    ("<0.3.4", "- type: ECOSYSTEM\n    events:\n    - introduced: '0'\n    - fixed: 0.3.4", PART),
    ("<0.3.4", "- introduced: '0'\n    - fixed: 0.3.41", NO),
    (6.5, "CVSS:3.1/AV:N/AC:L/PR:L/UI:N/S:U/C:H/I:N/A:N", NO),
    ("28968e5a62f9280c", "This Amendment applies only to users that are using GitHub on behalf of", NO),
    (5900000, "Fernbank Dairy was valued at USD 5.9 million, up from cost.", SCALED),
    (1.1084, "2026-10-30,EUR,USD,1.1084,desk close", YES),
    (3875000, "AP-7710,Larch Hollow III,2026-09-30,distributions,3875000,2026-10-02,C", YES),
    (80500000, "| 贷款余额         | 78,100,000 | 80,500,000 |", YES),
    (7.5, "基金共向 23 家企业放款，最大单一借款人占 7.5%。", YES),
    (3, "押金为三个月租金，退租后三十日内无息退还。", YES),
    ("8:00-22:00", "客服时间自 12 月 1 日起改为每天 8:00 至 22:00。", YES),
    ("10 分钟", "人工客服首次响应时间为 10 分钟。", YES),
    (5, "Customers must remove leavers within five working days.", YES),
    (120, "The gateway refuses from the 121st request in a minute.", NO),
    ("United States", "Ostrava Metrics", NO),
    ({"line_drawn": 4000000, "repay_by": "2026-12-15"}, '{"line_drawn": 4000000, "repay_by": "2026-12-15"}', YES),
    (["Frankfurt", "Warsaw", "Ohio"], "Off-site backups go to a provider in Ohio since October.", PART),
]


@pytest.mark.parametrize(("value", "quote", "kind"), REAL, ids=lambda one: str(one)[:30])
def test_on_words_of_real_sources(value, quote, kind):
    assert find_value(value, quote).kind == kind


WRITINGS = [
    (184000000, "a net asset value of 184.0 million USD", SCALED, "184.0 million"), (184000000, "184 Mio.", SCALED, "184 Mio"), (2.5e9, "$2.5bn", SCALED, "$2.5bn"),
    (0.042, "grew 4.2 % on the year", SCALED, "4.2 %"), (4.2, "um 4,2 Prozent gestiegen", YES, "4,2 Prozent"), (0.0025, "plus 25 basis points", SCALED, "25 basis points"),
    (1234567.89, "1.234.567,89 EUR", YES, "1.234.567,89"), (1234567, "1'234'567", YES, "1'234'567"), (1234567, "1\u202f234\u202f567", YES, None), (1234567, "12,34,567", YES, None),
    (1234567, "1 234 567", YES, None), (-1234, "(1,234)", YES, "(1,234)"), (-1234, "a loss of 1,234", YES, "1,234"), (-1234, "−1,234", YES, None), (-5, "revenue of 5", NO, ""),
    (120000000, "1.2亿元", SCALED, "1.2亿"), (78100000, "7,810 万元", SCALED, None), (30, "三十日内", YES, "三十"), (24, "二十四小时", YES, "二十四"), (12, "on the twelfth floor, 12 rooms", YES, "12"),
    (1.5, "1.5x", YES, "1.5"), (5, "1,234 and 5", YES, "5"), (34, "1,234", NO, ""), (10, "10.5", NO, ""), (9, "on 2026-09-30", NO, ""), (2026, "2026-09-30", YES, "2026"), (0, "none", NO, ""),
    ("2026-06-30", "as at 30 June 2026", YES, "30 June 2026"), ("2026-06-30", "June 30th, 2026", YES, None), ("2026-06-30", "2026年6月30日", YES, None), ("2026-06-30T00:00:00Z", "30.06.2026", YES, None),
    ("2026-06-30", "30 June 2025", NO, ""), ("2027-03", "it will come in March 2027", YES, "March 2027"), ("2026-13-45", "45", NO, ""), ("1,000", "1000 requests", YES, "1000"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "quote", "kind", "words"), WRITINGS, ids=lambda one: str(one)[:24])
def test_numbers_and_dates_in_the_writings_people_use(value, quote, kind, words):
    found = find_value(value, quote)

    assert found.kind == kind
    assert words is None or found.words == words


def test_a_scale_must_be_said_beside_the_number_or_around_it():
    row = "| NAV | 184,000 | 171,000 |"

    assert find_value(184000000, row).kind == DIGITS
    assert find_value(184000000, row, "All amounts in thousands of USD.").kind == SCALED
    assert find_value(184000000, "NAV (in USD thousands) 184,000").kind == SCALED
    assert find_value(78100000, "7,810", "单位：万元").kind == SCALED
    assert find_value(184000000, "184.0 thousand").kind == NO


def test_a_number_that_could_be_read_otherwise_is_left_to_a_person():
    assert find_value(1234, "1,234").kind == YES
    assert find_value(1.234, "1,234").kind == DIGITS
    assert find_value(1.234, "1.234").kind == YES
    assert find_value(1234, "1.234").kind == DIGITS
    assert find_value(1234, "(1,234)").kind == DIGITS


def test_an_amount_in_another_currency_is_not_there():
    assert find_value({"amount": 5, "currency": "USD"}, "EUR 5").kind == NO
    assert find_value({"amount": 5, "currency": "USD"}, "US$5").kind == YES
    assert find_value({"amount": 184e6, "currency": "USD"}, "$184m").kind == SCALED
    assert find_value({"amount": 5, "currency": "XTS"}, "EUR 5").kind == YES


def test_what_has_no_words_to_look_for_is_untold_and_a_list_names_what_is_missing():
    assert [find_value(one, "yes, 1").kind for one in (True, None, {"a": 1, "b": 2}, "", [], [True])] == [UNTOLD] * 6
    assert find_value(["Ohio", "Warsaw"], "in Ohio").missing == ("Warsaw",)
    assert find_value(["Ohio", "Warsaw"], "in Ohio and Warsaw").kind == YES
    assert find_value(["Lyon", "Rome"], "in Ohio").kind == NO


def test_nothing_is_too_odd_to_be_looked_at():
    for value in (float("1e300"), 10**60, "1.8.1", "\x00", "(((", 1e-300, ["x" * 5000]):
        for quote in ("", "1.8.1 1,2,3.4.5, 1 2 3 ((1)", "9" * 5000, "1." * 900, "一" * 900):
            assert find_value(value, quote).kind in (YES, SCALED, PART, DIGITS, NO, UNTOLD)

"""Words that tell of somebody's health, belief and the like, in English and Chinese: those that come with the store and a tenant's own."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from store.domain.text import canonical_json, digest

#: Kinds of detail that are looked for, in the order they are named; `credential` is found by other means than words, too.
KINDS = ("credential", "health", "identity", "financial", "contact", "belief", "sexuality", "ethnicity", "criminal", "biometric", "minor", "other")
#: A policy's list of words that are no such detail, although words of a list stand in them.
HARMLESS = "harmless"
LANGUAGES = ("en", "zh")
#: How near to a word somebody must be spoken of, in code points.
_NEAR = 100
#: Most words of one list of a tenant, and characters of one.
_MOST, _LONGEST = 2_000, 80

_EN: dict[str, str] = {
    "health": """diabetes; diabetic; cancer; tumour; tumor; leukemia; leukaemia; lymphoma; chemotherapy; hiv; hiv-positive; aids; hepatitis; tuberculosis; epilepsy; epileptic;
        asthma; asthmatic; depression; depressed; bipolar; schizophrenia; anxiety disorder; panic attack; ptsd; autism; autistic; adhd; dementia; alzheimer; alzheimer's; parkinson's; multiple sclerosis;
        heart attack; heart condition; heart disease; high blood pressure; hypertension; stroke patient; arthritis; migraine; pregnant; pregnancy; miscarriage; abortion; ivf; infertile; infertility; menopause;
        allergy; allergic; allergies; anaphylaxis; celiac; coeliac; lactose intolerant; gluten intolerant; disability; disabled; wheelchair; blind; deaf; amputee; diagnosis; diagnosed; prescribed; prescription;
        medication; insulin; antidepressant; antidepressants; antipsychotic; methadone; psychiatrist; psychiatric; psychotherapy; therapist; oncologist; rehab; addiction; addicted; alcoholic; overdose; suicidal; suicide; self-harm;
        eating disorder; anorexia; bulimia; obese; obesity; sick leave; surgery; transplant; dialysis; blood type; covid-positive; medical history; medical condition; chronic illness; chronic pain; terminal illness; hearing aid; pacemaker;
        kidney disease; liver disease; crohn's; lupus; endometriosis; insomnia; sleep apnea""",
    "belief": """muslim; christian; catholic; protestant; jewish; hindu; buddhist; sikh; mormon; atheist; jehovah's witness; evangelical; orthodox jew; converted to islam; religion; religious belief; prays; mosque; synagogue; ramadan; sabbath;
        halal; kosher; communist; socialist; republican; democrat; conservative voter; labour voter; votes for; voted for; party member; political views; political opinion; trade union; union member; shop steward; works council""",
    "sexuality": "gay; lesbian; bisexual; homosexual; transgender; transsexual; queer; non-binary; sexual orientation; same-sex partner; coming out; sex life; gender reassignment",
    "ethnicity": "ethnicity; ethnic origin; racial origin; skin colour; skin color; roma; romani; asylum seeker; refugee; undocumented; immigration status; uyghur; tibetan; kurdish",
    "criminal": "arrested; convicted; conviction; felony; felon; misdemeanor; criminal record; prison; jail; parole; on probation for; restraining order; dui; shoplifting; charged with; police record; sex offender; bail",
    "financial": "salary; net worth; bankrupt; bankruptcy; overdraft; payday loan; credit score; mortgage arrears; in debt; debts; debt collector; wage garnishment; insolvent; earns; gross pay; monthly income; unemployment benefit; welfare benefits; tax return; child support; alimony",
    "biometric": "fingerprint; fingerprints; face scan; facial recognition; iris scan; retina scan; voiceprint; face id template; palm print; dna test; dna profile; genetic test; genome; gait profile; faceprint",
    "minor": "underage; minor child; her son is; his son is; her daughter is; his daughter is; schoolchild; kindergarten; primary school; toddler; preschooler; nursery school; foster child; legal guardian; school pupil",
    "contact": "home address; home phone; private number; personal email; emergency contact; lives at",
    "identity": "passport number; social security number; national insurance number; driving licence number; driver's license number; id card number",
}  # fmt: skip
_ZH: dict[str, str] = {
    "health": """糖尿病; 高血压; 高血脂; 冠心病; 心脏病; 心梗; 中风; 脑梗; 癌症; 癌; 肿瘤; 白血病; 化疗; 放疗; 艾滋; 乙肝; 丙肝; 肝炎; 肺结核; 结核病; 癫痫; 哮喘; 抑郁; 焦虑症; 双相; 躁郁; 精神分裂; 强迫症; 自闭症; 孤独症; 多动症; 失眠症; 老年痴呆; 阿尔茨海默; 帕金森;
        怀孕; 孕妇; 孕期; 孕检; 流产; 堕胎; 人工流产; 试管婴儿; 不孕; 不育; 更年期; 过敏; 残疾; 残障; 轮椅; 失明; 失聪; 聋哑; 截肢; 确诊; 诊断; 病史; 病历; 住院; 手术; 处方; 服药; 吃药; 用药; 胰岛素; 抗抑郁; 安眠药; 精神科; 心理咨询; 心理医生; 心理治疗; 戒毒; 戒酒; 酗酒; 吸毒; 自杀; 自残; 轻生; 厌食症; 暴食症; 肥胖症; 病假; 透析; 器官移植;
        性病; 梅毒; 慢性病; 绝症; 助听器; 起搏器; 痛风; 类风湿; 红斑狼疮; 甲亢; 甲状腺; 肾炎; 肾衰; 尿毒症; 胃溃疡; 偏头痛; 抑鬱; 過敏; 懷孕; 乳糖不耐; 体检异常; 血型; 月经; 痔疮; 牛皮癣; 湿疹; 新冠阳性""",
    "belief": """穆斯林; 基督徒; 基督教; 天主教; 佛教; 信佛; 道教; 伊斯兰; 回教; 犹太; 印度教; 锡克; 摩门; 无神论; 信教; 宗教信仰; 信仰宗教; 礼拜; 做礼拜; 斋月; 清真; 受洗; 法轮功; 教徒; 党员; 入党; 民主党派; 政治面貌; 政治立场; 政治观点; 政治倾向; 投票给; 支持的政党; 工会会员; 工会成员; 共青团员""",
    "sexuality": "同性恋; 双性恋; 男同; 女同性恋; 出柜; 变性; 跨性别; 性取向; 性生活; 同志伴侣; 同性伴侣",
    "ethnicity": "少数民族; 维吾尔; 藏族; 回族; 蒙古族; 壮族; 苗族; 彝族; 朝鲜族; 种族; 族裔; 难民; 庇护申请; 移民身份; 民族是; 肤色",
    "criminal": "前科; 犯罪记录; 案底; 服刑; 坐牢; 入狱; 监狱; 刑满释放; 判刑; 被捕; 逮捕; 拘留; 缓刑; 假释; 酒驾; 盗窃罪; 诈骗罪; 限制令; 取保候审; 通缉",
    "financial": "工资; 薪水; 月薪; 年薪; 收入证明; 负债; 欠债; 欠款; 破产; 网贷; 贷款逾期; 逾期未还; 信用分; 征信; 失信; 老赖; 存款余额; 银行余额; 低保; 抚养费; 赡养费; 个税; 失业金; 公积金余额",
    "biometric": "指纹; 人脸识别; 人脸信息; 人脸照片; 面部识别; 面容数据; 虹膜; 声纹; 掌纹; 基因检测; 基因数据; 遗传检测; 步态",
    "minor": "未成年; 幼儿园; 小学生; 初中生; 学龄前; 幼童; 婴儿; 监护人; 小学一年级; 小学二年级; 小学三年级; 托儿所",
    "contact": "家庭住址; 住址; 家里电话; 私人电话; 私人邮箱; 紧急联系人; 微信号",
    "identity": "身份证号; 护照号; 社保号; 驾驶证号; 身份证号码",
}  # fmt: skip
#: Words of a predicate's name that say what its value is about.
_PREDICATES: dict[str, str] = {
    "health": "health; medical; diagnosis; disease; illness; allergy; allergies; medication; disability; pregnancy; blood_type; 健康; 健康状况; 病史; 过敏; 疾病; 用药",
    "belief": "religion; faith; belief; political; politics; party_membership; union_membership; 宗教; 信仰; 政治面貌",
    "sexuality": "sexual_orientation; sexuality; gender_identity; 性取向", "ethnicity": "ethnicity; race; ethnic_origin; nationality_status; 民族; 种族",
    "criminal": "criminal_record; convictions; arrest; 犯罪记录; 前科", "biometric": "fingerprint; biometric; faceprint; voiceprint; dna; genome; 指纹; 人脸; 声纹",
    "financial": "salary; income; debt; credit_score; net_worth; bank_account; iban; card_number; 工资; 收入; 银行卡; 负债",
    "identity": "passport; passport_number; ssn; social_security; national_id; id_number; id_card; tax_id; 身份证; 身份证号; 护照; 护照号",
    "contact": "email; e_mail; phone; mobile; telephone; home_address; address; phone_number; wechat; 电话; 手机; 手机号; 邮箱; 住址; 地址; 微信",
    "minor": "child; children; minor; 子女; 未成年",
}  # fmt: skip
#: What stands around such words where no person is meant.
_NO_DETAIL = (
    "color blind mode; colour blind mode; blind copy; blind test; double blind; blind spot; blind carbon copy; dead letter; economic depression; great depression; depression era; depression angle; debt to equity; debts to; "
    "browser fingerprint; device fingerprint; key fingerprint; certificate fingerprint; ssh fingerprint; gpg fingerprint; fingerprint of the key; fingerprint of the certificate; christian name; orthodox easter; democrat party donation; "
    "disabled account; account disabled; account is disabled; feature disabled; is disabled; was disabled; has been disabled; disabled by; disabled for; disabled in; disabled notifications; disabled the; disabled all; disabled two-factor; "
    "allergic to meetings; therapist finder; surgery hours; tour of the prison; release from jail; chroot jail; jail broken; bail out; bails out; jailbroken; arrested development; "
    "race condition; heart icon; stroke width; brush stroke; prescription drug market; cancer research; cancer charity; data dna; health check; health endpoint; health insurance portability; "
    "transplant tree; strong conviction; "
    "mortgage calculator; in debt; technical debt; tech debt; socialist realism; the republican calendar; converted to; rehab of the building; addicted to coffee; addicted to this; addicted to podcasts; "
    "surgery of the code; diagnosed the; diagnosed a bug; diagnosis of the outage; diagnosis page; diagnosis tool; legal guardian angel; "
    "价格敏感; 过敏感; 手术刀式; 诊断日志; 诊断工具; 诊断报告页; 诊断信息; 诊断模式; 网络诊断; 故障诊断; 诊断端口; 诊断接口; 设备指纹; 浏览器指纹; 密钥指纹; 证书指纹; 指纹浏览器; 公钥指纹; 文件指纹; 癌症研究; 防癌险; 癌症基金; 监狱风云; 参观监狱; 肖申克; 工资系统; 工资单模板; 工资模块; "
    "血型系统; 礼拜一; 礼拜二; 礼拜三; 礼拜四; 礼拜五; 礼拜六; 礼拜天; 礼拜日; 下礼拜; 上礼拜; 这礼拜; 步态动画; 种族歧视政策; 手术式; 外科手术式; 婴儿潮; 抑郁的音乐; 同志们; 代码手术; 技术负债; 负债率; 资产负债; 征信行业; 破产法; 拘留期限"
)
#: Without one of these near, words of the lists are about the world, not about somebody.
_SOMEBODY = re.compile(
    r"\b(?:he|she|him|her|hers|his|i|i'm|i've|my|me|myself|mr|mrs|ms|mx|patient|traveller|traveler|passenger|guest|customer|client|employee|colleague|user|applicant|tenant's|caller|student|pupil|candidate's|author|member|husband|wife|spouse|partner|son|daughter|mother|father|brother|sister|coworker|co-worker|nanny)\b"
    r"|(?<![其吉])他(?!们|人|国|日)|她(?!们)|本人|旅客|乘客|客人|客户(?!端|群|数|满)|顾客|患者|病人|用户(?!数|端|量|界|体验|手册|名)|员工(?!数|手册)|同事|申请人|学员|学生|会员(?!费|价|制)|作者|先生|女士|小姐|老师|我(?!们|国|司|方|院|校)|其子|其女|儿子|女儿|丈夫|妻子|老公|老婆|母亲|父亲|妈妈|爸爸|保姆",
    re.IGNORECASE,
)
_AGE = re.compile(
    r"\b(?:aged?|is|turned|turns|turning)\s(?P<a>\d{1,2})(?=$|[\s.,;)](?!%|percent|month|week|day|hour|minute|year-old company|items|of))(?:\s?(?:years?(?: old)?|yo)\b)?|\b(?P<b>\d{1,2})[- ]years?[- ]olds?\b|(?P<c>\d{1,2})\s?(?:周岁|岁)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*", re.ASCII)
_HAN = re.compile(r"[\u3400-\u9fff]+")
#: By the first of these a word is looked up that has digits, signs or other letters than English in it.
_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")


@dataclass(frozen=True, slots=True)
class WatchWords:
    """Lists of words, ready to be looked for.

    Attributes:
        spelled: first word -> all words and the kind, longest first, for what is written with spaces between words.
        unspaced: for Chinese, the words themselves by kind; `sizes`: their lengths, longest first.
        literal: first run of letters or digits -> words of other kinds as they may be written, with the kind; under "" those of signs only.
        predicates: names of predicates by kind.
        own: whether a tenant has words of its own among them.
        mark: of the lists they were made from; other lists, other mark.
    """

    spelled: Mapping[str, tuple[tuple[tuple[str, ...], str], ...]]
    unspaced: Mapping[str, str]
    sizes: tuple[int, ...]
    literal: Mapping[str, tuple[tuple[str, str], ...]]
    predicates: Mapping[str, str]
    own: bool
    mark: str


def check_watch_words(value: Any) -> dict[str, dict[str, list[str]]]:
    """Return a tenant's own lists as a policy holds them: kind -> language -> words.

    Raises:
        ValueError: with a sentence, without its full stop.
    """
    if not isinstance(value, Mapping):
        raise ValueError("watch_words must be an object: kind -> language -> list of words")  # noqa: TRY004 - a fault of what was typed
    found: dict[str, dict[str, list[str]]] = {}
    for kind, lists in value.items():
        if kind not in (*KINDS, HARMLESS):
            raise ValueError(f"{str(kind)[:40]!r} is no kind of watch words; there are {', '.join((*KINDS, HARMLESS))}")
        if not isinstance(lists, Mapping) or any(language not in LANGUAGES for language in lists):
            raise ValueError(f"watch words of {kind} are given by language, {' or '.join(LANGUAGES)}")
        for language, words in lists.items():
            if not isinstance(words, list) or not all(isinstance(word, str) and word.strip() and len(word) <= _LONGEST for word in words):
                raise ValueError(f"watch words of {kind} must be a list of texts of at most {_LONGEST} characters")
            if len(words) > _MOST:
                raise ValueError(f"there are at most {_MOST:,} watch words of one kind and language")
            if words:
                found.setdefault(kind, {})[language] = sorted({word.strip().lower() for word in words})
    return {kind: found[kind] for kind in sorted(found)}


def words_of(policy: Mapping[str, Any]) -> WatchWords:
    """Return the words that are watched under a policy: those that come with the store and its own; lists that cannot be read add nothing."""
    held = policy.get("watch_words") or {}
    try:
        return _compile(canonical_json(check_watch_words(held)))
    except ValueError:
        return _compile("{}")


@lru_cache(maxsize=64)
def _compile(own: str) -> WatchWords:
    import json  # noqa: PLC0415

    lists: dict[str, dict[str, list[str]]] = json.loads(own)
    every: list[tuple[str, str]] = [(word, kind) for table in (_EN, _ZH) for kind, words in table.items() for word in _split(words)]
    every += [(word, HARMLESS) for word in _split(_NO_DETAIL)]
    own_words = [(word, kind) for kind, by_language in lists.items() for words in by_language.values() for word in words]
    literal: dict[str, dict[str, str]] = {}
    for word, kind in own_words:
        if _HAN.fullmatch(word) or all(_WORD.fullmatch(piece) for piece in word.split()):
            every.append((word, kind))
        else:
            for form in _forms(word):
                first = _TOKEN.search(form)
                literal.setdefault(first.group() if first else "", {})[form] = kind
    spelled: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    unspaced: dict[str, str] = {}
    for word, kind in every:
        if _HAN.search(word):
            unspaced[word] = kind
        else:
            pieces = tuple(re.findall(r"[^\s]+", word))
            if pieces:
                spelled.setdefault(pieces[0], []).append((pieces, kind))
    predicates = {word: kind for kind, words in _PREDICATES.items() for word in _split(words)}
    return WatchWords(
        {first: tuple(sorted(dict(rest).items(), key=lambda one: (-len(one[0]), one[1] != HARMLESS))) for first, rest in spelled.items()}, unspaced,
        tuple(sorted({len(word) for word in unspaced}, reverse=True)), {first: tuple(forms.items()) for first, forms in literal.items()}, predicates,
        bool(lists), digest(own)[:12],
    )  # fmt: skip


def _forms(word: str) -> set[str]:
    """Return how a word may stand in a text in small letters: composed or not, its sharp s written as two, with the one capital that has no small letter."""
    plain = unicodedata.normalize("NFKC", word)
    return {unicodedata.normalize(form, one) for one in (plain, plain.casefold(), plain.replace("i\u0307", "İ")) for form in ("NFC", "NFD")}


def _split(words: str) -> list[str]:
    return [" ".join(word.split()) for word in words.split(";") if word.strip()]


def speaks_of_somebody(text: str, start: int = 0, end: int | None = None) -> bool:
    """Return whether a text speaks of a single person, near a stretch of it where one is given."""
    return bool(_SOMEBODY.search(text, max(0, start - _NEAR), len(text) if end is None else end + _NEAR))


def kind_of_predicate(words: WatchWords, name: str) -> str | None:
    """Return what a predicate's value is about by its name: `diagnosis`, `home_address`, `用药`."""
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().replace("-", "_").replace(".", "_").replace(" ", "_")
    for length in (3, 2, 1):
        pieces = plain.split("_")
        for place in range(len(pieces) - length + 1):
            found = words.predicates.get("_".join(pieces[place : place + length]))
            if found is not None:
                return found
    return None


def find_words(words: WatchWords, lower: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and kind of every watched word of a text in small letters, wide characters folded; what a longer harmless one holds is none."""
    literal = list(_find_literal(words, lower)) if words.literal else []
    harmless = [(start, end) for start, end, kind in literal if kind == HARMLESS]
    yield from (one for one in literal if one[2] != HARMLESS)
    listed = (*_find_spelled(words, lower), *(one for run in _HAN.finditer(lower) for one in _find_unspaced(words, lower, *run.span())))
    yield from (one for one in listed if not any(start <= one[0] and one[1] <= end for start, end in harmless))
    for match in _AGE.finditer(lower):
        age = match["a"] or match["b"] or match["c"]
        if age and 0 < int(age) < 18:
            yield (*match.span(), "minor")


def _find_spelled(words: WatchWords, lower: str) -> Iterator[tuple[int, int, str]]:
    found = list(_WORD.finditer(lower))
    texts = [match.group().replace("’", "'") for match in found]
    place = 0
    while place < len(texts):
        step = 1
        for first in dict.fromkeys((texts[place], texts[place].removesuffix("s"), texts[place].removesuffix("'s"))):
            hit = next(
                (
                    (pieces, kind) for pieces, kind in words.spelled.get(first, ())
                    if len(pieces) == 1 or tuple(texts[place + 1 : place + len(pieces)]) == pieces[1:]
                ),
                None,
            )  # fmt: skip
            if hit is not None:
                step = len(hit[0])
                if hit[1] != HARMLESS and not _harmless_before(words, texts, place, step):
                    yield found[place].start(), found[place + step - 1].end(), hit[1]
                break
        place += step


def _find_literal(words: WatchWords, lower: str) -> Iterator[tuple[int, int, str]]:
    """Yield what stands as it is written in a list: not as a part of a longer word, with whatever space between its parts."""
    for form, kind in words.literal.get("", ()):
        yield from ((*found.span(), kind) for found in _pattern(form).finditer(lower))
    for token in _TOKEN.finditer(lower):
        for form, kind in words.literal.get(token.group(), ()):
            start = token.start() - form.find(token.group())
            found = _pattern(form).match(lower, start) if start >= 0 else None
            if found and not (_joins(form[0]) and start and _joins(lower[start - 1])) and _ends(form, lower, found.end()):
                yield *found.span(), kind


@lru_cache(maxsize=4096)
def _pattern(form: str) -> re.Pattern[str]:
    return re.compile(r"\s+".join(re.escape(piece) for piece in form.split()))


def _joins(ch: str) -> bool:
    return ch.isalnum() and not _HAN.match(ch)


def _ends(form: str, lower: str, end: int) -> bool:
    """Return whether a word ends there; its plural and its genitive count as the word."""
    rest = lower[end : end + 3]
    for ending in ("", "s", "'s", "’s"):
        if rest.startswith(ending) and not (_joins(form[-1]) and rest[len(ending) : len(ending) + 1] and _joins(rest[len(ending)])):
            return True
    return False


def _harmless_before(words: WatchWords, texts: list[str], place: int, step: int) -> bool:
    """Return whether what was found ends a longer phrase that means nobody: "technical debt", "chroot jail"."""
    for back in (1, 2, 3):
        if place >= back:
            for pieces, kind in words.spelled.get(texts[place - back], ()):
                if (
                    kind == HARMLESS
                    and len(pieces) > back
                    and tuple(texts[place - back : place - back + len(pieces)]) == pieces
                    and len(pieces) >= back + step
                ):
                    return True
    return False


def _find_unspaced(words: WatchWords, text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    harmless = -1
    place = start
    while place < end:
        for size in words.sizes:
            if place + size <= end:
                kind = words.unspaced.get(text[place : place + size])
                if kind is not None:
                    if kind == HARMLESS:
                        harmless = max(harmless, place + size)
                    elif place + size > harmless:
                        yield place, place + size, kind
                        place += size - 1
                    break
        place += 1

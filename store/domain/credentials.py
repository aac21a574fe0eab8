"""Credentials in a text: keys and tokens of known makes, and whatever follows a word such as "password".

The makes come from detect-secrets; only its patterns are used, on a string, never its scanning of files nor its asking of services.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

#: What the library calls by a name of its own, as people say it; makes that are too easily something else are left out.
_MAKES = {
    "artifactory": ("ArtifactoryDetector", "an Artifactory token"), "aws": ("AWSKeyDetector", "an AWS access key"),
    "azure_storage_key": ("AzureStorageKeyDetector", "an Azure storage key"), "basic_auth": ("BasicAuthDetector", "a password inside an address"),
    "discord": ("DiscordBotTokenDetector", "a Discord token"), "github_token": ("GitHubTokenDetector", "a GitHub token"),
    "gitlab_token": ("GitLabTokenDetector", "a GitLab token"), "jwt": ("JwtTokenDetector", "a signed web token"),
    "mailchimp": ("MailchimpDetector", "a Mailchimp key"), "npm": ("NpmDetector", "an npm token"), "openai": ("OpenAIDetector", "an OpenAI key"),
    "private_key": ("PrivateKeyDetector", "a private key"), "pypi_token": ("PypiTokenDetector", "a PyPI token"),
    "sendgrid": ("SendGridDetector", "a SendGrid key"), "slack": ("SlackDetector", "a Slack token"),
    "square_oauth": ("SquareOAuthDetector", "a Square secret"), "stripe": ("StripeDetector", "a Stripe key"),
    "telegram_token": ("TelegramBotTokenDetector", "a Telegram token"), "twilio": ("TwilioKeyDetector", "a Twilio key"),
}  # fmt: skip
#: Makes the library does not know yet.
_MORE = (
    (re.compile(r"\bsk-(?:proj|ant|svcacct|or)-[A-Za-z0-9_-]{20,}"), "a key of a language model's service"),
    (re.compile(r"\bgithub_pat_[A-Za-z0-9_]{22,}"), "a GitHub token"),
    (re.compile(r"\bAIza[0-9A-Za-z_-]{35}(?![\w-])"), "a Google key"),
    (re.compile(r"\bLTAI[A-Za-z0-9]{12,26}\b"), "an Alibaba Cloud key"),
    (re.compile(r"\bAKID[A-Za-z0-9]{13,40}\b"), "a Tencent Cloud key"),
    (re.compile(r"\bhf_[A-Za-z0-9]{30,}\b"), "a Hugging Face token"),
)
#: Nothing of a known make is shorter, or is written without one of these.
_WORTH = re.compile(r"[A-Za-z0-9_+/=.-]{13}|://[^\s/]+:[^\s/]+@|PRIVATE KEY|_authToken")

_FOLLOWED = re.compile(
    r"""(?<![A-Za-z])(?P<name>pass(?:word|wd|code|phrase)|pwd|pin(?:\ code|\ number)?|otp|one-time\ code|cvv|cvc|security\ code|(?:recovery|verification|backup|door|access|entry)\ code
    |(?:api|access|secret|auth|client|service|account|signing|encryption|license)[ _-]?(?:key|token|secret)|(?:bearer|refresh|session)[ _-]?token|private[ _-]?key|secret|token|login)
    (?:["'\]`]{0,2})(?:\s+(?:for|to|of|on|at)\s+[\w./@'-]+(?:\s[\w./@'-]+){0,3}?)?
    \s*(?:is(?:\ now|\ still)?|was|are|equals|:=|=>|->|={1,3}|:|,\ which\ is)\s*["'`“‘]?(?P<found>[^\s"'`“”‘’,;。，；、]{4,120})""",
    re.IGNORECASE | re.VERBOSE,
)
_FOLLOWED_ZH = re.compile(
    r"(?P<name>密码|密碼|口令|密钥|密鑰|私钥|令牌|验证码|驗證碼|动态码|安全码|取件码|恢复码|门禁码|pin码|token|api ?key|secret)"
    r"(?:已经|已|现在|暂时|仍)?(?:就是|设置为|设置成|设为|设成|改成了?|改为了?|换成了?|重置为|是|为|用的是|:|=)\s*[「『“\"'`]?(?P<found>[!-+\--:<-~]{4,120})",
    re.IGNORECASE,
)
_DIRECT = re.compile(
    r"(?<![A-Za-z])(?P<name>pass(?:word|wd|code|phrase)|pwd)\s+[\"'`“]?(?P<found>(?=\S*\d)(?=\S*[A-Za-z])[^\s\"'`“”,;]{6,60})", re.IGNORECASE
)
_CODES = re.compile(r"pin|otp|code|cvv|cvc|码", re.IGNORECASE)
#: What follows such a word without being one: what is said about credentials, ways of keeping them, and places to put them.
_NOT_ONE = re.compile(
    r"""^(?:sha-?\d+|md5|aes-?\d+(?:-\w+)?|rsa-?\d+|ed25519|x25519|secp256\w\d|bcrypt\d*|argon2\w*|pbkdf2|scrypt|oauth2?|oidc|base64|utf-?8|http2?|tls-?v?[\d.]+|p-?256|hs256|rs256|es256
    |cve-\d.*|ghsa-.*|rfc-?\d+|v?\d+(?:\.\d+){1,3}|\d{4}-\d\d(?:-\d\d.*)?|\d+(?:-|–)?(?:bits?|bytes?|chars?|characters?|digits?|days?|hours?|minutes?|times|years?)|\d+-\d+|.*\d-bit
    |(?:alt|ctrl|cmd|shift)\+.*|null|none|true|false|required|optional|enabled|disabled|expired|invalid|missing|empty|rotated|changed|unknown|hidden|redacted|masked|n/?a|string|str|int
    |(?:your|my|the|an|some)[-_ ]?\w*|example.*|changeme|placeholder.*|\w*x{4,}\w*|[*•.#?_-]+|[<{\[(%$].*|.*[<{>}].*|https?://.*|(?:env|vault|secrets|os|process|config|settings)[.:/(].*|/.*|\w+\(.*\)?)$""",
    re.IGNORECASE | re.VERBOSE,
)
#: What a predicate is called whose very value is a credential, and what shows that it only speaks of one.
_KEYWORD = re.compile(
    r"(?:^|[_.\s-])(?:password|passwd|passcode|passphrase|pwd|pin|otp|(?:api|access|auth|client|private|secret|signing|encryption|service|account)_?(?:key|token|secret)|secret|token|credentials?|cvv)$"
    r"|(?:密码|口令|密钥|私钥|令牌|验证码)$",
    re.IGNORECASE,
)


@cache
def _makes() -> tuple[tuple[re.Pattern[str], Callable[[str], Any], str], ...]:
    """Return pattern, check and words of every make; the library is read when it is first needed, for it takes a tenth of a second."""
    from importlib import import_module  # noqa: PLC0415 - see above

    import detect_secrets.plugins  # noqa: PLC0415, F401

    found = []
    for module, (name, words) in _MAKES.items():
        plugin = getattr(import_module(f"detect_secrets.plugins.{module}"), name)()
        found += [(pattern, plugin.analyze_string, words) for pattern in plugin.denylist]
    return tuple(found)


def _alone(text: str, start: int, end: int) -> bool:
    """Return whether what was found is no piece of a longer word."""
    return not (end < len(text) and re.match(r"[A-Za-z0-9_]", text[end]) and re.match(r"[A-Za-z0-9_]", text[end - 1])) and not (
        start and text[start - 1].isalnum() and text[start - 1].isascii() and text[start].isalnum()
    )


def looks_secret(text: str, *, code: bool = False, named: bool = False) -> bool:
    """Return whether a word that follows "password" and the like is one, rather than something said about it.

    Args:
        code: digits alone will do, as for a PIN.
        named: its field is called a credential, so that a plain word will do.
    """
    text = text.rstrip(".!?)]}>")
    if len(text) < 4 or _NOT_ONE.match(text):
        return False
    digits, letters = sum(ch.isdigit() for ch in text), sum(ch.isalpha() for ch in text)
    if code and digits >= 4 and not letters:
        return True
    if digits == len(text):
        return len(text) >= 6 and not text.endswith("000")
    if named:
        return True
    others = len(text) - digits - letters
    if digits and letters:
        return len(text) >= 6
    mixed = any(ch.isupper() for ch in text[1:]) and any(ch.islower() for ch in text)
    return bool(letters and ((others and re.search(r"[!@#$%^&*+=]", text) and len(text) >= 6) or (mixed and len(text) >= 20)))


def find_credentials(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and what it looks like of every credential in a text whose wide characters are folded."""
    if _WORTH.search(text):
        for pattern, check, words in _makes():
            for match in pattern.finditer(text):
                found = match.group()
                start, end = match.span()
                at = len(found) - len(found.lstrip(' \t="'))
                if words == "an Artifactory token" and not re.search(r"\d.*[a-z]|[a-z].*\d", found):
                    continue
                if words == "a password inside an address" and not _is_password(found):
                    continue
                if any(True for _ in check(found)) and _alone(text, start + at, end):
                    yield start + at, end, words
        for pattern, words in _MORE:
            for match in pattern.finditer(text):
                yield (*match.span(), words)
    for followed in (_FOLLOWED, _DIRECT, _FOLLOWED_ZH):
        for match in followed.finditer(text):
            if looks_secret(match["found"], code=bool(_CODES.search(match["name"]))):
                found = match["found"].rstrip(".!?)]}>")
                yield match.start("found"), match.start("found") + len(found), f"a secret after the word “{match['name'].lower()}”"


def _is_password(found: str) -> bool:
    word = found.rsplit(":", 1)[-1].rstrip("@")
    return not re.fullmatch(r"(?:pass(?:word|wd)?|pwd|secret|token|\w*x{3,}\w*|\*+|[<{$%].*|\d{2,5})", word, re.IGNORECASE)


def names_credential(name: str) -> bool:
    """Return whether a predicate's name says that its value is a credential."""
    return bool(_KEYWORD.search(name))

"""Phones and e-mail addresses that a page gives to its subject, or to a heading that is one."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice

from cloudnee.graph.identity import entity_key, handle_kind, phone_digits
from cloudnee.pages.markup import plain, split_label
from cloudnee.pages.outline import Block, Outline

__all__ = [
    "directly_under",
    "handle_label",
    "handles_in",
    "is_titled",
    "phone_lines",
    "speaks_of_another",
]

_PHONES = """
    phone mobile tel telephone cell cellphone handphone hp whatsapp phone_number mobile_number
    contact_number phone_no mobile_no 电话 手机 电话号码 手机号 電話 手機 телефон тел мобільний
    мобильный தொலைபேசி telefon teléfono téléphone
"""
_EMAILS = "email e-mail mail email_address 邮箱 电子邮件 电邮 電郵 пошта емейл имейл почта correo"
_KINDS = {entity_key(w.replace("_", " ")): "phone" for w in _PHONES.split()}
_KINDS |= {entity_key(w.replace("_", " ")): "email" for w in _EMAILS.split()}

_KIN = """
    husband wife spouse partner son daughter mother father mum mom dad sister brother maid helper
    tenant landlord landlady neighbour neighbor friend boss colleague uncle aunt auntie cousin
    grandmother grandfather grandma grandpa son-in-law daughter-in-law mother-in-law father-in-law
    secretary assistant nurse agent guard caretaker boyfriend girlfriend fiance fiancee nephew niece
"""
_ANOTHER = re.compile(rf"\b(?:{'|'.join(sorted(_KIN.split(), key=len, reverse=True))})\b", re.I)
_ANOTHER_ABROAD = re.compile(
    r"丈夫|老公|先生的|太太的|妻子|老婆|儿子|女儿|母亲|父亲|妈妈|爸爸|哥哥|姐姐|弟弟|妹妹|女佣|"
    r"\b(?:чоловік|дружин|син[ау]?\b|дочк|донь|матір|мати\b|батьк|сестр|брат)"
)
_TITLED = re.compile(
    r"(?:Mr & Mrs|Mrs|Mr|Ms|Mdm|Madam|Miss|Dr)\.? [^\W\d_][\w'’-]*(?: [^\W\d_][\w'’-]*){0,3}",
    re.IGNORECASE,
)
_TITLED_CJK = re.compile("[\u4e00-\u9fff]{1,4}(?:太太|先生|小姐|女士)")
_TITLED_UK = re.compile(r"(?:пан|пані) [^\W\d_]\S*(?: \S+){0,2}", re.IGNORECASE)
_PARTS = re.compile(r"\s*(?:[,;；，、]|\s/\s|\bor\b|\band\b|&)\s*")
_LONGEST = 5000  # characters of a line or paragraph that tell whom it speaks of
_HANDLE_SIGN = re.compile(r"[@＠\d]")
_BRACKETS = re.compile(r"[(（][^()（）]{0,100}[)）]")


def handle_label(label: str) -> str:
    """ "phone" or "email" where a label announces one, else ""."""
    return _KINDS.get(entity_key(label), "") if len(label) <= 40 else ""


def handles_in(kind: str, value: str) -> list[str]:
    """The handles of one kind in a value; what is said to be another person's is left out."""
    found = []
    for part in _PARTS.split(plain(value)):
        if speaks_of_another(part):
            continue
        handle = _BRACKETS.sub("", part).strip().rstrip(".").removeprefix("tel:")
        handle = handle.removeprefix("mailto:").strip()
        digits = len(phone_digits(handle))
        if handle_kind(handle) == kind and (kind == "email" or 3 <= digits <= 20):
            found.append(handle)
    return found


def speaks_of_another(text: str) -> bool:
    """Whether a text speaks of a relative, a helper or the like: somebody else than its subject."""
    text = text[:_LONGEST]
    return bool(_ANOTHER.search(text) or _ANOTHER_ABROAD.search(text))


def is_titled(name: str) -> bool:
    """Whether a name is a person's by its form: Mrs Tan, 陈太太, Пані Коваль."""
    forms = (f.fullmatch(name) for f in (_TITLED, _TITLED_CJK, _TITLED_UK))
    return any(forms)


def phone_lines(outline: Outline, heading: int) -> Iterator[tuple[str, str, int]]:
    """(kind, handle, line) of the lines directly under a heading (-1: before any)."""
    for block in directly_under(outline, heading):
        if not _HANDLE_SIGN.search(block.text):
            continue
        for number, line in enumerate(block.text.split("\n"), block.start):
            labelled = split_label(line.strip(), bare=block.depth == 1)
            kind = handle_label(labelled[0]) if labelled else ""
            if labelled and kind:
                for handle in handles_in(kind, labelled[1]):
                    yield kind, handle, number


def directly_under(outline: Outline, heading: int) -> Iterator[Block]:
    """The labels and list items under a heading, up to a text that leads on to somebody else."""
    first = bisect_left(outline.blocks, heading, key=lambda block: block.heading)
    for block in islice(outline.blocks, first, None):
        if block.heading != heading:
            return
        if block.kind != "text" or block.quoted:
            continue
        if block.depth == 0 and _leads_on(block.text):
            return
        if block.depth <= 1:
            yield block


def _leads_on(text: str) -> bool:
    if split_label(text.split("\n", 1)[0].strip() or " ", bare=False):
        return False
    return text.rstrip().endswith((":", "：")) or speaks_of_another(text)

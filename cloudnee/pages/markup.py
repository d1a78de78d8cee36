"""The inline marks of Markdown, taken off: links, emphasis, code. Every pattern is bounded."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["BLANK", "Link", "links", "plain", "split_label", "without_code"]

BLANK = "\ufffc"  # stands for what is not to be read

_LINK = re.compile(r"(!?)\[\[([^\[\]\n]{1,400})\]\]")
_CODE = re.compile(r"(?<!`)(`{1,8})(?!`)([^`\n]{0,2000}?)(?<!`)\1(?!`)")
_IMAGE = re.compile(r"!\[([^\[\]\n]{0,400})\]\([^()\n]{0,2000}\)")
_ANCHOR = re.compile(
    r"\[([^\[\]\n]{0,400})\]\([^()\n]{0,2000}(?:\([^()\n]{0,200}\)[^()\n]{0,200})?\)"
)
_REFERENCE = re.compile(r"\[([^\[\]\n]{1,400})\]\[[^\[\]\n]{0,200}\]")
_AUTOLINK = re.compile(r"<((?:https?://|mailto:|tel:)?[^\s<>]{1,500}[.@:][^\s<>]{1,500})>")
_STRUCK = re.compile(r"~~(?=\S)[^~\n]{1,2000}~~")
_TAG = re.compile(
    r"</?(?:b|i|u|s|em|strong|small|sub|sup|mark|kbd|code|span|br) ?/?>", re.IGNORECASE
)
_STRONG = re.compile(r"(\*\*|__)(?=\S)([^\n]{1,2000}?)(?<=\S)\1")
_STARS = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]{1,2000})(?<=[^\s*])\*(?![\w*])")
_UNDERS = re.compile(r"(?<![\w_])_(?=[^\s_])([^_\n]{1,2000})(?<=[^\s_])_(?![\w_])")
_MARK = re.compile(r"==(?=\S)([^=\n]{1,500})(?<=\S)==")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_SIGNS = re.compile(r"[\\*_`~\[\]<=]")
_SPACES = re.compile(r"\s+")
_BOLD = re.compile(
    r"(\*\*|__)(?=\S)([^*_:：\n][^*:：\n]{0,80}?)(?:\s?[:：]\1|\1\s?[:：])"
    r"(?=\s|$|[^\x00-\x7f])\s*(.*)"
)
_DOUBLE = re.compile(r"([^\s:][^:\n]{0,60}?)\s?::(?=\s)\s*(.*)")
_SINGLE = re.compile(r"([^\s:：][^:：\n]{0,60}?)\s?(?::(?=\s|$|[^\x00-\x7f])|：)\s*(.*)")


@dataclass(frozen=True, slots=True)
class Link:
    """`[[target#heading|shown]]`: where it leads, what is shown, and the span in its text."""

    target: str
    shown: str
    start: int
    end: int


def links(text: str) -> list[Link]:
    """The wiki links of a text, embeds and links to a heading of the same page left out."""
    if "[[" not in text:
        return []
    found = []
    for match in _LINK.finditer(text):
        target, _, shown = match[2].replace("\\|", "|").partition("|")
        target = target.partition("#")[0].strip().removesuffix(".md")
        target = target.partition("^")[0].strip() if target.find("^") > 0 else target
        if not match[1] and target:
            found.append(Link(target, shown.strip() or target, match.start(), match.end()))
    return found


def without_code(text: str) -> str:
    """The text with `BLANK` for each sign of what stands between backticks."""
    if "`" not in text:
        return text
    return _CODE.sub(lambda code: BLANK * len(code[0]), text)


def plain(text: str) -> str:
    """The text as a reader sees it: no marks, what is struck out gone, spaces single."""
    if _SIGNS.search(text):
        text = _unmarked(text)
    return _SPACES.sub(" ", text).strip()


def _unmarked(text: str) -> str:
    if "[" in text:
        text = _LINK.sub(_shown, text)
        text = _IMAGE.sub("", text)
        text = _REFERENCE.sub(r"\1", _ANCHOR.sub(r"\1", text))
    if "<" in text:
        text = _TAG.sub("", _AUTOLINK.sub(r"\1", text))
    if "~~" in text:
        text = _STRUCK.sub("", text)
    text = _CODE.sub(r"\2", text)
    if "*" in text or "_" in text:
        text = _STRONG.sub(r"\2", text)
        text = _UNDERS.sub(r"\1", _STARS.sub(r"\1", text))
    if "==" in text:
        text = _MARK.sub(r"\1", text)
    return _ESCAPE.sub(r"\1", text)


def _shown(match: re.Match[str]) -> str:
    if match[1]:
        return ""
    target, _, shown = match[2].replace("\\|", "|").partition("|")
    return shown.strip() or target.partition("#")[0].strip() or target.strip("# ")


def split_label(text: str, *, bare: bool) -> tuple[str, str] | None:
    """(label, value) of `**Label:** value`, `Label:: value` and, with `bare`, `Label: value`.

    The value is as written; None where the text has no such form. What is a label for the eye may
    still be none by its words: that is for the reader of facts to judge.
    """
    if ":" not in text and "：" not in text:
        return None
    if text[0] in "*_":
        bold = _BOLD.match(text)
        return (bold[2].strip(), bold[3].strip()) if bold else None
    double = _DOUBLE.match(text)
    if double:
        return double[1].strip(), double[2].strip()
    single = _SINGLE.match(text) if bare else None
    return (single[1].strip(), single[2].strip()) if single else None

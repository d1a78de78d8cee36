"""Who a sentence speaks of: its subject by name, or by "she" while nobody else was named."""

from __future__ import annotations

import re

from cloudnee.graph.identity import entity_key
from cloudnee.pages.handles import speaks_of_another

__all__ = ["Company", "starts_with_name"]

_NAME_WORD = r"[A-Z\u00c0-\u00de\u0400-\u042f][\w'’\-]*"
_TITLE = r"(?:Mrs|Mr|Ms|Mdm|Madam|Miss|Dr|Пані|Пан)\.?"
_NAME = re.compile(rf"(?:{_TITLE}\s+)?{_NAME_WORD}(?:\s+{_NAME_WORD}){{0,3}}")
_TITLED = re.compile(rf"{_TITLE}\s+{_NAME_WORD}")
# What stands before the name of a place, a time or a thing rather than of a person.
_PLACED = re.compile(
    r"\b(?:in|at|from|to|near|on|of|for|by|since|until|every|last|next|в|у|на|з|із|до|від|біля)\s+(?:the\s+)?$"
)
_NO_NAME = frozenset(
    """
    the this that these those it its we our us you your i my me he she they his her their
    hers there here who what when where why how which some any each every one two three all
    both no not yes and but so if then also now today yesterday tomorrow monday tuesday
    wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays
    saturdays sundays january february march april may june july august september october
    november december please a an as at by for from in of on to with after before once since
    until very still only just last next new old everyone everybody nobody someone somebody
    customer customers client family sir madam
    """.split()
)
_VERBS = re.compile(
    r"\s+(?:is|was|are|were|has|had|have|will|can|could|would|does|did|said|says|and|called|asked"
    r"|wants|came|[a-z]+(?:s|ed))\b"
)
_SHE = frozenset(["she", "her", "вона", "她"])
_HE = frozenset(["he", "him", "він", "他"])
_WOMAN = re.compile(
    r"(?:mrs|ms|mdm|madam|miss|auntie|пані)\b|.{1,4}(?:太太|小姐|女士)$", re.IGNORECASE
)
_MAN = re.compile(r"(?:mr|uncle|пан)\b(?! &)|.{1,4}先生$", re.IGNORECASE)


def starts_with_name(text: str) -> bool:
    """Whether a text is one name of a person or thing, written with capitals, and nothing else."""
    named = _NAME.fullmatch(text)
    words = text.casefold().split()
    return bool(named) and not _NO_NAME.intersection(words) and not speaks_of_another(text)


class Company:
    """The subject of a section, and whether somebody else was named since it was."""

    def __init__(self, subject: str) -> None:
        self.subject = subject
        self.key = entity_key(subject)
        self.alone = True

    def pronoun_is_subject(self, pronoun: str) -> bool:
        """Whether a pronoun can only mean the subject, by who was named and by its title."""
        if not self.alone or not self._is_somebody():
            return False
        word = pronoun.casefold()
        if word in _SHE:
            return not _MAN.match(self.subject)
        if word in _HE:
            return not _WOMAN.match(self.subject)
        return True

    def _is_somebody(self) -> bool:
        """Whether the subject has the form of a name: `Chemical wash` is not called she."""
        words = self.subject.split()
        return all(word[0].isupper() or not word[0].islower() for word in words if word)

    def hear(self, sentence: str) -> None:
        """Note who a sentence names."""
        if speaks_of_another(sentence) or self._names_another(sentence):
            self.alone = False
        elif self.key and self.key in entity_key(sentence):
            self.alone = True

    def _names_another(self, sentence: str) -> bool:
        return any(self._is_another(sentence, match) for match in _NAME.finditer(sentence))

    def _is_another(self, sentence: str, match: re.Match[str]) -> bool:
        words = [word for word in match[0].split() if word.casefold() not in _NO_NAME]
        key = entity_key(" ".join(words))
        if not words or not key or key in self.key or self.key in key:
            return False
        if _TITLED.search(match[0]):
            return True
        if _PLACED.search(sentence[: match.start()]):
            return False
        if match.start() == 0 and len(match[0].split()) == 1:
            return bool(_VERBS.match(sentence, match.end()))
        return not words[0].isupper()

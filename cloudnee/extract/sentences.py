"""Sentences that hold a phrase of the ontology, read only where nothing about them is in doubt."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from cloudnee.extract.labels import LONGEST_VALUE
from cloudnee.extract.ontology import Ontology
from cloudnee.extract.people import Company, starts_with_name
from cloudnee.graph.identity import entity_key
from cloudnee.pages.markup import BLANK, links, plain

__all__ = ["Said", "Sentences", "sentences_of"]

_TITLES = "".join(rf"(?<!\b{title}\.)" for title in ("Mr", "Mrs", "Ms", "Mdm", "Dr", "St", "No"))
_END = re.compile(rf"(?<=[.!?])[\"”’)]*{_TITLES}\s+(?=[^a-z])|(?<=[。！？])|\n(?=\s*[-*+]\s)")
_CLAUSE = r"\s*[;；]\s*|,?\s+but\s+|,\s+and\s+|，"
_NOT_SO = (
    r"not|never|no longer|no more|nor|neither|hardly|used to|formerly|previously|back then|"
    r"last (?:year|month)|ago|until|if|unless|whether|in case|might|maybe|perhaps|possibly|"
    r"probably|rather than|instead of|anymore|any more|or"
)
_OTHERS_WORD = (
    r"barely|without|once|was living|before|could|would|should|must|can|will|shall|going to|"
    r"(?:want|hope|plan|like|intend|need|try|tries)s? to|thinks?|thought|believes?|guess|seems?|"
    r"appears?|says?|said|told|tells|asked|asks?|wonders?|heard|pretends?|rumou?r|supposed|"
    r"considering|thinking|when|while|who|that|which|where|because|since|after|as"
)
_ABROAD = (
    r"n['’]t\b|cannot|\b(?:не|ні|ніколи|раніше|якби|якщо|чи|колись|мабуть|можливо|більше не)\b|"
    r"不|没|沒|未|别|如果|要是|以前|曾|可能|也许|打算|吗|嗎|是否"
)
_DOUBT_BEFORE = re.compile(rf"\b(?:{_NOT_SO}|{_OTHERS_WORD})\b|{_ABROAD}", re.IGNORECASE)
_DOUBT_AFTER = re.compile(
    rf"\b(?:{_NOT_SO})\b|\((?:old|former|previous|past)\b|^\s*(?:no|nothing|nobody|none)\b|{_ABROAD}",
    re.IGNORECASE,
)
_MAY = re.compile(r"\bmay\b")  # the month has a capital
_QUOTED = re.compile(r"[\"“«「][^\"”»」]{0,400}[\"”»」]")
_ADVERBS = re.compile(
    r"(?:\s*\b(?:now|also|still|always|really|usually|currently|already|again|generally|mostly|"
    r"тепер|зараз|досі|завжди)\b|现在|还|一直|也|都)+$",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?:[\s,]+(?:now|again|from now on|these days|nowadays|today|currently|at the moment|only|too|"
    r"please|as well|instead|for now|anymore|тепер|зараз))+$",
    re.IGNORECASE,
)
_CUT = re.compile(
    r"\s+(?:because|since|but|when|while|who|which|that|after|as|so|though|although|until|if|unless"
    r"|except|with (?:her|his|their|my)|and (?:she|he|they|is|was|has|lives|wants|her|his|their))\b"
    r"|[,;:(—–，；。]|\s-\s|\s\+\s",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
_LEAD = re.compile(r"^(?:and|also|then|so|today|now|update|btw)[,\s]+", re.IGNORECASE)
_PRONOUN = re.compile(r"(?:she|he|they|вона|він|вони|她|他|他们|她们)", re.IGNORECASE)
_FIRST = re.compile(r"(?:i|я|我)", re.IGNORECASE)
_AMOUNT = re.compile(
    r"(?:(?:S|US|A)?\$|SGD|USD|EUR|RM|€|£|¥|₴)?\s?\d(?:[\d,]*\d)?(?:\.\d+)?(?:\s?(?:SGD|USD|EUR|грн|元|块))?"
    r"(?![\w%]|\s?[-–—]\s?\d)"
)
_PLACE = re.compile(
    r"(?:(?:Blk|Block|Blok)\s+|(?:St|Mt|Ft)\.\s+)?[^\Wa-z_][\w'’\-]*"
    r"(?:\s+(?:of|de|the|(?!and\b)[^\Wa-z_][\w'’\-]*))*"
)
_PASSIVE = re.compile(r"(?:was|were|is|are|has been|have been)\s+", re.IGNORECASE)
_PLURAL = {"is": "are", "was": "were", "has": "have", "does": "do"}
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_MOST_WORDS = 10


@dataclass(frozen=True, slots=True)
class Said:
    """A fact of a sentence. `source` is None where it speaks of the section's subject."""

    source: str | None
    relation: str
    target: str
    declared: bool = False


@dataclass(frozen=True, slots=True)
class _Phrase:
    pattern: re.Pattern[str]
    relation: str
    target: str
    base: bool  # "live in": only after I or they
    words: str  # what stands in every text that holds it, case folded


def sentences_of(text: str) -> list[str]:
    """The sentences of a line or paragraph; a title's full stop ends none."""
    return [part for part in _END.split(text) if part.strip()]


class Sentences:
    """Finds facts in sentences, by the phrases of one ontology."""

    def __init__(self, ontology: Ontology) -> None:
        self.phrases = [
            form
            for phrase, relation in ontology.phrases
            for form in _forms(phrase, relation, ontology.relation(relation).target_type or "")
        ]
        any_phrase = "|".join(phrase.pattern.pattern for phrase in self.phrases) or r"(?!)"
        self.any = re.compile(any_phrase, re.IGNORECASE)
        self.words = tuple(dict.fromkeys(phrase.words for phrase in self.phrases))
        goes_on = rf"(?:,|\s+and)\s+(?=(?:now\s+|also\s+)?(?:{any_phrase}))"
        self.clauses = re.compile(rf"{_CLAUSE}|{goes_on}", re.IGNORECASE)

    def hold(self, text: str) -> bool:
        """Whether a text may hold a phrase: a look that costs little, since most hold none."""
        folded = text.casefold()
        return any(words in folded for words in self.words)

    def facts(
        self,
        sentence: str,
        company: Company,
        *,
        first_person: bool = False,
        opens: bool = False,
        names: Callable[[str], bool] = starts_with_name,
    ) -> Iterator[Said]:
        """The facts of one sentence as written.

        `first_person`: *I* is the subject. `opens`: the sentence opens a line of the subject's, and
        may leave it out. `names` says which words before a phrase are a name.
        """
        if not self.hold(sentence) or not self.any.search(sentence):
            return
        shown = _QUOTED.sub(BLANK, plain(sentence))
        if shown.rstrip('"”’) *_').endswith(("?", "？", ":", "：")):
            return
        linked = {entity_key(link.shown): link.target for link in links(sentence)}
        follows = False
        source: str | None = None
        for clause in self.clauses.split(shown):
            who = _Who(company, first_person, opens or follows, names, source)
            opens = False
            found = self._clause(clause.strip(), who)
            if found is None:
                follows = False
                continue
            source, relation, target = found
            follows = True
            named = linked.get(entity_key(target))
            yield Said(source, relation, named or target, declared=named is not None)

    def _clause(self, clause: str, who: _Who) -> tuple[str | None, str, str] | None:
        if not clause or BLANK in clause or _MAY.search(clause):
            return None
        for phrase in self.phrases:
            match = phrase.pattern.search(clause)
            if match is None:
                continue
            before, after = clause[: match.start()].strip(" ,"), clause[match.end() :]
            if _DOUBT_BEFORE.search(before) or _DOUBT_AFTER.search(after):
                return None
            target = _target(after, phrase)
            source = who.is_meant(_ADVERBS.sub("", before).strip(" ,"), phrase)
            if not target or source is False:
                return None
            return (None if source is True else source), phrase.relation, target
        return None


@dataclass(frozen=True, slots=True)
class _Who:
    """Decides who is meant by the words before a phrase."""

    company: Company
    first_person: bool
    may_be_left_out: bool
    names: Callable[[str], bool]
    before: str | None

    def is_meant(self, words: str, phrase: _Phrase) -> str | bool:
        """True: the section's subject; a text: that name; False: nobody for certain."""
        words = _LEAD.sub("", words, count=1).strip(" ,")
        if not words:
            if phrase.base or not self.may_be_left_out:
                return False
            return self.before or True
        if _FIRST.fullmatch(words):
            return self.first_person
        if _PRONOUN.fullmatch(words):
            plural = words.casefold() == "they"
            return (plural or not phrase.base) and self.company.pronoun_is_subject(words)
        if phrase.base:
            return False
        bare = _ARTICLE.sub("", words, count=1)
        if entity_key(bare) == self.company.key:
            return True
        return words if self.names(words) else False


def _forms(phrase: str, relation: str, target: str) -> Iterator[_Phrase]:
    """The phrase as written, and as it goes after *I* and *they*: lives in, live in."""
    yield _phrase(phrase, relation, target, base=False)
    first, space, rest = phrase.partition(" ")
    plural = _PLURAL.get(first.casefold())
    if plural is None and re.fullmatch(r"[a-z]+[^s\W]s", first):
        plural = re.sub(r"(?:(?<=[a-z])(?:(?<=sh)|(?<=ch)|(?<=x))es|s)$", "", first)
        plural = re.sub(r"ie$", "y", plural)
    if plural and _PLURAL.get(first.casefold(), "x") != first:
        yield _phrase(plural + space + rest, relation, target, base=True)


def _phrase(phrase: str, relation: str, target: str, *, base: bool) -> _Phrase:
    body = re.escape(phrase)
    passive = _PASSIVE.match(phrase)
    words = phrase[passive.end() :] if passive else phrase
    if _CJK.search(phrase):
        return _Phrase(re.compile(body), relation, target, base, words.casefold())
    if passive and not base:  # "Quoted 160" opens a line as "was quoted 160" goes on with one
        body = rf"(?:{body}|^{re.escape(words)})"
    pattern = re.compile(rf"(?<!\w){body}(?!\w)", re.IGNORECASE)
    return _Phrase(pattern, relation, target, base, words.casefold())


def _target(after: str, phrase: _Phrase) -> str:
    """What stands behind a phrase, up to where the clause goes on; "" where that is no value."""
    after = after.strip()
    if phrase.target == "price":
        amount = _AMOUNT.match(after)
        again = amount and re.search(r"\b(?:then|now|to|later)\s\D{0,3}\d", after[amount.end() :])
        return amount[0].strip() if amount and not again else ""
    if phrase.target == "place" and not _CJK.match(after):
        place = _PLACE.match(after)
        return _TAIL.sub("", place[0]).strip(" .") if place else ""
    cut = _CUT.search(after)
    value = (after[: cut.start()] if cut else after).rstrip(".!。！ ")
    value = _ARTICLE.sub("", _TAIL.sub("", value), count=1).strip(" ,.'’")
    fits = 1 <= len(value.split()) <= _MOST_WORDS and len(value) <= LONGEST_VALUE
    no_value = re.fullmatch(
        r"(?:it|them|him|her|that|this|these|those|so|to .*|us|me|you|following.*"
        r"|.*\b(?:at least|at most|such|same|more|less))",
        value,
    )
    return value if fits and entity_key(value) and not no_value else ""

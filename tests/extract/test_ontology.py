"""The ontology: what is shipped, a folder laid over it, and the errors of a bad file."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloudnee.config import load_audiences
from cloudnee.errors import BadOntology
from cloudnee.extract.ontology import Ontology, Relation, load_ontology, shipped_folder

SHIPPED = load_ontology()
DOCS = Path(__file__).parents[2] / "docs/ontology.md"


def laid(folder: Path, text: str, name: str = "mine.yaml") -> Ontology:
    """The ontology with one more file of the user's folder."""
    (folder / name).write_text(text, "utf-8")
    return load_ontology(folder)


# What is shipped.


@pytest.mark.parametrize("name", ["lives_in", "quoted_price", "visit_status"])
def test_one_value(name: str) -> None:
    """A town, a price and a visit's status have one value at a time."""
    assert SHIPPED.relation(name).functional


@pytest.mark.parametrize(
    "name", ["prefers", "refuses", "has_rule", "covers", "sells", "works_with", "never_heard_of"]
)
def test_many_values(name: str) -> None:
    """These, and every relation that is not listed, have many values."""
    assert not SHIPPED.relation(name).functional


def test_an_unknown_relation_is_a_plain_one() -> None:
    """A relation that is not listed weighs one half and has no laws."""
    assert SHIPPED.relation("never_heard_of") == Relation("never_heard_of")
    assert SHIPPED.relation("never_heard_of").importance == 0.5


def test_laws_of_two() -> None:
    """One holder of an office; to prefer and to refuse the same thing exclude each other."""
    assert SHIPPED.relation("ceo_of").inverse_functional
    assert SHIPPED.relation("prefers").excludes == {"refuses"}
    assert SHIPPED.relation("refuses").excludes == {"prefers"}


@pytest.mark.parametrize(
    ("label", "relation"),
    [
        ("Town", "lives_in"),
        ("lives in", "lives_in"),
        ("price", "quoted_price"),
        ("Quote", "quoted_price"),
        ("quoted-price", "quoted_price"),
        ("QUOTED_PRICE", "quoted_price"),
        ("  quoted \u2011 price ", "quoted_price"),
        ("ｐｒｉｃｅ", "quoted_price"),
        ("报价", "quoted_price"),
        ("Ціна", "quoted_price"),
        ("Visit", "visit_status"),
        ("规则", "has_rule"),
        ("Візит", "visit_status"),
        ("status", "status"),
        ("favourite tea", None),
        ("", None),
    ],
)
def test_labels(label: str, relation: str | None) -> None:
    """A label leads to its relation in any case, width, script, and with any joint of words."""
    assert SHIPPED.label_relation(label) == relation


@settings(deadline=None)
@given(
    st.sampled_from(sorted((t, r.name) for r in SHIPPED.relations.values() for t in r.labels)),
    st.sampled_from([" ", "_", "-", "  ", " - ", "\u2010", "\u2013", "\u00a0"]),
    st.sampled_from([str.upper, str.title, str.casefold]),
    st.sampled_from(["NFC", "NFD", "NFKD"]),
)
def test_a_label_by_any_joint(
    pair: tuple[str, str], joint: str, case: type[str], form: str
) -> None:
    """However a shipped label is cased, joined and composed, it is the same label."""
    label, relation = pair
    written = unicodedata.normalize(form, case(joint.join(label.split())))  # type: ignore[arg-type]
    assert SHIPPED.label_relation(written) == relation


def test_phrases_come_longest_first() -> None:
    """ "is quoted" is looked for after every longer phrase, and leads to the price."""
    lengths = [len(phrase) for phrase, _ in SHIPPED.phrases]
    assert lengths == sorted(lengths, reverse=True)
    pairs = {("lives in", "lives_in"), ("was quoted", "quoted_price"), ("is the ceo of", "ceo_of")}
    assert pairs <= set(SHIPPED.phrases)


def test_no_phrase_and_no_label_stands_for_two() -> None:
    """What is shipped leaves no label and no phrase open."""
    phrases = [phrase for phrase, _ in SHIPPED.phrases]
    assert len(phrases) == len(set(phrases))
    labels = [label for r in SHIPPED.relations.values() for label in r.labels]
    assert len(labels) == len(set(labels))


def test_moving_an_appointment_is_no_address() -> None:
    """ "Moved to Friday" tells no town: the phrase is not listed."""
    assert not [phrase for phrase, _ in SHIPPED.phrases if "moved" in phrase]


@pytest.mark.parametrize(
    "word", ["hvac", "air con", "air-con", "ac unit", "冷气", "空调", "кондиціонер"]
)
def test_words_of_several_scripts(word: str) -> None:
    """They all ask for aircon."""
    assert SHIPPED.words[word] == "aircon"


def test_the_pack_says_singapore() -> None:
    """Phone numbers without a country code are Singapore's."""
    assert SHIPPED.region == "SG"


def test_the_shipped_audiences() -> None:
    """The owner sees and writes all; the public does not see customers, notes, private pages."""
    owner, public = load_audiences(shipped_folder() / "audiences.yaml")
    assert (owner.name, owner.sees, owner.hides, owner.writes) == ("owner", ("**",), (), ("**",))
    assert (public.name, public.sees, public.writes) == ("public", ("**",), ())
    assert public.hides == ("customers/**", "notes/**", "private/**")


# A folder laid over it.


def test_an_empty_folder_changes_nothing(tmp_path: Path) -> None:
    """Neither do a file of comments, a hidden file, nor the audiences, which are read elsewhere."""
    (tmp_path / "audiences.yaml").write_text("audiences: {}")
    (tmp_path / ".half-written.yaml").write_text("relations: [")
    (tmp_path / "notes.txt").write_text("not YAML: [")
    assert laid(tmp_path, "# nothing yet\nrelations:\nwords:\n").digest == SHIPPED.digest


def test_key_by_key(tmp_path: Path) -> None:
    """A relation of the same name keeps what the file leaves out; its labels are added to."""
    mine = laid(
        tmp_path,
        "relations:\n  quoted_price: {labels: [fee], importance: 0.9, functional: false}\n",
    )
    before, after = SHIPPED.relation("quoted_price"), mine.relation("quoted_price")
    assert (after.importance, after.functional) == (0.9, False)
    assert (after.phrases, after.target_type) == (before.phrases, before.target_type)
    assert mine.label_relation("Fee") == mine.label_relation("price") == "quoted_price"


def test_a_new_relation(tmp_path: Path) -> None:
    """A relation with nothing behind its name is known, with the defaults."""
    mine = laid(tmp_path, "relations:\n  allergic_to:\n")
    assert mine.relations["allergic_to"] == Relation("allergic_to")
    assert mine.label_relation("Allergic to") == "allergic_to"


def test_a_label_can_be_taken_over(tmp_path: Path) -> None:
    """A label, phrase or name given to another relation is no longer the shipped one's."""
    mine = laid(
        tmp_path,
        "relations:\n  works_in: {labels: [Town], phrases: [Lives In]}\n  region: {}\n"
        "  visit_status: {labels: [status]}\n",
    )
    assert mine.label_relation("town") == "works_in"
    assert mine.label_relation("region") == "region"
    assert mine.label_relation("status") == "visit_status"
    assert mine.label_relation("city") == "lives_in"
    assert [r for phrase, r in mine.phrases if phrase.casefold() == "lives in"] == ["works_in"]


def test_files_are_laid_by_name(tmp_path: Path) -> None:
    """Of two files of the folder, the later name holds; each may name the other's relations."""
    (tmp_path / "b.yaml").write_text("relations: {owes: {importance: 0.2}}\nregion: gb")
    mine = laid(
        tmp_path,
        "relations: {lends: {excludes: [owes]}, owes: {importance: 0.1, functional: true}}",
        "a.yaml",
    )
    owes = Relation("owes", functional=True, importance=0.2, excludes=frozenset({"lends"}))
    assert mine.relation("owes") == owes
    assert mine.region == "GB"


def test_what_excludes_is_excluded(tmp_path: Path) -> None:
    """It is enough that one of two says so, and the last to say it is believed."""
    mine = laid(tmp_path, "relations: {likes: {excludes: [dislikes]}, dislikes: {}}")
    assert mine.relation("dislikes").excludes == {"likes"}
    mine = laid(tmp_path, "relations: {prefers: {excludes: []}}")
    assert mine.relation("prefers").excludes == mine.relation("refuses").excludes == frozenset()


def test_words_are_laid_over_however_written(tmp_path: Path) -> None:
    """One's own "Air Con" replaces "air con" and "air-con" together."""
    mine = laid(tmp_path, "words:\n  Air Con: cooling\n  no: nein\n")
    assert mine.words["Air Con"] == "cooling"
    assert not {"air con", "air-con"} & mine.words.keys()
    assert (mine.words["hvac"], mine.words["no"]) == ("aircon", "nein")


def test_text_is_kept_as_written(tmp_path: Path) -> None:
    """What YAML would make a number, a truth or a date of is text where text is asked for."""
    mine = laid(tmp_path, "relations: {door_code: {labels: [no, 007, 2026-01-02, 'off']}}")
    assert mine.relation("door_code").labels == ("no", "007", "2026-01-02", "off")


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    """Editors on Windows write one."""
    assert laid(tmp_path, "\ufeffregion: MY\r\n").region == "MY"


# The digest.

CHANGES = (
    "relations: {lives_in: {labels: [abode]}}",
    "relations: {lives_in: {phrases: [dwells in]}}",
    "relations: {lives_in: {functional: false}}",
    "relations: {lives_in: {inverse_functional: true}}",
    "relations: {lives_in: {excludes: [owns]}}",
    "relations: {lives_in: {importance: 0.51}}",
    "relations: {lives_in: {target_type: town}}",
    "relations: {dwells: {}}",
    "region: MY",
)


def test_every_change_of_meaning_changes_the_digest(tmp_path: Path) -> None:
    """Each field of a relation and the region count, and no two changes look alike."""
    digests = [SHIPPED.digest, *(laid(tmp_path, change).digest for change in CHANGES)]
    assert len(set(digests)) == len(CHANGES) + 1
    assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in digests)


def test_how_it_is_written_does_not(tmp_path: Path) -> None:
    """The same in other words of YAML, in another order, has the same digest."""
    one = laid(
        tmp_path, "relations: {b: {importance: 0.50}, a: {labels: ['x']}}\nwords: {p: q, r: s}"
    )
    two = laid(
        tmp_path,
        "words:\n  r: s\n  p: q\nrelations:\n  a:\n    labels:\n    - x\n  b: {functional: False}",
    )
    assert one.digest == two.digest


def test_the_digest_is_the_same_in_every_process() -> None:
    """It depends on no order of hashes."""
    code = "from cloudnee.extract.ontology import load_ontology as f; print(f().digest)"
    for seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(DOCS.parents[1])},
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout.strip() == SHIPPED.digest


# Bad files.

RELATION_KEYS = "labels, phrases, functional, inverse_functional, excludes, importance, target_type"
BAD = {
    "labels: {}": "line 1: the file: unknown key 'labels'; allowed are relations, words, region",
    "- a": "line 1: the file must be a mapping of keys, not a list",
    "hello": "line 1: the file must be a mapping of keys, not 'hello'",
    "region: SG\nregion: MY": "line 2: the file: 'region' is there twice, first on line 1",
    "\nregion: Singapore": (
        "line 2: region must be the two letters of a country, such as SG, not 'Singapore'"
    ),
    "region:": "line 1: region must be text, not nothing",
    "relations: []": "line 1: relations must be a mapping of keys, not a list",
    "relations:\n  Lives In: {}": (
        "line 2: relation 'Lives In' must be words in lower case with _ between them, "
        "such as lives_in"
    ),
    "relations:\n  a: {}\n  b: {}\n  a: {}": (
        "line 4: relations: 'a' is there twice, first on line 2"
    ),
    "relations:\n  a: yes": "line 2: a must be a mapping of keys, not 'yes'",
    "relations:\n  a:\n    label: [b]": (
        f"line 3: a: unknown key 'label'; allowed are {RELATION_KEYS}"
    ),
    "relations:\n  a:\n    functional: true\n    functional: true": (
        "line 4: a: 'functional' is there twice, first on line 3"
    ),
    "relations:\n  a:\n    labels: town": (
        "line 3: a.labels must be a list such as [one, two], not 'town'"
    ),
    "relations:\n  a:\n    labels:\n    - b\n    - [c]": (
        "line 5: a.labels: each must be text, not a list"
    ),
    "relations:\n  a:\n    phrases: [b, ~]": "line 3: a.phrases: each must be text, not nothing",
    "relations:\n  a:\n    labels: ['-']": ("line 3: a.labels: '-' must hold a letter or a digit"),
    "relations:\n  a: {labels: [x y]}\n  b: {labels: [X-Y]}": (
        "line 3: b.labels: 'X-Y' already stands for a: keep one of the two"
    ),
    "relations:\n  a: {labels: [b]}\n  b: {}": (
        "line 2: a.labels: 'b' already stands for b: keep one of the two"
    ),
    "relations:\n  a: {phrases: [is x]}\n  b: {phrases: [is x]}": (
        "line 3: b.phrases: 'is x' already stands for a: keep one of the two"
    ),
    "relations:\n  a:\n    functional: 1": "line 3: a.functional must be true or false, not '1'",
    "relations:\n  a:\n    functional: 'true'": (
        "line 3: a.functional must be true or false, not 'true'"
    ),
    "relations:\n  a:\n    inverse_functional: []": (
        "line 3: a.inverse_functional must be true or false, not a list"
    ),
    "relations:\n  a:\n    target_type: {}": "line 3: a.target_type must be text, not a mapping",
    "relations:\n  a:\n    excludes: [a]": "line 3: a.excludes: a relation cannot exclude itself",
    "words:\n  a: [b]": "line 2: words.a must be text, not a list",
    "words:\n  '': b": "line 2: a key of words must be text, not nothing",
    "words:\n  [a]: b": "line 2: a key of words must be text, not a list",
    "words:\n  a b: c\n  A-B: d": "line 3: words.A-B: the same word already stands for 'c'",
    "words:\n  a: '\u200b'": "line 2: words.a: both sides must hold a letter or a digit",
}


@pytest.mark.parametrize("text", BAD)
def test_a_bad_file_is_told_with_its_line(tmp_path: Path, text: str) -> None:
    """The error names file, line and key, and what is allowed there."""
    with pytest.raises(BadOntology) as caught:
        laid(tmp_path, text)
    assert str(caught.value) == f"{tmp_path / 'mine.yaml'}: {BAD[text]}"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("relations:\n  a: [", 2),
        ("relations:\n  a: [\n\n", 2),
        ("words: {}\na: b: c", 2),
        ("region: SG\n---\nregion: MY", 2),
        ("region: *nobody", 1),
        ("region: SG\n# \x01", 2),
    ],
)
def test_what_is_no_yaml_is_told_with_its_line(tmp_path: Path, text: str, line: int) -> None:
    """The parser's reason stands behind the line, on one line."""
    with pytest.raises(BadOntology) as caught:
        laid(tmp_path, text)
    start = f"{tmp_path / 'mine.yaml'}: line {line}: not YAML: "
    assert re.fullmatch(re.escape(start) + ".+", str(caught.value))


@pytest.mark.parametrize(
    "written", ["1.01", "-0.1", ".nan", "nan", ".inf", "inf", "high", "'0.5'", "[0.5]", "1e400"]
)
def test_importance_is_from_0_to_1(tmp_path: Path, written: str) -> None:
    """Nothing else is a weight, NaN least of all."""
    with pytest.raises(BadOntology) as caught:
        laid(tmp_path, f"relations:\n  a:\n    importance: {written}")
    told = "a list" if "[" in written else repr(written.strip("'"))
    problem = f"line 3: a.importance must be a number from 0 to 1, not {told}"
    assert str(caught.value) == f"{tmp_path / 'mine.yaml'}: {problem}"


@pytest.mark.parametrize(("written", "number"), [("0", 0), ("1", 1), (".25", 0.25), ("1e-1", 0.1)])
def test_both_ends_are_allowed(tmp_path: Path, written: str, number: float) -> None:
    """0 and 1 are weights, and so is whatever Python reads as a number between."""
    mine = laid(tmp_path, f"relations: {{a: {{importance: {written}}}}}")
    assert mine.relation("a").importance == number


def test_an_excludes_must_be_known(tmp_path: Path) -> None:
    """The relations there are stand in the error."""
    with pytest.raises(BadOntology) as caught:
        laid(tmp_path, "relations:\n  a:\n    excludes:\n    - likes\n    - lieks\n")
    told = str(caught.value)
    start = (
        f"{tmp_path / 'mine.yaml'}: line 5: a.excludes: there is no relation 'lieks'; there are "
    )
    assert told.startswith(start + "a, birthday, ceo_of, ")


def test_a_file_of_other_bytes(tmp_path: Path) -> None:
    """A file that is not UTF-8 is told with the line of its first odd byte."""
    (tmp_path / "mine.yaml").write_bytes("words:\n  café: tea\n".encode("latin-1"))
    with pytest.raises(BadOntology, match="line 2: not UTF-8 text; save it as UTF-8"):
        load_ontology(tmp_path)


def test_a_folder_must_be_there(tmp_path: Path) -> None:
    """A folder that is not there is told; so is a file in its stead, or a folder as a file."""
    with pytest.raises(BadOntology, match="nowhere: there is no such folder of ontology files"):
        load_ontology(tmp_path / "nowhere")
    (tmp_path / "odd.yaml").mkdir()
    with pytest.raises(BadOntology, match=r"odd\.yaml: cannot be read: Is a directory"):
        load_ontology(tmp_path)


@settings(deadline=None)
@given(
    st.recursive(
        st.sampled_from(
            ["relations", "words", "labels", "excludes", "a", "0.5", "true", "~", "''"]
        ),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3).map(lambda parts: f"[{', '.join(parts)}]"),
            st.lists(st.tuples(inner, inner), max_size=3).map(
                lambda pairs: "{" + ", ".join(f"? {k} : {v}" for k, v in pairs) + "}"
            ),
        ),
    )
)
def test_any_yaml_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """Whatever the file holds, it is an ontology or a `BadOntology` with a line, nothing else."""
    told = ""
    try:
        laid(tmp_path_factory.getbasetemp(), text)
    except BadOntology as error:
        told = str(error)
    assert not told or re.search(r"mine\.yaml: line \d+: ", told)


# The documentation.


def examples() -> list[str]:
    """The YAML blocks of the ontology's page."""
    return re.findall(r"```yaml\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)


def test_the_example_loads(tmp_path: Path) -> None:
    """What the page shows as a folder's file is one, and does what the page says of it."""
    mine = laid(tmp_path, examples()[0])
    assert mine.relation("allergic_to").importance == 0.9
    assert mine.label_relation("Allergies") == "allergic_to"
    assert mine.label_relation("fee") == mine.label_relation("price") == "quoted_price"
    assert mine.relation("refuses_visits").excludes == {"agrees_to_visits"}
    assert (mine.words["cooler"], mine.region) == ("aircon", "MY")


def test_the_shown_audiences_are_the_shipped_ones(tmp_path: Path) -> None:
    """The page's audiences are those a new org begins with."""
    (tmp_path / "audiences.yaml").write_text(examples()[1], "utf-8")
    shown = load_audiences(tmp_path / "audiences.yaml")
    assert shown == load_audiences(shipped_folder() / "audiences.yaml")


def test_every_key_and_relation_is_on_the_page() -> None:
    """No key of the format and no shipped relation is left out."""
    page = DOCS.read_text("utf-8")
    names = itertools.chain(RELATION_KEYS.split(", "), SHIPPED.relations, ["words", "region"])
    assert [name for name in names if f"`{name}`" not in page] == []

"""Nobody learns of a row outside their audience or org: at no door of the memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cloudnee import Alias, Memory, errors

SECRET = (
    "---\nphone: 91234567\n---\n# Mrs Tan\n\n- Town: Bedok\n- Quoted price: 160\n"
    "- Has rule: zanzibar curtains\n- Works with: [[Aircon]]\n"
)


def everything(memory: Memory) -> str:
    """All that a memory says to whoever asks for anything."""
    said: list[object] = [memory.pages(), memory.recent(50), memory.read_page("customers/tan.md")]
    for who in ("Mrs Tan", "91234567", "Bedok", "Aircon", "zanzibar curtains", "mrst", "160"):
        said += [memory.read_current(who), memory.history(who), memory.aliases(who)]
    for query in ("Mrs Tan", "zanzibar", "price 160", "aircon", "who lives in Bedok"):
        answer = memory.recall(query, top_k=20)
        said += [answer, answer.subjects, memory.recall(query, scoring="wide")]
    graph = memory.graph(past=True)
    said += [sorted(graph.nodes(data=True), key=str), sorted(graph.edges(data=True), key=str)]
    return repr(said)


def test_the_public_never_sees_a_customers_file(memory: Memory) -> None:
    """One hidden page is asked for everywhere and comes out nowhere."""
    memory.remember("services/aircon.md", "# Aircon\n\n- Sells: chemical wash\n")
    memory.remember("customers/tan.md", SECRET, aliases=[Alias("tan@example.sg")])
    assert "zanzibar" in everything(memory)
    said = everything(memory.as_audience("public")).casefold()
    for hidden in ("zanzibar", "mrs tan", "mrstan", "91234567", "example.sg", "customers/"):
        assert hidden not in said.replace("price 160", "")


def test_the_public_answer_is_a_function_of_the_public_part(
    open_memory: Callable[..., Memory],
) -> None:
    """Two orgs that differ in hidden pages alone tell the public the same, scores and all."""
    with_secret, without = open_memory(org="one"), open_memory(org="two")
    for memory in (with_secret, without):
        memory.remember("services/aircon.md", "# Aircon\n\n- Sells: chemical wash\n")
        memory.remember("services/wash.md", "# Wash\n\n- Quoted price: 150\n\nThe wash is fine.\n")
    with_secret.remember("customers/tan.md", SECRET)
    with_secret.remember("private/wash.md", "# Wash\n\n- Quoted price: 160\n\nwash wash wash\n")
    one, two = (m.as_audience("public") for m in (with_secret, without))
    assert everything(one) == everything(two)


@pytest.mark.parametrize(
    "path",
    [
        "customers/a.md",
        "Customers/a.md",
        "CUSTOMERS/deep/a.md",
        "notes/x/2026-06.md",
        "private/z.md",
    ],
)
def test_hidden_folders_are_hidden_in_any_case(memory: Memory, path: str) -> None:
    """Audience rules ignore case."""
    memory.remember(path, SECRET)
    assert memory.as_audience("public").pages() == []


@pytest.mark.parametrize(
    "path", ["/customers/a.md", "customers\\a.md", "wiki/../customers/a.md", "customers//a.md"]
)
def test_tricks_with_paths_are_refused(memory: Memory, path: str) -> None:
    """No spelling of a path slips past the rules."""
    with pytest.raises(errors.BadPath):
        memory.remember(path, SECRET)


def test_front_matter_decides_nothing_about_who_sees(memory: Memory) -> None:
    """`audience:`, `org:` and `id:` have no effect, and a warning says so."""
    text = "---\naudience: public\norg: other\nid: 7\n---\n" + "# Mrs Tan\n\n- Town: Bedok\n"
    report = memory.remember("customers/a.md", text)
    assert all(any(key in w for w in report.warnings) for key in ("audience", "org", "id"))
    assert memory.as_audience("public").pages() == []
    assert len(memory.read_current("Mrs Tan").edges) == 1


def test_orgs_are_apart(open_memory: Callable[..., Memory]) -> None:
    """Another org of the same file sees nothing of this one."""
    one, two = open_memory(org="one"), open_memory(org="two")
    one.remember("a.md", SECRET)
    two.remember("b.md", "# Other\n\n- Town: Yishun\n")
    assert "zanzibar" not in everything(two)
    edge = one.read_current("Mrs Tan").edges[0]
    assert two.improve([edge.id], rating=5).unknown == (edge.id,)
    assert two.forget(edge_id=edge.id).edges == ()


def test_spelling_and_type_come_from_visible_pages(memory: Memory) -> None:
    """The first spelling that the public may see is the one it is shown."""
    memory.remember("private/a.md", "# AIRCON\n\n- Margin: 40%\n")
    memory.remember("services/a.md", "# Aircon\n\n- Sells: wash\n")
    assert memory.read_current("aircon").entities[0].name == "AIRCON"
    assert memory.as_audience("public").read_current("aircon").entities[0].name == "Aircon"


def test_an_audience_only_narrows(memory: Memory, open_memory: Callable[..., Memory]) -> None:
    """The public cannot read as the owner, nor write, teach or change the rules."""
    memory.remember("services/a.md", "# Aircon\n\n- Sells: wash\n")
    public = open_memory(audience="public")
    with pytest.raises(errors.Forbidden, match="more"):
        public.as_audience("owner")
    with pytest.raises(errors.Forbidden):
        public.remember("services/b.md", "# B\n\n- Sells: c\n")
    with pytest.raises(errors.Forbidden):
        public.note("x", subject="Aircon")
    with pytest.raises(errors.Forbidden):
        public.teach_alias("hvac", "aircon")
    with pytest.raises(errors.Forbidden):
        public.set_audiences("anything.yaml")
    assert public.as_audience("public").pages() == public.pages()


RULES = """
audiences:
  owner: {see: ["**"], write: ["**"]}
  public: {see: ["services/**"], hide: [], write: []}
  tech: {see: ["**"], hide: ["private/**"], write: ["notes/**"]}
"""


def test_new_rules_judge_every_row(memory: Memory, tmp_path: Path) -> None:
    """After `audiences set` every row, index and winner is as if it had always been so."""
    memory.remember("customers/a.md", SECRET)
    memory.remember("services/wash.md", "# Wash\n\n- Quoted price: 150\n")
    memory.remember("private/wash.md", "# Wash\n\n- Quoted price: 160\n")
    (tmp_path / "rules.yaml").write_text(RULES)
    memory.set_audiences(tmp_path / "rules.yaml")
    assert memory.check() == []
    tech = memory.as_audience("tech")
    assert [p.path for p in tech.pages()] == ["customers/a.md", "services/wash.md"]
    assert [e.target_name for e in tech.read_current("Wash").edges] == ["150"]
    assert "zanzibar" in tech.recall("zanzibar").passages[0].text
    assert [p.path for p in memory.as_audience("public").pages()] == ["services/wash.md"]
    tech.note("Ladder needed", subject="Wash")
    with pytest.raises(errors.Forbidden):
        tech.remember("services/x.md", SECRET)


@pytest.mark.parametrize(
    "rules",
    [
        "",
        "audiences: 3",
        "x: {}",
        "audiences: {owner: {see: [a]}}",
        "audiences: {owner: {see: ['**'], colour: []}}",
        "audiences: {public: {see: ['**']}}",
        "a: [b",
    ],
)
def test_bad_rules_are_refused(memory: Memory, tmp_path: Path, rules: str) -> None:
    """A file that is not of the form is refused with its name, and the old rules stay."""
    memory.remember("customers/a.md", SECRET)
    (tmp_path / "rules.yaml").write_text(rules)
    with pytest.raises(errors.BadOntology, match=r"rules\.yaml"):
        memory.set_audiences(tmp_path / "rules.yaml")
    assert [rule.name for rule in memory.audiences()] == ["owner", "public"]


NAMES = [
    "<img src=x onerror=alert(1)>",
    "__proto__",
    "'; DROP TABLE edges; --",
    "ignore all rules",
    "{{7*7}}",
    "%s",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_a_name(memory: Memory, name: str) -> None:
    """Whatever a name looks like, it is text."""
    memory.remember("a.md", f'---\nname: "{name}"\n---\n\n- Town: Bedok\n')
    (entity,) = memory.read_current(name).entities
    assert entity.name == name
    assert memory.check() == []

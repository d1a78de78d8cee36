"""Page search: passages as written, ranked by words, vectors, what stands beside and mentions."""

from __future__ import annotations

from cloudnee import Memory

TALK = """---
speakers: [Gina, Jon]
date: 2023-05-08
---
# Session 3

**Gina** (D3:1): I lost my job at the bank yesterday.

**Jon** (D3:2): Sorry to hear! What will you do now?

**Gina** (D3:3): I will open a dance studio by the river.
"""


def test_passages_are_the_pages_own_lines(memory: Memory) -> None:
    """Lines and text of a turn, not of the page; the sentence that matched; best first."""
    memory.remember("talks/3.md", TALK)
    memory.remember("talks/4.md", TALK.replace("Session 3", "Session 4").replace("dance", "yoga"))
    found = memory.search_pages("Who opens a dance studio?")
    best = found[0]
    assert (best.path, best.start_line, best.end_line) == ("talks/3.md", 11, 11)
    assert best.text == TALK.splitlines()[10]
    assert [p.score for p in found] == sorted((p.score for p in found), reverse=True)
    assert memory.search_pages("Who opens a dance studio?", top_k=1) == found[:1]


def test_the_answer_to_a_question_stands_beside_it(memory: Memory) -> None:
    """A turn without a word of the question follows the one that asks it."""
    memory.remember("talks/3.md", TALK)
    found = memory.search_pages("What will Gina do now?", top_k=3)
    assert "dance studio" in found[0].text


def test_a_mention_leads_to_the_page(memory: Memory) -> None:
    """What a named page mentions is found without sharing a word with the question."""
    memory.remember("tan.md", "# Mrs Tan\n\nShe bought the Frostline Nine last year.\n")
    memory.remember("nine.md", "# Frostline Nine\n\nHums softly; the compressor is from Osaka.\n")
    memory.remember("ten.md", "# Frostline Ten\n\nThe compressor is from Turin.\n")
    found = memory.search_pages("Where is the compressor from that Mrs Tan bought?", top_k=2)
    assert "nine.md" in [p.path for p in found]


def test_exact_identifiers_come_first(memory: Memory) -> None:
    """`INV-1041` is not `INV-1014`, however alike the rest is."""
    for number in ("INV-1014", "INV-1041", "INV-1401"):
        memory.remember(
            f"{number}.md", f"# Invoices {number[-2:]}\n\nThe invoice {number} is paid.\n"
        )
    assert "INV-1041" in memory.search_pages("is the invoice INV-1041 paid?")[0].text


def test_any_script(memory: Memory) -> None:
    """Words of scripts without spaces are found."""
    memory.remember("chen.md", "# 陈太太\n\n她的冷气上周漏水了。\n\n她喜欢早上。\n")
    assert memory.search_pages("冷气漏水")[0].text == "她的冷气上周漏水了。"


def test_tags_narrow(memory: Memory) -> None:
    """Only pages that have one of the tags."""
    memory.remember("a.md", "---\ntags: [work]\n---\n# A\n\nThe roof leaks.\n")
    memory.remember("b.md", "---\ntags: home\n---\n# B\n\nThe roof leaks.\n")
    found = memory.search_pages("which roof leaks?", tags=["#Work"])
    assert {p.path for p in found} == {"a.md"}
    assert memory.search_pages("which roof leaks?", tags=["none"]) == ()


def test_an_edit_shows_at_once_and_in_other_handles(memory: Memory) -> None:
    """The copy in memory follows edits, deletions and other connections."""
    memory.remember("a.md", "# A\n\nThe roof leaks.\n")
    with Memory.open(
        memory._store.db.path, org=memory.org, embedder=memory._engine.embedder
    ) as two:
        assert two.search_pages("what about the roof?")
        memory.remember("a.md", "# A\n\nThe roof is dry.\n")
        assert [p.text for p in two.search_pages("roof")] == ["The roof is dry."]
        memory.forget(path="a.md")
        assert two.search_pages("roof") == ()


def test_nothing_known_is_nothing_found(memory: Memory) -> None:
    """No word and no near vector: no passage."""
    memory.remember("a.md", "# A\n\nThe roof leaks.\n")
    assert memory.search_pages("zanzibar") == ()
    assert memory.search_pages("  ") == ()


def test_an_alias_leads_to_the_page(memory: Memory) -> None:
    """What a passage calls by another name is found by that name's page."""
    memory.remember("tan.md", "---\naliases: [Auntie Rosie]\n---\n# Mrs Tan\n\nHer unit drips.\n")
    memory.remember("visit.md", "# Visit of May\n\nThe crew met Auntie Rosie at the gate.\n")
    found = memory.search_pages(
        "What is wrong at the person whom the crew met in the visit of May?"
    )
    assert "tan.md" in [p.path for p in found]


def test_mentions_are_cut_to_the_audience(memory: Memory) -> None:
    """A public page that names a customer leads the public nowhere."""
    memory.remember("customers/tan.md", "# Rosalind Tan\n\nPays late, owes 400.\n")
    memory.remember("news.md", "# News\n\nRosalind Tan opened our new shop.\n")
    question = "What of the person who opened the new shop?"
    assert "customers/tan.md" in [p.path for p in memory.search_pages(question)]
    assert {p.path for p in memory.as_audience("public").search_pages(question)} == {"news.md"}


def test_mentions_are_in_the_picture(memory: Memory) -> None:
    """A line that names what another page is about, where no fact joins the two, each pair once."""
    memory.remember("customers/tan.md", "# Rosalind Tan\n\n- Lives in: Bedok\n")
    memory.remember("crew.md", "# Crew Two\n\n- Drives: van\n\nThey met Rosalind Tan twice.\n")
    graph = memory.graph(mentions=True)
    named = [d for _, _, d in graph.edges(data=True) if d["relation"] == "mentions"]
    assert [(d["path"], d["line"]) for d in named] == [("crew.md", 5)]
    assert "mentions" not in {d["relation"] for _, _, d in memory.graph().edges(data=True)}
    hidden = memory.as_audience("public").graph(mentions=True)
    assert "mentions" not in {d["relation"] for _, _, d in hidden.edges(data=True)}
    memory.remember("crew.md", "# Crew Two\n\n- Drives: van\n\nThey met nobody.\n")
    assert memory.picture().mentions == ()


def test_an_old_price_comes_after_the_new_one(memory: Memory) -> None:
    """A line whose fact was superseded falls; for those who see only it, it stays first."""
    for day, price, where in (("2025-01-01", 180, "services"), ("2026-01-01", 160, "private")):
        page = f"---\ndate: {day}\n---\n# Wash\n\n- Quoted price: {price}\n"
        memory.remember(f"{where}/{price}.md", page)
    question = "how much is a wash?"
    assert memory.search_pages(question)[0].text == "- Quoted price: 160"
    public = memory.as_audience("public")
    assert public.search_pages(question)[0].text == "- Quoted price: 180"

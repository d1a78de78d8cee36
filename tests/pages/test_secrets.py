"""What looks like a secret is named with its line, and can be taken out before it is stored."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloudnee import Memory, NewPage
from cloudnee.pages.secrets import redacted, secrets_in
from tests.engine.conftest import WordEmbedder

KEY = "sk-" + "proj-" + "a1B2" * 10
SECRETS = {
    "API key": f"the key is {KEY}.",
    "API key of AWS": "AKIA" + "IOSFODNN7EXAMPLE",
    "token": "gh" + "p_" + "a1" * 18,
    "private key": "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
    "password": "- Password: hunter2!",
    "card number": "card 4111 1111 1111 1111 of Mrs Tan",
}


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_is_named_and_hidden(kind: str) -> None:
    """With the line it begins on; lines after it stay where they are."""
    text = f"# Page\n\n{SECRETS[kind]}\n\nlast\n"
    (found,) = secrets_in(text)
    assert (found.kind, found.line) == (kind.removesuffix(" of AWS"), 3)
    hidden = redacted(text)
    assert secrets_in(hidden) == []
    assert hidden.count("\n") == text.count("\n")
    assert "last" in hidden
    assert "taken out]" in hidden


@pytest.mark.parametrize(
    "text",
    ["+65 9123 4567", "INV-1041", "Password: see the safe", "the secret: patience", "2026-06-01",
     "call 1800 123 4567 at 10:30", "sk-", "16 digits 1234 5678 9012 3456", "api key: none",
     "https://example.com/a-b_c?d=e", "0000 0000 0000 0000", "passwords are in the safe"],
)  # fmt: skip
def test_what_is_no_secret_is_left(text: str) -> None:
    """Phones, numbers, dates and talk of passwords."""
    assert secrets_in(text) == []
    assert redacted(text) == text


@given(st.text(max_size=400))
def test_any_text_is_read(text: str) -> None:
    """What was hidden once needs no hiding again."""
    assert secrets_in(redacted(text)) == [] or len(secrets_in(text)) == 20


def test_long_lines_take_no_time() -> None:
    """Nothing in them is tried again and again."""
    for text in (
        "1" * 200_000,
        "sk-" * 60_000,
        "password: " * 20_000,
        "-----BEGIN " * 20_000,
        "eyJ" * 60_000,
    ):
        secrets_in(text)


@pytest.fixture
def memory(tmp_path: object) -> object:
    with Memory.open(f"{tmp_path}/d.db", org="x", embedder=WordEmbedder()) as memory:
        yield memory


def test_a_page_with_a_secret_is_warned_of(memory: Memory) -> None:
    """The report names the line and the way out, not the secret."""
    report = memory.remember("a.md", f"# A\n\n- Town: Bedok\n\nkey {KEY}\n")
    (warning,) = [w for w in report.warnings if "API key" in w]
    assert warning.startswith("line 5: ")
    assert KEY not in warning
    assert KEY in memory.read_page("a.md")
    (again,) = memory.remember_many([NewPage("b.md", f"# B\n\n{KEY}\n")])
    assert "API key" in again.warnings[0]


def test_redact_takes_it_out_before_anything_is_stored(memory: Memory) -> None:
    """Of pages and notes; no byte of it is in the file."""
    memory.remember("a.md", f"# A\n\n- Town: Bedok\n\nkey {KEY}\n", redact=True)
    memory.note(f"her key is {KEY}", subject="Mrs Tan", redact=True)
    assert KEY not in memory.read_page("a.md")
    assert memory.read_current("A").edges[0].target_name == "Bedok"
    path = memory._store.db.path
    memory.close()
    from pathlib import Path

    assert all(KEY.encode() not in f.read_bytes() for f in Path(path).parent.iterdir())

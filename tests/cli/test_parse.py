"""The command line as words: verbs, options anywhere, odd input, mistakes with a way out."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cloudnee.doors.cli_parse import UsageError, asked
from cloudnee.doors.cli_spec import GLOBALS, VERBS

ANY_TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=60)


def refused(*words: str) -> str:
    """What is said about a command line that cannot be understood."""
    with pytest.raises(UsageError) as error:
        asked(words)
    return str(error.value)


@pytest.mark.parametrize(
    "words",
    [
        ("--db", "a.db", "--org", "coolair", "--json", "current", "Mrs Tan"),
        ("current", "Mrs Tan", "--db", "a.db", "--org", "coolair", "--json"),
        ("--db=a.db", "current", "--json", "Mrs Tan", "--org=coolair"),
        ("--json", "current", "--db", "a.db", "--org", "coolair", "--", "Mrs Tan"),
    ],
)
def test_global_options_stand_before_or_after_the_verb(words: tuple[str, ...]) -> None:
    """The same question, however its options are placed."""
    verb, args = asked(words)
    assert verb is not None
    assert verb.name == "current"
    assert (args.db, args.org, args.json, args.who) == ("a.db", "coolair", True, "Mrs Tan")


def test_files_and_options_may_be_mixed() -> None:
    """Options between two files do not cut the list of files."""
    args = asked(["remember", "a.md", "--alias", "9=Tan", "b.md", "--as-of=2026-01-01"]).args
    assert (args.files, args.alias, args.as_of) == (["a.md", "b.md"], ["9=Tan"], "2026-01-01")


@given(ANY_TEXT)
def test_any_text_after_two_dashes_is_what_is_asked(text: str) -> None:
    """No text is taken for an option or cut: not empty, not dashes, not quotes, not emoji."""
    assert asked(["current", "--", text]).args.who == text
    assert asked(["--json", "recall", "--top-k", "3", "--", text]).args.query == text


@given(ANY_TEXT)
def test_an_option_takes_the_next_word_as_it_is(text: str) -> None:
    """A value may look like an option."""
    assert asked(["note", "hello", "--subject", text]).args.subject == text
    assert asked(["note", "hello", f"--subject={text}"]).args.subject == text


@given(st.lists(ANY_TEXT, max_size=6))
def test_every_command_line_is_understood_or_refused(words: list[str]) -> None:
    """Whatever is typed, the answer is a verb or a `UsageError`, never another error."""
    with suppress(UsageError):
        assert asked(words)


@pytest.mark.parametrize("word", ["-5 degrees in the room", "-5", "-", "", "🦊", "a" * 10_000])
def test_text_that_looks_odd_needs_no_dashes_before_it(word: str) -> None:
    """A sentence that begins with a dash, a negative number, nothing, an emoji, a long text."""
    assert asked(["recall", word]).args.query == word


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "which verb?"),
        (("curent", "x"), "no verb 'curent': did you mean current?"),
        (("91234567",), "no verb '91234567'"),
        (("current",), "current: the following arguments are required: WHO"),
        (("current", "a", "b"), "current: one word too many: 'b': put text in quotes"),
        (("current", "-x"), "current: no option '-x'; text that begins with a dash goes after"),
        (("recall", "q", "--topk", "3"), "recall: no option '--topk': did you mean --top-k?"),
        (("recall", "q", "--top-k"), "recall: --top-k needs a value"),
        (("recall", "q", "--top-k", "many"), "argument --top-k: 'many' is not a whole number"),
        (("recall", "q", "--scoring", "best"), "argument --scoring: invalid choice: 'best'"),
        (("recall", "q", "--json=yes"), "--json"),
        (("improve", "x"), "improve: the following arguments are required: --rating"),
        (("improve", "x", "--rating", "2.5"), "argument --rating: '2.5' is not a whole number"),
        (("--top-k", "3", "recall", "q"), "options of a verb go after the verb"),
        (("current", "\udcff"), "not UTF-8 text"),
    ],
)
def test_a_mistake_is_named_with_what_would_be_right(words: tuple[str, ...], told: str) -> None:
    """The word that is wrong, the verb it belongs to, and the nearest right one."""
    assert told in refused(*words)


def test_a_long_unknown_verb_is_cut_in_the_message() -> None:
    """The message stays readable for 10 000 characters."""
    assert len(refused("x" * 10_000)) < 100


@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_each_verb_has_help_and_an_example_of_itself(verb: object) -> None:
    """Every verb says what it is for and shows a command line that it understands."""
    import shlex

    name = verb.name  # type: ignore[attr-defined]
    for example in verb.examples:  # type: ignore[attr-defined]
        words = shlex.split(example.partition(" < ")[0])
        assert words[:2] == ["cloudnee", name]
        found, args = asked(words[1:])
        assert found is verb
        assert not args.help
    assert asked([name, "--help"]).args.help
    assert asked(["-h", name]).args.help


def test_no_option_of_a_verb_hides_a_global_one() -> None:
    """An option means one thing everywhere."""
    flags = {flag for argument in GLOBALS for flag in argument.flags}
    for verb in VERBS:
        assert not flags & {flag for argument in verb.arguments for flag in argument.flags}

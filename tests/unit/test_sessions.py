"""How the window was left is written as a whole, and a damaged file is a fresh start."""

from pathlib import Path

import pytest

from reviewer.services.sessions import MOST_RECENT, Session, load_session, save_session


def test_a_session_comes_back_as_it_was_written(tmp_path: Path) -> None:
    session = Session(
        geometry=b"\x00\xff",
        paths=("/runs/设备",),
        store="/store",
        recent=("/a", "/b"),
        place={"run": 1, "source": {"source_id": "s", "version_id": "v"}},
        language="zh_CN",
        theme="dark",
        text_size=150,
    )
    save_session(tmp_path / "new" / "window.json", session)
    assert load_session(tmp_path / "new" / "window.json") == session
    assert [each.name for each in (tmp_path / "new").iterdir()] == ["window.json"]


@pytest.mark.parametrize("held", [b"", b"[]", b'{"paths": 1}', b"\xff\xfe", b" " * 1_000_001])
def test_what_cannot_be_used_is_a_fresh_start(tmp_path: Path, held: bytes) -> None:
    (tmp_path / "window.json").write_bytes(held)
    assert load_session(tmp_path / "window.json") == Session()
    assert load_session(tmp_path / "none.json") == Session()


def test_paths_that_are_no_text_are_left_out_and_not_guessed(tmp_path: Path) -> None:
    session = Session(paths=("/a\udcff", "/b"), recent=("/a\udcff",), store="/s\udcff")
    save_session(tmp_path / "window.json", session)
    assert load_session(tmp_path / "window.json") == Session(paths=("/b",))


def test_the_latest_path_comes_first_and_only_once() -> None:
    session = Session()
    for number in range(20):
        session = session.with_recent(f"/run/{number}")
    session = session.with_recent("/run/15")
    assert session.recent[:2] == ("/run/15", "/run/19")
    assert len(session.recent) == len(set(session.recent)) == MOST_RECENT

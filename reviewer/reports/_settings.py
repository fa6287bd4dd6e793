"""The settings that were in force, in words and as plain values."""

from __future__ import annotations

from collections.abc import Iterator

from store.records.findings import Audit, Setting

__all__ = ["setting_lines", "setting_record", "value_words"]


def setting_lines(audit: Audit) -> Iterator[str]:
    """Yield a sentence for each setting in force: what is set, where, and what it did."""
    for setting in audit.settings:
        place = setting.origin if setting.line is None else f"{setting.origin}:{setting.line}"
        done = "; ".join(_done(setting))
        yield f"{setting.key} = {value_words(setting.value)} ({place}){f': {done}' if done else ''}"


def _done(setting: Setting) -> Iterator[str]:
    if setting.reason:
        yield f"“{setting.reason}”"
    if setting.off:
        yield f"{_findings(setting.off)} left out"
    if setting.moved:
        yield f"the severity of {_findings(setting.moved)} changed"
    if setting.is_evidence:
        yield "asked for by the run itself, which may only make the audit stricter"
    if setting.refused:
        yield (
            f"not followed for {_findings(setting.refused)} that it would hide or lower; "
            "--config with this file follows it"
        )


def _findings(count: int) -> str:
    return f"{count} finding{'' if count == 1 else 's'}"


def value_words(value: object) -> str:
    """Return a value as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return f"[{', '.join(map(value_words, value))}]"
    if isinstance(value, str):
        quoted = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{quoted}"'
    return str(value)


def setting_record(setting: Setting) -> dict[str, object]:
    """Return the record of one setting."""
    value = setting.value
    return {
        "key": setting.key,
        "value": list(value) if isinstance(value, tuple) else value,
        "origin": setting.origin,
        "line": setting.line,
        "reason": setting.reason or None,
        "is_evidence": setting.is_evidence,
        "off": setting.off,
        "moved": setting.moved,
        "refused": setting.refused,
    }

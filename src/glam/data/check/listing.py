"""Findings as lines to print: all kinds are seen, and a fault that occurs in every file does not bury the others."""

from collections import Counter
from collections.abc import Sequence

from glam.data.check.finding import Finding


def lines(findings: Sequence[Finding], most: int = 10) -> tuple[str, ...]:
    """One line for each finding, at most `most` of each kind, how many were left out, and the sum."""
    shown: Counter[str] = Counter()
    listed = []
    for finding in findings:
        shown[finding.code] += 1
        if shown[finding.code] <= most:
            listed.append(finding.text)
    listed += [f"and {count - most} more [{code}]" for code, count in shown.items() if count > most]
    return (*listed, _sum(findings))


def has_errors(findings: Sequence[Finding]) -> bool:
    """Whether anything makes the set unfit for use."""
    return any(finding.severity == "error" for finding in findings)


def _sum(findings: Sequence[Finding]) -> str:
    count = Counter(finding.severity for finding in findings)
    words = [f"{count[severity]} {severity}{'' if count[severity] == 1 else 's'}" for severity in ("error", "warning")]
    return " and ".join(words) if findings else "nothing found: the dataset is healthy"

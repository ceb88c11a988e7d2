"""The accounts of branches: each spends of a share of what was left at its fork."""

from __future__ import annotations

from collections.abc import Sequence

from weft.runtime.active import ActiveRun, account_of
from weft.runtime.budget import NO_LIMITS, Budget, Limits, shares, within
from weft.runtime.frontier import Track


def open_accounts(run: ActiveRun, track: Track, *, above: Budget) -> None:
    """Give every branch of a track an account of its share."""
    for branch in track.branches:
        inside = None if branch.child is None else branch.child.frontier
        branch.account = Budget(
            branch.share,
            run.record.clock,
            parent=above,
            spent=branch.spent,
            elapsed_s=0.0 if inside is None else inside.elapsed_s,
        )
        open_accounts(run, branch, above=branch.account)


def close_accounts(track: Track) -> None:
    """Write into the tracks what their branches have spent."""
    if track.account is not None:
        track.spent = track.account.spent
    for branch in track.branches:
        close_accounts(branch)
        child = branch.child
        if child is not None and child.frontier is not None and branch.account is not None:
            child.frontier.spent = branch.account.spent
            child.frontier.elapsed_s = branch.account.elapsed_s
            close_accounts(child.frontier.track)


def divide(
    run: ActiveRun, track: Track, *, weights: Sequence[int], own: Limits = NO_LIMITS
) -> None:
    """Give each branch its share of what is left, within limits of its own."""
    above = account_of(run, track)
    for branch, share in zip(track.branches, shares(above.remaining(), weights), strict=True):
        branch.share = within(share, own)
    open_accounts(run, track, above=above)

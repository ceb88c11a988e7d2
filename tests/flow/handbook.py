"""A plain handbook: sixteen Markdown files with labelled lines, front matter and five tables."""

from __future__ import annotations

_TEAMS = {
    "portal": ("Portal", "Mira Okafor", "Product Engineering", "#portal"),
    "rails": ("Rails", "Jonas Weidt", "Product Engineering", "#rails"),
    "billing": ("Billing", "Seo Min-a", "Commercial", "#billing"),
    "warehouse": ("Warehouse", "Tomas Alm", "Operations", "#warehouse"),
}
_PEOPLE = {
    "mira-okafor": ("Mira Okafor", "Engineering manager", "Ines Barreto", "Lisbon"),
    "jonas-weidt": ("Jonas Weidt", "Engineering manager", "Ines Barreto", "Berlin"),
    "tomas-alm": ("Tomas Alm", "Head of operations", "Ruth Calder", "Gothenburg"),
}
_POLICIES = {
    "travel": ("Travel policy", "Ruth Calder", "2025-03-01"),
    "security": ("Security policy", "Ines Barreto", "2024-11-15"),
    "leave": ("Leave policy", "Ruth Calder", "2025-01-01"),
}


def _team(name: str, lead: str, parent: str, channel: str) -> str:
    return (
        f"# {name}\n\n**Lead:** {lead} · **Part of:** {parent} · **Slack:** {channel}\n\n"
        f"The {name} team answers within a working day.\n"
    )


def _person(name: str, role: str, manager: str, office: str) -> str:
    return (
        f"# {name}\n\n- Role: {role}\n- Reports to: {manager}\n- Office: {office}\n\n"
        f"Ask {name.split()[0]} before you ask anybody else.\n"
    )


def _policy(title: str, owner: str, since: str) -> str:
    return (
        f"---\ntitle: {title}\nowner: {owner}\neffective date: {since}\n---\n\n# {title}\n\n"
        "Read it once a year.\n"
    )


HANDBOOK = {
    **{f"teams/{key}.md": _team(*parts) for key, parts in _TEAMS.items()},
    **{f"people/{key}.md": _person(*parts) for key, parts in _PEOPLE.items()},
    **{f"policies/{key}.md": _policy(*parts) for key, parts in _POLICIES.items()},
    "services.md": """# Services

| Service | Owner | Lead | Tier |
|---|---|---|---|
| quay-gateway | Portal | Mira Okafor | 1 |
| ledger | Billing | Seo Min-a | 1 |
| pathfinder | Rails | Jonas Weidt | 2 |
| shelf-map | Warehouse | Tomas Alm | 3 |

Tiers are explained elsewhere.
""",
    "systems.md": """# Systems

| System | Part of | Contact |
|:--|:-:|--:|
| **Invoice run** | [ledger](services.md) | `#billing` |
| Route cache | pathfinder | #rails |
| Pick lists | shelf-map | #warehouse |
""",
    "offices.md": """# Offices

| Office | City | Head | Desks |
|---|---|---|---|
| North house | Gothenburg | Tomas Alm | 40 |
| River house | Lisbon | Mira Okafor | 25 |
| Yard | Berlin | Jonas Weidt | 18 |
""",
    "vendors.md": """# Vendors

| Vendor | What for | Contract owner | Renewal |
|---|---|---|---|
| Castline | phone calls | Ruth Calder | 2026-05-31 |
| Nordkraft | electricity | Tomas Alm | 2027-01-31 |
| Papirus | paper | Ruth Calder | – |
""",
    "meetings.md": """# Meetings

| Meeting | Chair | Day |
|---|---|---|
| Product review | Ines Barreto | Tuesday |
| Incident review | Jonas Weidt | Thursday |
""",
    "welcome.md": "# Welcome\n\nThe handbook is short. Ask when it does not help.\n",
}

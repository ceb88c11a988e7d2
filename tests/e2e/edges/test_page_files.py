"""Files that are not taken in: each is left out and named, and the others come in all the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from e2e.service_process import Service
from weft.domain.errors import BadInput
from weft.ingest.sources.inbox import Inbox

if TYPE_CHECKING:
    from playwright.sync_api import Route

    from e2e.page_driver import Visit

Begin = Callable[..., "Visit"]
SIFT = """async (paths) => {
    const { sifted } = await import("/page/shelf/names.js");
    const { taken, left } = sifted(paths.map((path) => ({ path })));
    return { taken: taken.map(({ path }) => path), left: left.map(({ path }) => path) };
}"""
NAMES = (
    "plain.md",
    "a folder/한글 파일 이름.md",
    "quote'\".md",
    "a..b.md",
    "..",
    "up/../down.md",
    "esc\x1b[31m.txt",
    "line\nend.md",
    "back\\slash.md",
    "gone\x7f.md",
    f"{'a' * 117}.md",
    f"{'a' * 118}.md",
    f"{'한' * 39}.md",
    f"{'한' * 40}.md",
    "/".join("abcdefghijklmnop"),
    "/".join("abcdefghijklmnopq"),
    "code/node_modules/index.js",
    "code/__pycache__/code.txt",
    "_records/one.json",
    "notes/_records/one.json",
    "notes/weft.columns.yaml",
)


def test_names_are_left_out_that_the_service_refuses(
    visit: Begin, link: str, tmp_path: Path
) -> None:
    def is_refused(name: str) -> bool:
        try:
            Inbox(path=tmp_path).place(name)
        except BadInput:
            return True
        return False

    seen = visit()
    seen.open(link)
    found = seen.page.evaluate(SIFT, [*NAMES, "plain.md"])
    assert found["left"] == [*filter(is_refused, NAMES), "plain.md"]
    assert found["taken"] == [name for name in NAMES if not is_refused(name)]


def test_one_file_keeps_no_other_out(visit: Begin, service: Service, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    service.settings = {"WEFT_MAX_FILE_MB": "1"}
    link = service.start()
    names = [f"note {n}.md" for n in range(5)] + ["esc\x1b[31m.md", f"{'긴 이름 ' * 14}.md"]
    for name in names:
        (tmp_path / name).write_text(f"# Note\n\nThe note {names.index(name)} is about herons.\n")
    (tmp_path / "film.txt").write_bytes(b"\0" * (1024 * 1024 + 1))
    seen = visit(viewport={"width": 360, "height": 740})
    seen.open(link)
    page = seen.page
    page.set_input_files("#files", tmp_path / "esc\x1b[31m.md")
    page.fill("#adding-title-of-base", "Herons")
    page.click("#adding-go")
    expect(page.locator("#adding-fault")).to_contain_text("its name has letters that are not taken")
    page.keyboard.press("Escape")
    page.set_input_files("#files", sorted(tmp_path.iterdir()))
    page.fill("#adding-title-of-base", "Herons")
    page.click("#adding-go")
    card = page.locator(".tray-item.done")
    expect(card).to_contain_text("5 files read, 5 passages")
    expect(card.locator("summary")).to_have_text("3 files left out")
    lines = card.locator(".left-out li")
    expect(lines.filter(has_text="film.txt")).to_contain_text("too large")
    expect(lines.filter(has_text="esc")).to_contain_text("letters that are not taken")
    expect(lines.filter(has_text="긴 이름")).to_contain_text("its path is too long")
    assert page.evaluate("document.querySelector('.scroll').scrollWidth <= innerWidth")
    assert seen.violations() == []
    assert all("413" in fault for fault in seen.faults)
    seen.faults.clear()


def test_a_page_with_files_that_are_not_sent_asks_before_it_is_left(
    visit: Begin, stocked: Service, link: str, tmp_path: Path
) -> None:
    from playwright.sync_api import expect

    stocked.call("/v1/kb", {"name": "Slow", "title": "Slow ones"})
    (tmp_path / "note.md").write_text("# Note\n\nThe note is about egrets.\n")
    seen = visit()
    seen.open(link)
    page = seen.page
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/v1/kb/Slow/documents", hold)
    page.set_input_files("#files", tmp_path / "note.md")
    page.select_option("#adding-base", "Slow")
    page.click("#adding-go")
    expect(page.locator(".tray-item")).to_contain_text("Sending 0 of 1 file")
    is_asked = "dispatchEvent(new Event('beforeunload', { cancelable: true })) === false"
    assert page.evaluate(is_asked)
    while not held:
        page.wait_for_timeout(50)
    held[0].continue_()
    expect(page.locator(".tray-item.done")).to_contain_text("1 file read")
    assert not page.evaluate(is_asked)

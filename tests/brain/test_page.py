"""What a person does on the graph page."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    StaleElementReferenceException,
)
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from tests.http.conftest import Client

TAN = """\
---
name: Mrs Tan
phone: "+65 9123 4567"
date: 2026-05-04
---
# Mrs Tan

- Lives in: Tampines
- Prefers: afternoons
"""
WASH = "---\ndate: 2026-03-01\n---\n# Chemical wash\n\n- Quoted price: 160\n"


PASSING = [
    ElementClickInterceptedException,
    ElementNotInteractableException,
    StaleElementReferenceException,
]


def node(entity: str) -> str:
    """Where a thing is drawn."""
    return f'.node[data-entity="{entity}"] .dot'


class Page:
    """The page, as a reader meets it."""

    def __init__(self, browser: Any, address: str) -> None:
        self.browser = browser
        browser.get_log("browser")
        browser.get("about:blank")
        browser.get_log("performance")
        self.address = address
        browser.get(f"{address}/brain")

    def one(self, css: str) -> Any:
        """The first thing that matches, once it is there and shown."""
        return self.until(
            lambda: next((e for e in self.all(css) if e.is_displayed()), None), f"no {css}"
        )

    def all(self, css: str) -> list[Any]:
        return list(self.browser.find_elements(By.CSS_SELECTOR, css))

    def until(self, true: Callable[[], Any], why: str = "it did not happen") -> Any:
        wait = WebDriverWait(self.browser, 15, 0.05, ignored_exceptions=PASSING)
        return wait.until(lambda _: true(), why)

    def shows(self, text: str, css: str = "#panel") -> None:
        self.until(lambda: text in self.one(css).text, f"{css} does not show {text!r}")

    def click(self, css: str) -> None:
        """Click it once it is there, in sight and keeps still."""

        def clicked() -> bool:
            self.one(css).click()
            return True

        self.until(clicked, f"{css} cannot be clicked")

    def search(self, query: str) -> None:
        """Type it and press Enter; the field may be drawn anew meanwhile."""

        def typed() -> bool:
            field = self.one("#query")
            field.clear()
            field.send_keys(query + Keys.ENTER)
            return True

        self.until(typed, "nothing can be searched for")

    def press(self, *keys: str) -> None:
        ActionChains(self.browser).send_keys(*keys).perform()

    def errors(self) -> list[str]:
        """What the browser complained of, refused scripts and styles included."""
        return [line["message"] for line in self.browser.get_log("browser")]


Open = Callable[..., Page]


@pytest.fixture
def told(site: Callable[..., Client]) -> Client:
    """A server that knows a customer and a price."""
    client = site()
    client.post("/v1/remember", path="customers/tan.md", markdown=TAN)
    client.post("/v1/remember", path="wash.md", markdown=WASH)
    return client


@pytest.fixture
def page(browser: Any, told: Client) -> Iterator[Page]:
    """The page of that server; at the end nothing may have gone wrong in the browser."""
    page = Page(browser, told.address)
    page.one(".node")
    yield page
    assert page.errors() == []


def test_it_opens_with_the_graph(page: Page) -> None:
    """Every thing is drawn and named, and the counts say how much there is."""
    page.shows("5 things, 3 facts", "#counts")
    names = {element.text for element in page.all(".node")}
    assert {"Mrs Tan", "Tampines", "Chemical wash", "160", "afternoons"} <= names
    assert page.one("#org").text == "coolair"
    assert page.one("#audience").text == "owner"


def test_a_click_shows_what_is_current_with_its_source(page: Page) -> None:
    """Facts, where each stands, history; and the page beside, at the line that says so."""
    page.click(node("mrstan"))
    page.shows("Mrs Tan", "#who")
    page.shows("+65 9123 4567")
    page.shows("lives in Tampines")
    page.shows("customers/tan.md, line 8")
    assert len(page.all(".time li")) == 2
    page.click(".where-from")
    marked = page.one("#page .says-so")
    assert marked.text in ("- Lives in: Tampines", "- Prefers: afternoons")
    page.press(Keys.ESCAPE)
    page.until(lambda: not page.all("#page .says-so"))


@pytest.mark.parametrize("query", ["Mrs Tan", "9123-4567", "mrs tan"])
def test_search_by_name_or_phone_opens_the_person(page: Page, query: str) -> None:
    """One person is meant: the facts are there at once."""
    page.search(query)
    page.shows("Mrs Tan", "#who")
    assert "chosen" in page.one('.node[data-entity="mrstan"]').get_attribute("class")


def test_search_by_question_lists_what_was_found(page: Page) -> None:
    """Facts and passages, each with its source; a click goes there."""
    page.search("what is the price of a chemical wash")
    page.shows("Chemical wash quoted price 160")
    page.click("#past")
    page.until(lambda: not page.all("#graph.chosen-one"), "the graph drawn anew is dimmed")
    page.shows("Chemical wash quoted price 160")
    page.click(".hit button.plain")
    page.shows("Chemical wash", "#who")


def test_history_is_a_time_line_and_past_edges_are_dashed(page: Page, told: Client) -> None:
    """What was is struck out with the reason; the graph draws it dashed on demand."""
    newer = WASH.replace("2026", "2027").replace("160", "180")
    told.post("/v1/remember", path="new.md", markdown=newer)
    assert not page.all(".line.past")
    page.click("#past")
    page.one(".line.past")
    page.shows("1 that were", "#counts")
    page.click(node("chemicalwash"))
    page.shows("superseded")
    assert "160" in page.one(".time li.ended").text
    assert "180" in page.one(".time li:not(.ended)").text


def test_a_fact_is_rated_once_a_tab(page: Page, told: Client) -> None:
    """The stars say what was given; a second rating replaces the first."""
    page.click(node("chemicalwash"))
    stars = page.one(".stars").find_elements(By.CSS_SELECTOR, "button")
    stars[1].click()
    page.shows("Rated 2 of 5", "#status")
    stars[4].click()
    page.shows("Rated 5 of 5", "#status")
    page.until(lambda: len(page.all(".stars button.on")) == 5)


def test_a_fact_is_forgotten_after_a_confirmation(page: Page, told: Client) -> None:
    """Keeping it changes nothing; forgetting takes it from the graph and the memory."""
    page.click(node("chemicalwash"))
    page.click(".fact .forget")
    page.shows("Chemical wash quoted price 160", "#forget-what")
    page.click("#forget-dialog .cancel")
    assert len(told.get("/v1/current?who=Chemical%20wash").body["edges"]) == 1
    page.click(".fact .forget")
    page.click("#forget-dialog .danger")
    page.shows("Nothing is current.")
    page.until(lambda: not page.all('.node[data-entity="160"]'))
    assert told.get("/v1/history?who=Chemical%20wash").body["edges"] == []


def test_a_thing_is_forgotten_after_a_confirmation(page: Page, told: Client) -> None:
    """With all its facts."""
    page.click(node("mrstan"))
    page.click(".forget-entity")
    page.click("#forget-dialog .danger")
    page.until(lambda: not page.all('.node[data-entity="mrstan"]'))
    assert told.get("/v1/current?who=Mrs%20Tan").body["edges"] == []


def test_a_note_is_added(page: Page, told: Client) -> None:
    """About whom is open; its fact is there, and drawn, when the dialog closes."""
    page.click(node("mrstan"))
    page.shows("Mrs Tan", "#who")
    page.click("#add-note")
    assert page.one("#note-subject").get_attribute("value") == "Mrs Tan"
    page.one("#note-text").send_keys("Refuses: mornings")
    page.click("#note-dialog .main")
    page.shows("refuses mornings")
    page.one('.node[data-entity="mornings"]')
    edges = told.get("/v1/current?who=Mrs%20Tan").body["edges"]
    assert "mornings" in [edge["targetName"] for edge in edges]


def test_the_keyboard_is_enough(page: Page) -> None:
    """Search, leave, move along the graph, open, zoom, close: without a pointer."""
    page.press("/")
    page.until(lambda: page.browser.switch_to.active_element.get_attribute("id") == "query")
    page.press("Mrs Tan", Keys.ENTER)
    page.shows("Mrs Tan", "#who")
    page.press(Keys.ESCAPE)
    page.browser.execute_script("document.querySelector('.node[tabindex=\"0\"]').focus()")
    first = page.browser.switch_to.active_element.get_attribute("data-entity")
    for key in (Keys.ARROW_LEFT, Keys.ARROW_RIGHT, Keys.ARROW_UP, Keys.ARROW_DOWN):
        page.press(key)
    reached = page.browser.switch_to.active_element
    assert "node" in reached.get_attribute("class")
    assert reached.get_attribute("role") == "button"
    assert "facts" in reached.get_attribute("aria-label")
    page.press(Keys.ENTER)
    page.shows(reached.find_element(By.TAG_NAME, "title").get_attribute("textContent"), "#who")
    before = page.one("#view").get_attribute("transform")
    page.press("+")
    assert page.one("#view").get_attribute("transform") != before
    page.press("n")
    page.one("#note-dialog")
    page.press(Keys.ESCAPE)
    page.until(lambda: not page.all("dialog[open]"))
    assert first


def test_dark_and_light(page: Page) -> None:
    """The button turns one into the other and back."""

    def ground() -> str:
        return str(page.one("body").value_of_css_property("background-color"))

    colours = [ground()]
    for _ in range(2):
        page.click("#theme")
        colours.append(ground())
    assert colours[0] == colours[2] != colours[1]


NAMES = [
    "<img src=x onerror=document.title='bad'>",
    "<script>document.title='bad'</script>",
    "__proto__",
    "constructor",
    "'; DROP TABLE edges; --",
    '"><svg onload=document.title=1>',
    "javascript:alert(1)",
    "&lt;b&gt;",
]


def test_names_are_text(browser: Any, site: Callable[..., Client]) -> None:
    """Markup in names, relations, pages and paths is shown as it is written, and does nothing."""
    client = site()
    for at, name in enumerate(NAMES):
        text = (
            f"---\nname: {json.dumps(name)}\n---\n\n- Sells: filter {at}\n- Covers: <b>{at}</b>\n"
        )
        told = client.post("/v1/remember", path=f"<i>{at}<i>.md", markdown=text)
        assert name in {edge["sourceName"] for edge in told.body["edges"]}, told.body
    page = Page(browser, client.address)
    page.one(".node")
    for entity in client.get("/v1/graph").body["entities"]:
        page.search(entity["displayName"])
        page.until(lambda e=entity: e["displayName"] in page.one("#panel h1").text)  # type: ignore[misc]
    page.click(".where-from")
    page.one("#page .says-so")
    assert page.browser.title == "cloudnee"
    assert not page.all("#panel img, #page img, #panel script, #panel svg, #page b, #graph img")
    assert page.errors() == []


def test_the_key_is_asked_for_once_and_kept_in_the_tab(
    browser: Any, site: Callable[..., Client], new_key: Callable[..., str]
) -> None:
    """A wrong one is told; the right one opens what its audience sees; nothing stores it."""
    client, owner = site(), new_key("owner")
    told = Client(client.address, owner)
    told.post("/v1/remember", path="customers/tan.md", markdown=TAN)
    told.post("/v1/remember", path="wash.md", markdown=WASH)
    page = Page(browser, client.address)
    page.one("#key").send_keys("cn_wrong" + Keys.ENTER)
    page.shows("no such key", "#key-wrong")
    page.one("#key").clear()
    page.one("#key").send_keys(new_key("public", read_only=True) + Keys.ENTER)
    page.shows("2 things, 1 facts", "#counts")
    assert not page.one("#add-note").is_displayed() if page.all("#add-note:not([hidden])") else True
    page.click(node("chemicalwash"))
    page.shows("Chemical wash", "#who")
    assert not page.all(".stars, .forget, .forget-entity")
    assert page.browser.get_cookies() == []
    kept = "return [localStorage.length, sessionStorage.length, location.href]"
    assert page.browser.execute_script(kept) == [0, 0, f"{client.address}/brain/"]
    page.browser.refresh()
    page.one("#key")


def test_nothing_is_asked_of_anybody_else(page: Page) -> None:
    """Every request of a visit goes to the server itself."""
    page.search("Mrs Tan")
    page.shows("Mrs Tan", "#who")
    asked = [
        message["params"]["request"]["url"]
        for line in page.browser.get_log("performance")
        if (message := json.loads(line["message"])["message"])["method"]
        == "Network.requestWillBeSent"
    ]
    assert len(asked) >= 6
    assert [url for url in asked if not url.startswith((page.address, "about:", "data:"))] == []


def test_five_thousand_things(browser: Any, site: Callable[..., Client], tmp_path: Any) -> None:
    """A neighbourhood first, quickly; more on demand; what is not drawn is found and drawn."""
    from cloudnee import Memory, NewPage
    from tests.engine.conftest import WordEmbedder

    client = site()
    with Memory.open(
        tmp_path / "desk.db", org="coolair", embedder=WordEmbedder(), region="SG"
    ) as memory:
        parts = [f"- Covers: [[Part {n} of {k}]]\n" for k in range(50) for n in range(100)]
        memory.remember_many(
            NewPage(f"s{k}.md", f"# Service {k}\n\n{''.join(parts[k * 100 : k * 100 + 100])}")
            for k in range(50)
        )
    page = Page(browser, client.address)
    page.shows("of 5050 things", "#counts")
    drawn = len(page.all(".node"))
    assert 50 <= drawn <= 150
    page.click("#more")
    page.until(lambda: len(page.all(".node")) > drawn)
    assert len(page.all(".node")) <= 450
    page.search("Part 99 of 49")
    page.shows("Part 99 of 49", "#who")
    page.one('.node.chosen[data-entity="part99of49"]')
    page.browser.execute_script("document.querySelector('.node.chosen').focus()")
    before = len(page.all(".node"))
    page.search("Service 49")
    page.shows("Service 49", "#who")
    page.browser.execute_script("document.querySelector('.node.chosen').focus()")
    page.press("e")
    page.until(lambda: len(page.all(".node")) > before)
    assert page.errors() == []


def test_headers_hold_the_page_in(told: Client) -> None:
    """Only its own scripts and styles; nowhere to send to but its server; in nobody's frame."""
    policy = told.get("/brain/").headers["content-security-policy"]
    assert "unsafe" not in policy
    for rule in ("default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-anc"):
        assert rule in policy
    body = told.get("/brain/").body
    assert "http://" not in body
    assert "https://" not in body
    assert "style=" not in body
    for name in ("../http.py", "..%2fhttp.py", "nope.js"):
        assert told.get(f"/brain/{name}").status == 404

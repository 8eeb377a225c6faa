"""The edit view: change a field, see what it touches, save, undo."""

import json
from collections.abc import Callable
from urllib.parse import quote

from playwright.sync_api import Page, expect

from tests.console.browser.conftest import ConsolePage, HeldRequests
from tests.console.sample_console import open_system
from tests.console.shop import CustomerById, open_shop

Start = Callable[..., ConsolePage]
ADA = {"PK": {"S": "CUSTOMER#c1"}, "SK": {"S": "PROFILE"}}
FIRST = {"PK": {"S": "CUSTOMER#c1"}, "SK": {"S": "ORDER#o1"}}


def edit(console: ConsolePage, key: dict[str, dict[str, str]]) -> Page:
    return console.open(f"edit?table=shop&key={quote(json.dumps(key))}")


def test_a_change_is_previewed_saved_and_undone(console_page: Start) -> None:
    opened = open_shop()
    console = console_page(opened)
    page = edit(console, FIRST)
    save = page.get_by_role("button", name="Save")
    expect(save).to_be_disabled()
    page.get_by_label("status").fill("paid")
    effects = page.locator(".editor-effects")
    expect(effects).to_contain_text("Row moved in GSI1: STATUS#open / o1 → STATUS#paid / o1")
    expect(effects).to_contain_text("Row removed in GSI2")
    expect(effects.locator(".effect")).to_have_count(2)
    save.click()
    expect(page.locator(".toast")).to_contain_text("Saved: 2 items written")
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(page.locator(".toast", has_text="Undone")).to_be_visible()
    item = opened.db.connection.call("GetItem", {"TableName": "shop", "Key": FIRST})["Item"]
    assert item["status"] == {"S": "open"}


def test_by_keyboard_alone(console_page: Start) -> None:
    opened = open_shop()
    page = edit(console_page(opened), ADA)
    page.get_by_label("name", exact=True).focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("Augusta")
    expect(page.locator(".effect")).to_have_count(1)
    page.get_by_role("button", name="Save").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".toast")).to_contain_text("Saved")
    customer = opened.db.run(CustomerById(customer_id="c1"))
    assert customer is not None
    assert (customer.name, customer.token) == ("Augusta", "s3cret")


def test_what_is_typed_while_a_change_is_saved_stays(console_page: Start) -> None:
    page = edit(console_page(open_shop()), ADA)
    requests = HeldRequests(page, "**/edit/commit")
    page.get_by_label("name", exact=True).fill("Augusta")
    page.get_by_role("button", name="Save").click()
    page.get_by_label("note").fill("typed meanwhile")
    requests.release()
    expect(page.locator(".toast")).to_contain_text("Saved")
    expect(page.get_by_label("note")).to_have_value("typed meanwhile")


def test_wrong_input_has_a_message_at_its_field(console_page: Start) -> None:
    page = edit(console_page(open_shop()), ADA)
    page.get_by_label("level").fill("many")
    expect(page.locator(".field.wrong .message")).to_contain_text("valid integer")


def test_a_new_form_has_no_messages_until_a_field_is_filled_in(console_page: Start) -> None:
    page = console_page(open_shop()).open("edit?create=Order")
    expect(page.locator(".editor-effects")).to_contain_text("Fill in the form to see what saving touches.")
    expect(page.locator(".field.wrong")).to_have_count(0)
    page.get_by_label("order_id", exact=True).fill("o9")
    expect(page.locator(".field.wrong .message").first).to_have_text("is required")


def test_an_item_that_changed_is_read_again_and_the_edit_is_kept(console_page: Start) -> None:
    opened = open_shop()
    page = edit(console_page(opened), ADA)
    page.get_by_label("note").wait_for()
    customer = opened.db.run(CustomerById(customer_id="c1"))
    assert customer is not None
    opened.db.update(customer, set={"level": 7})
    page.get_by_label("name", exact=True).fill("Augusta")
    expect(page.locator(".problem")).to_contain_text("has changed since it was read")
    page.get_by_role("button", name="Read the item again").click()
    expect(page.get_by_label("level")).to_have_value("7")
    expect(page.get_by_label("name", exact=True)).to_have_value("Augusta")


def test_several_changes_are_saved_together(console_page: Start) -> None:
    opened = open_shop()
    console = console_page(opened)
    page = edit(console, ADA)
    page.get_by_label("name", exact=True).fill("Augusta")
    page.get_by_label("New").select_option("Order")
    page.get_by_label("order_id").wait_for()
    for name, value in {"customer_id": "c1", "order_id": "o9", "status": "open", "total": "5"}.items():
        page.get_by_label(name, exact=True).fill(value)
    page.get_by_role("button", name="Save 2 changes in one transaction").click()
    expect(page.locator(".toast")).to_contain_text("Saved: 3 items written")


def test_a_read_only_console_does_not_save(console_page: Start) -> None:
    page = edit(console_page(open_shop(writable=False)), ADA)
    page.get_by_label("name", exact=True).fill("Augusta")
    expect(page.locator(".effect")).to_have_count(1)
    expect(page.get_by_role("button", name="Save")).to_be_disabled()
    expect(page.get_by_text("Read-only: start the console with")).to_be_visible()


def test_a_change_can_be_undone_after_its_toast(console_page: Start) -> None:
    opened = open_shop()
    page = edit(console_page(opened), ADA)
    page.get_by_label("name", exact=True).fill("Augusta")
    page.get_by_role("button", name="Save").click()
    page.locator(".toast").get_by_role("button", name="Dismiss").click()
    page.get_by_role("link", name="Items").first.click()
    page.get_by_role("link", name="Edits").click()
    saved = page.get_by_role("list", name="Saved changes")
    expect(saved).to_contain_text("CUSTOMER#c1")
    saved.get_by_role("button", name="Undo").click()
    expect(saved).to_contain_text("undone")
    expect(saved.get_by_role("button", name="Undo")).to_have_count(0)
    customer = opened.db.run(CustomerById(customer_id="c1"))
    assert customer is not None
    assert customer.name == "Ada"


def test_staged_changes_belong_to_their_design(console_page: Start) -> None:
    console = console_page(open_shop(), open_system("boards", samples=0))
    page = edit(console, ADA)
    page.get_by_label("name", exact=True).fill("Augusta")
    page.get_by_label("Design").select_option("boards")
    expect(page.locator(".empty")).to_contain_text("No change is staged")
    page.get_by_label("Design").select_option("shop")
    expect(page.get_by_label("name", exact=True)).to_have_value("Augusta")


def test_the_preview_goes_on_when_the_server_is_back(console_page: Start) -> None:
    opened = open_shop()
    console = console_page(opened)
    page = edit(console, ADA)
    page.get_by_label("note").wait_for()
    console.server.stop()
    page.get_by_label("name", exact=True).fill("Augusta")
    effects = page.locator(".editor-effects")
    expect(effects.locator(".problem")).to_contain_text("does not reply")
    console.server.start()
    expect(effects.locator(".effect")).to_have_count(1)
    expect(page.get_by_label("name", exact=True)).to_have_value("Augusta")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".toast")).to_contain_text("Saved: 1 item written")


def test_a_wrong_link_says_what_is_wrong(console_page: Start) -> None:
    console = console_page(open_shop())
    page = console.open("edit?table=shop&key=%7Bnot-json")
    expect(page.locator(".problem")).to_contain_text("not JSON")
    console.open("edit?create=Ordre")
    expect(page.locator(".problem")).to_contain_text("The design has no entity Ordre")
    console.open(f"edit?table=shop&key={quote(json.dumps(ADA | {'SK': {'S': 'NONE'}}))}")
    expect(page.locator(".problem")).to_contain_text("NONE")


def test_a_hostile_item_is_edited_as_text(console_page: Start) -> None:
    opened = open_shop()
    key = {"PK": {"S": "<script>document.title='owned'</script>"}, "SK": {"S": "\u202egpj.exe"}}
    content = {"<img src=x onerror=alert(1)>": {"S": "<b>bold</b>"}, "huge": {"N": "9" * 38}}
    opened.db.connection.call("PutItem", {"TableName": "shop", "Item": key | content})
    page = edit(console_page(opened), key)
    item = page.get_by_label("Item", exact=True)
    text = item.input_value()
    assert json.loads(text) == key | content
    assert "\u202e" not in text + page.locator("main").inner_text()
    item.fill(text.replace("bold", "bolder"))
    expect(page.locator(".effect")).to_contain_text("<b>bolder</b>")
    item.press_sequentially(" ")
    assert item.input_value().endswith("} ")  # the text stays as it was typed
    expect(page.locator("main img, main script, main b b")).to_have_count(0)
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".toast")).to_contain_text("Saved: 1 item written")
    stored = opened.db.connection.call("GetItem", {"TableName": "shop", "Key": key})["Item"]
    assert stored["<img src=x onerror=alert(1)>"] == {"S": "<b>bolder</b>"}


def test_a_long_text_is_typed_without_losing_the_focus(console_page: Start) -> None:
    page = edit(console_page(open_shop()), ADA)
    note = page.get_by_label("note")
    note.focus()
    page.keyboard.type("x" * 120)
    expect(note).to_have_value("x" * 120)

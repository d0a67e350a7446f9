"""The page of people while a worker has yet to count the study for the first time."""

from playwright.sync_api import expect

from annotations.stored_answers import question
from tests import making


def test_figures_come_to_the_page_of_people_and_what_is_typed_stays(
    open_page, alice, study, monkeypatch
):
    for image in study.images.all()[:2]:
        making.labels(study, {image.key: {"ann": 1, "ben": 0}})
    monkeypatch.setattr(question, "AT_ONCE", 0)
    page = open_page(alice, "/studies/shapes/people/")
    row = page.get_by_role("row", name="ann")
    expect(row.get_by_role("cell").nth(1)).to_have_text("–")
    page.get_by_label("Note").first.fill("The lab next door")
    making.compute_waiting_answers()
    expect(row.get_by_role("cell").nth(1)).to_have_text("2")
    expect(page.get_by_text("not counted yet")).to_have_count(0)
    expect(page.get_by_label("Note").first).to_have_value("The lab next door")
    # The table that came is in use like the one before.
    page.locator(f"#aside-{study.memberships.get(name='ann').pk}").click()
    expect(row.get_by_role("cell").nth(1)).to_contain_text("2 excluded")

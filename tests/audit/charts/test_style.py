from audit.charts.style import FILE_WIDTH, signed_spec


def test_a_signed_chart_keeps_what_belongs_to_the_whole_and_moves_the_rest_into_its_first_part():
    spec = {"$schema": "vega", "config": {"a": 1}, "mark": "bar", "width": "container"}
    made = signed_spec(spec, ["a line"])
    assert (made["$schema"], made["config"]["a"]) == ("vega", 1)
    assert "mark" not in made
    assert made["vconcat"][0] == {"mark": "bar", "width": FILE_WIDTH}

"""What a study brings in, the judges that run over it, and what they saw."""

from django.urls import path

from judges.pages import (
    bring,
    cards,
    dates,
    imports,
    model_servers,
    parts,
    recipes,
    runs,
    weight_checks,
)

# Before the pages of studies: "new" is no study.
pages = [
    path("studies/new/", bring.new, name="study-new"),
    path("studies/new/files/", bring.new_files, name="study-new-files"),
    path("studies/new/samples/<slug:name>.csv", bring.sample, name="sample-table"),
    path("deliveries/<int:batch_id>/<int:number>/", bring.piece, name="delivery-piece"),
]

study_pages = [
    path("imports/", imports.imports, name="imports"),
    path("imports/files/", bring.files, name="import-files"),
    path("imports/<int:upload_id>/again/", imports.try_again, name="import-again"),
    path("runs/", runs.runs, name="runs"),
    path("runs/dates/", dates.judge_dates, name="judge-dates"),
    path("runs/start/", runs.start, name="run-start"),
    path("runs/judges/", runs.judges, name="run-judges"),
    path("runs/servers/", model_servers.model_servers, name="model-servers"),
    path("runs/servers/<int:server_id>/try/", model_servers.try_again, name="model-server-try"),
    path("runs/servers/<int:server_id>/remove/", model_servers.remove, name="model-server-remove"),
    path("prompts/parts/", parts.prompt_parts, name="prompt-parts"),
    path("prompts/parts/draft/", parts.draft, name="prompt-parts-draft"),
    path("prompts/parts/forget/", parts.throw_away, name="prompt-parts-forget"),
    path("prompts/parts/freeze/", parts.freeze_draft, name="prompt-parts-freeze"),
    path("prompts/parts/<int:row_id>/", parts.save, name="prompt-parts-save"),
    path("runs/recipes/", recipes.recipes, name="recipes"),
    path("runs/recipes/<str:judge>.toml", recipes.recipe_file, name="recipe-file"),
    path("runs/recipes/<str:judge>/remove/", recipes.remove, name="recipe-remove"),
    path("runs/start/<str:judge>/", runs.options, name="run-options"),
    path("runs/<int:run_id>/card/", cards.card, name="run-card"),
    path("runs/<int:run_id>/card/measure/", cards.measure, name="run-card-measure"),
    path("runs/<int:run_id>/card/stop/", cards.stop, name="run-card-stop"),
    path("runs/weights/", weight_checks.ask, name="weight-check-ask"),
    path("runs/weights/<int:check_id>/", weight_checks.check, name="weight-check"),
    path("runs/weights/<int:check_id>.json", weight_checks.check_file, name="weight-check-file"),
    path("looks/<slug:public_id>/", runs.look, name="look"),
    path("runs/<int:run_id>/cancel/", runs.cancel, name="run-cancel"),
    path("runs/<int:run_id>/resume/", runs.resume, name="run-resume"),
    path("runs/<int:run_id>/failures/", runs.failures, name="run-failures"),
]

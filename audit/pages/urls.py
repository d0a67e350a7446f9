from django.urls import path

from audit.pages import (
    calibration,
    disagreements,
    drift,
    files,
    papers,
    people,
    reports,
    side_by_side,
    slices,
)

study_pages = [
    path("drift/", drift.drift, name="drift"),
    path("drift/make/", reports.make, name="report-make"),
    path("drift/chart.<slug:kind>", files.chart, {"name": "drift"}, name="drift-chart"),
    path("drift.csv", files.drift_csv, name="drift-csv"),
    path("charts/<slug:name>.<slug:kind>", files.chart, name="chart"),
    path("tables/<slug:name>.csv", files.table, name="table"),
    path("judges/", side_by_side.side_by_side, name="side-by-side"),
    path("slices/", slices.slices, name="slices"),
    path("gallery/", disagreements.gallery, name="gallery"),
    path("gallery/<slug:public_id>/", disagreements.evidence, name="evidence"),
    path("thumbnails/<slug:public_id>/", disagreements.thumbnail, name="thumbnail"),
    path("calibration/", calibration.calibration, name="calibration"),
    path("agreement/", people.people, name="agreement"),
    path("agreement/people.csv", people.table, name="people-table"),
    path("agreement/<slug:name>.<slug:kind>", people.chart, name="people-chart"),
    path("papers/", papers.papers_page, name="papers"),
    path("reports/", reports.listing, name="reports"),
    path("reports/changes/", reports.compared, name="report-changes"),
    path("reports/<int:report_id>/report.<slug:kind>", reports.as_file, name="report-file"),
]

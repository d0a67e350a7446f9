"""The SQL by which a person's next image is found; see `annotations.labelling.image_order`.

`{part}` stands where people get a part of the images only, by their group or a draw: PART_INSIDE or
PART_OUTSIDE with the key of a selection, both, or nothing.
"""

PART_INSIDE = """
    AND EXISTS (SELECT 1 FROM annotations_selectedimage AS part
                WHERE part.selection_id = {selection} AND part.image_id = image.id)"""
PART_OUTSIDE = PART_INSIDE.replace("AND EXISTS", "AND NOT EXISTS")

SAVE = "UPDATE annotations_membership SET walk = %s WHERE id = %s"
# Repeats the condition of the index word by word, so that both databases use it. Whether the person
# had the image is one look-up by key: with NOT EXISTS, PostgreSQL may read all they ever had.
OPEN_IMAGE = """
    SELECT place, id, public_id FROM annotations_image AS image
    WHERE generator_id = %s AND taken = {taken} AND (place, id) > (%s, %s) {bound}
      AND NOT (file = '') AND gold IS NULL
      AND (SELECT had.id FROM annotations_assignment AS had
           WHERE had.image_id = image.id AND had.annotator_id = %s) IS NULL {part}
    ORDER BY place, id LIMIT 1"""
SKIPPED = """
    SELECT had.id, image.id, image.public_id
    FROM annotations_assignment AS had
    JOIN annotations_image AS image ON image.id = had.image_id
    WHERE had.annotator_id = %s AND had.state = 'skipped'
      AND (image.taken < %s {part} OR image.gold IS NOT NULL)
    ORDER BY CASE WHEN had.id > %s THEN 0 ELSE 1 END, had.id LIMIT 1"""
NOT_HAD = """
    (SELECT had.id FROM annotations_assignment AS had
     WHERE had.image_id = image.id AND had.annotator_id = %s) IS NULL"""
# Who practised with an image has read what is right about it.
NOT_PRACTISED = """NOT EXISTS (
    SELECT 1 FROM annotations_practiceanswer AS practised
    JOIN annotations_practicetry AS attempt ON attempt.id = practised.attempt_id
    WHERE practised.image_id = image.id AND attempt.annotator_id = %s)"""
KNOWN = f"""
    NOT (image.file = '') AND image.gold IS NOT NULL AND {NOT_HAD} AND {NOT_PRACTISED}"""
FRESH_KNOWN = f"""
    FROM annotations_image AS image WHERE image.study_id = %s AND {KNOWN}
      AND NOT EXISTS (SELECT 1 FROM annotations_handedback AS back
                      WHERE back.image_id = image.id AND back.annotator_id = %s)"""  # noqa: S608
NEXT_KNOWN = (
    f"SELECT image.id, image.public_id {FRESH_KNOWN} ORDER BY image.place, image.id LIMIT 1"
)
# Of the known images: those this person never had, those that went back, and all that they hold.
KNOWN_LEFT = f"""
    SELECT (SELECT COUNT(*) {FRESH_KNOWN}),
           (SELECT COUNT(*) FROM annotations_handedback AS back
            JOIN annotations_image AS image ON image.id = back.image_id
            WHERE back.annotator_id = %s AND {KNOWN}),
           (SELECT COUNT(*) FROM annotations_assignment AS held
            WHERE held.annotator_id = %s AND held.state IN ('leased', 'reserved'))"""  # noqa: S608
# May come again: it has a free place, or is a known image and such images are mixed in.
FREE_AGAIN = f"""
    NOT (image.file = '') AND {NOT_HAD}
    AND CASE WHEN image.gold IS NULL THEN image.taken < %s {{part}} ELSE %s > 0 AND {NOT_PRACTISED} END"""
GIVEN_BACK = f"""
    SELECT image.public_id, image.generator_id, image.gold IS NULL
    FROM annotations_image AS image WHERE image.id = %s AND {FREE_AGAIN}"""  # noqa: S608
RAN_OUT = f"""
    SELECT image.id, image.public_id FROM annotations_handedback AS back
    JOIN annotations_image AS image ON image.id = back.image_id
    WHERE back.annotator_id = %s AND {FREE_AGAIN} ORDER BY back.id LIMIT 1"""  # noqa: S608
FIRST_OF_ALL = """
    SELECT chosen.place, image.id, image.public_id
    FROM annotations_selectedimage AS chosen
    JOIN annotations_image AS image ON image.id = chosen.image_id
    WHERE chosen.selection_id = %s AND chosen.place >= %s AND image.taken < %s
      AND NOT (image.file = '') AND image.gold IS NULL
      AND (SELECT had.id FROM annotations_assignment AS had
           WHERE had.image_id = image.id AND had.annotator_id = %s) IS NULL {part}
    ORDER BY chosen.place LIMIT 1"""
# What a person who gets a part of the images answered, holds, and may still get, counted up to a number. The join
# begins with the selection, which is smaller than the study.
INSIDE = """annotations_selectedimage AS part CROSS JOIN annotations_image AS image
    WHERE part.selection_id = {selection} AND image.id = part.image_id AND image.study_id = %s"""
OUTSIDE = f"annotations_image AS image WHERE image.study_id = %s {PART_OUTSIDE}"
IN_PART = f"""
    SELECT (SELECT COUNT(*) FROM annotations_assignment AS done
            WHERE done.annotator_id = %s AND done.state = 'answered'),
           (SELECT COUNT(*) FROM annotations_assignment AS held
            WHERE held.annotator_id = %s AND held.state IN ('leased', 'reserved')),
           (SELECT COUNT(*) FROM (
                SELECT 1 FROM {{images}} AND image.taken < %s AND NOT (image.file = '')
                AND image.gold IS NULL AND {NOT_HAD} LIMIT %s) AS open)"""  # noqa: S608

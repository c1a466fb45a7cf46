"""Exports of other programs go into a study by a function as on the command line; the examples of the how-to are read."""

import json
import re

import pandas
import pytest

import mindgap
from program import ROOT, VANS, command_line, run

HOWTO = (ROOT / "docs/howto/run-a-study-with-a-team.md").read_text()
MAPPINGS = re.findall(r'```\n(format = "mindgap-columns/1".*?)```', HOWTO, re.S)
UNITS = pandas.DataFrame({"unit": ["v1", "v2", "v3"], "state": ["zone-0-0", "zone-1-0", "zone-0-1"]})

ODK_FORM = """SubmissionDate,round-van,round-day,meta-instanceID,KEY,SubmitterID,SubmitterName,AttachmentsPresent,\
AttachmentsExpected,Status,ReviewState,DeviceID,Edits,FormVersion
2026-03-01T16:02:11.101Z,v1,1,uuid:a1,uuid:a1,5,Ada,0,0,,approved,collect:x,0,3
2026-03-01T16:05:40.822Z,v2,1,uuid:b2,uuid:b2,6,Bo,0,0,,,collect:y,0,3
2026-03-01T17:00:00.000Z,v3,1,uuid:c3,uuid:c3,6,Bo,0,0,,rejected,collect:y,0,3
"""
ODK_REPEAT = """tests-positive,tests-sold_out,went_to,PARENT_KEY,KEY
4,no,market,uuid:a1,uuid:a1/visit[1]
2,yes,,uuid:b2,uuid:b2/visit[1]
9,no,market,uuid:c3,uuid:c3/visit[1]
"""
KOBO = """"start";"visit/van";"visit/day";"visit/outcome";"visit/earned";"_id";"_uuid";"_validation_status";"_index"
"2026-03-01T09:00";"v1";"1";"done";"3.5";"11";"u1";"validation_status_approved";"1"
"2026-03-01T09:00";"v2";"1";"nobody_there";"";"12";"u2";"validation_status_approved";"2"
"2026-03-01T09:00";"v3";"1";"done";"8";"13";"u3";"validation_status_not_approved";"3"
"""
REDCAP = """record_id,redcap_repeat_instrument,redcap_repeat_instance,van,enrol_complete,found,full___1,visit_complete
1,,,v1,2,,,
1,visit,1,,,4,0,2
2,,,v2,2,,,
2,visit,1,,,6,1,2
3,,,v3,2,,,
3,visit,1,,,-99,0,0
"""
EXPECTED = {
    "odk": [("v1", 4.0, False, False), ("v2", 2.0, True, False)],
    "kobo": [("v1", 3.5, False, False), ("v2", None, False, True)],
    "redcap": [("v1", 4.0, False, False), ("v2", 6.0, True, False)],
}


# Three units have no control, and what the forms say need not be possible in the model: neither matters here.
pytestmark = [pytest.mark.filterwarnings(f"ignore:.*{text}") for text in ("there are no controls", "impossible after")]


@pytest.fixture
def study(tmp_path):
    made = mindgap.Study.init(tmp_path / "s", model=VANS, units=UNITS, horizon=4)
    made.assign()
    return made


@pytest.mark.parametrize("tool, mapping, rows, parent", [
    ("odk", 0, ODK_REPEAT, ODK_FORM), ("kobo", 1, KOBO, None), ("redcap", 2, REDCAP, None)],
    ids=["odk", "kobo", "redcap"])  # fmt: skip
def test_the_mappings_of_the_how_to_read_their_exports(study, tmp_path, tool, mapping, rows, parent):
    columns, export, above = tmp_path / "columns.toml", tmp_path / "export.csv", tmp_path / "parent.csv"
    columns.write_text(MAPPINGS[mapping])
    export.write_text(rows)
    if parent:
        above.write_text(parent)
    options = dict(parent=above) if parent else {}
    words = ["study", "import", study.folder, export, "--columns", columns, *(["--parent", above] if parent else [])]
    dry = study.import_results(export, columns, dry_run=True, **options)
    assert dry.to_dict() == command_line(*words, "--dry-run")
    assert dry.dry_run and dry.left_out >= 1 and dry.recorded == 2
    assert study.status().results == 0
    frame = dry.to_frame()
    found = [(one.unit, None if pandas.isna(one.reward) else one.reward, one.censored, getattr(one, "void"))
             for one in frame.itertuples()]  # fmt: skip
    assert found == EXPECTED[tool]
    done = study.import_results(export, columns, **options)
    assert not done.dry_run and done.recorded == 2 and study.status().results == 2
    again = json.loads(run(*words, "--format", "json").stdout)
    assert again["recorded"] == 0 and again["already"] == 2
    assert study.verify()


def test_a_table_is_named_by_its_rows(study, tmp_path):
    columns = tmp_path / "columns.toml"
    columns.write_text('format = "mindgap-columns/1"\n[columns]\nunit = "van"\nstep = "day"\nreward = "found"\n')
    table = pandas.DataFrame({"van": ["v1", "v9"], "day": [0, 0], "found": [1.5, 2]})
    with pytest.raises(mindgap.InvalidModel, match=r"results, row 1: column 'van': the unit is not in the study"):
        study.import_results(table, columns)
    assert study.status().results == 0
    assert study.import_results(table[:1], columns).recorded == 1
    with pytest.raises(mindgap.InvalidArgument, match=r"name that file \(parent\)"):
        columns.write_text(MAPPINGS[0])
        study.import_results(table, columns)

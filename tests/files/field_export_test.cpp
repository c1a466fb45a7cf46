#include "mindgap/files/field_export.h"

#include <gtest/gtest.h>

#include "mindgap/base/error.h"

namespace mindgap::files {
namespace field_export_test {

TextFile text(const std::string& name, const std::string& content) {
  auto owner = std::make_shared<const std::string>(content);
  return {name, *owner, owner};
}
ExportColumns mapping(const std::string& content) {
  return parse_export_columns(text("columns.toml", "format = \"mindgap-columns/1\"\n" + content));
}
ExportedResults read(const std::string& rows, const std::string& columns, const std::string& parent = "") {
  std::optional<TextFile> above;
  if (!parent.empty()) above = text("parent.csv", parent);
  return parse_export(text("export.csv", rows), mapping(columns), above);
}
// unit step reward censored next_state status, with a line in front.
std::string words(const ExportedResults& found) {
  std::string all;
  for (const ExportedResult& row : found.rows) {
    all += std::to_string(row.line);
    for (const ResultField field : {ResultField::unit, ResultField::step, ResultField::reward,
                                    ResultField::censored, ResultField::next_state, ResultField::status})
      all += "|" + row[field];
    all += "\n";
  }
  return all;
}
template <typename Deed>
std::string said(Deed deed) {
  try {
    deed();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

const std::string kPlain = "[columns]\nunit = \"van\"\nstep = \"day\"\nreward = \"found\"\n";

TEST(FieldExport, ASpreadsheet) {
  EXPECT_EQ(words(read("van,day,found,note\nv1,0,2,\"a,\nb\"\nv2, 3 ,-1.5,\n", kPlain)),
            "2|v1|0|2|||\n4|v2|3|-1.5|||\n");
}

// Central's zip: the form's table and one of its repeat, whose rows name their submission.
const std::string kOdkForm =
    "SubmissionDate,round-van,round-day,meta-instanceID,KEY,SubmitterID,SubmitterName,AttachmentsPresent,"
    "AttachmentsExpected,Status,ReviewState,DeviceID,Edits,FormVersion\n"
    "2026-03-01T16:02:11.101Z,v1,1,uuid:a1,uuid:a1,5,Ada,0,0,,approved,collect:x,0,3\n"
    "2026-03-01T16:05:40.822Z,v2,1,uuid:b2,uuid:b2,6,Bo,0,0,,,collect:y,0,3\n"
    "2026-03-01T17:00:00.000Z,v3,1,uuid:c3,uuid:c3,6,Bo,0,0,,rejected,collect:y,0,3\n";
const std::string kOdkRepeat =
    "tests-positive,tests-sold_out,went_to,PARENT_KEY,KEY\n"
    "4,no,market,uuid:a1,uuid:a1/visit[1]\n"
    "2,yes,,uuid:b2,uuid:b2/visit[1]\n"
    "9,no,market,uuid:c3,uuid:c3/visit[1]\n";
const std::string kOdkColumns = R"(
[columns]
unit = { parent = "round-van" }
step = { parent = "round-day", minus = 1 }
reward = "tests-positive"
censored = { column = "tests-sold_out", values = { yes = "at_least", no = "" } }
next_state = { column = "went_to", values = { market = "zone-1-1" } }
[parent]
key = "KEY"
named_by = "PARENT_KEY"
[parent.except]
ReviewState = ["rejected"]
)";

TEST(FieldExport, OdkCentralWithARepeat) {
  const ExportedResults found = read(kOdkRepeat, kOdkColumns, kOdkForm);
  EXPECT_EQ(words(found), "2|v1|0|4||zone-1-1|\n3|v2|0|2|at_least||\n");
  EXPECT_EQ(found.left_out, 1);
  EXPECT_EQ(said([] { read(kOdkRepeat, kOdkColumns); }),
            "the mapping has a [parent] in another file: name that file (--parent)");
  EXPECT_EQ(said([] { read(kOdkRepeat + "1,no,,uuid:zz,uuid:zz/visit[1]\n", kOdkColumns, kOdkForm); }),
            "export.csv:5: column 'PARENT_KEY': no row of parent.csv has this key (got 'uuid:zz')");
  EXPECT_EQ(said([] { read("van,day,found\n", kPlain, kOdkForm); }),
            "a file with the parents of rows was given, but the mapping has no [parent] that asks for one");
}

// KoboToolbox: semicolons, everything in quotes, group/question, bookkeeping columns with underscores.
TEST(FieldExport, KoboToolbox) {
  const std::string rows =
      "\xef\xbb\xbf\"start\";\"visit/van\";\"visit/day\";\"visit/outcome\";\"visit/"
      "earned\";\"_id\";\"_uuid\";"
      "\"_submission_time\";\"_validation_status\";\"_notes\";\"_status\";\"_submitted_by\";\"__version__\";"
      "\"_tags\";\"_index\"\r\n"
      "\"2026-03-01T09:00\";\"v1\";\"1\";\"done\";\"3,5\";\"11\";\"u1\";\"2026-03-01T09:10:00\";"
      "\"validation_status_approved\";\"\";\"submitted_via_web\";\"ada\";\"vX\";\"\";\"1\"\r\n"
      "\"2026-03-01T09:00\";\"v2\";\"1\";\"nobody_there\";\"\";\"12\";\"u2\";\"2026-03-01T09:11:00\";"
      "\"validation_status_approved\";\"\";\"submitted_via_web\";\"ada\";\"vX\";\"\";\"2\"\r\n"
      "\"2026-03-01T09:00\";\"v3\";\"1\";\"done\";\"8\";\"13\";\"u3\";\"2026-03-01T09:12:00\";"
      "\"validation_status_not_approved\";\"\";\"submitted_via_web\";\"ada\";\"vX\";\"\";\"3\"\r\n";
  const std::string columns = R"(separator = ";"
decimal = ","
[columns]
unit = "visit/van"
step = { column = "visit/day", minus = 1 }
reward = "visit/earned"
status = { column = "visit/outcome", values = { done = "ok", nobody_there = "void" } }
[except]
_validation_status = ["validation_status_not_approved"]
)";
  const ExportedResults found = read(rows, columns);
  EXPECT_EQ(words(found), "2|v1|0|3.5|||ok\n3|v2|0||||void\n");
  EXPECT_EQ(found.left_out, 1);
  EXPECT_EQ(
      said([&] { read(rows + "\"s\";\"v4\";\"1\";\"perhaps\";\"1\";;;;;;;;;;\r\n", columns); }),
      "export.csv:5: column 'visit/outcome': the value is not in columns.status.values, which has done, "
      "nobody_there (got 'perhaps')");
}

// REDCap: a record's own row and its repeated instrument in one table.
TEST(FieldExport, Redcap) {
  const std::string rows =
      "record_id,redcap_repeat_instrument,redcap_repeat_instance,van,enrol_complete,found,full___1,visit_"
      "complete\n"
      "1,,,v1,2,,,\n"
      "1,visit,1,,,4,0,2\n"
      "1,visit,2,,,6,1,2\n"
      "2,,,v2,2,,,\n"
      "2,visit,1,,,-99,0,0\n";
  const std::string columns = R"(missing = ["-99"]
[columns]
unit = { parent = "van" }
step = { column = "redcap_repeat_instance", minus = 1 }
reward = "found"
censored = { column = "full___1", values = { 1 = "at_least", 0 = "" } }
[only]
redcap_repeat_instrument = ["visit"]
visit_complete = ["2"]
[parent]
same_file = true
key = "record_id"
named_by = "record_id"
[parent.only]
redcap_repeat_instrument = [""]
)";
  const ExportedResults found = read(rows, columns);
  EXPECT_EQ(words(found), "3|v1|0|4|||\n4|v1|1|6|at_least||\n");
  EXPECT_EQ(found.left_out, 3);
  EXPECT_EQ(
      said([&] { read(rows + "1,,,v9,2,,,\n", columns); }),
      "export.csv:7: column 'record_id': two rows have this key, so it does not say which one is the parent "
      "(got '1')");
}

// Headers as Central's own tests have them: select-multiples are split with a slash inside a group's hyphen.
TEST(FieldExport, OdkCentralSplitsSelectMultiples) {
  const std::string rows =
      "SubmissionDate,meta-instanceID,q1,q1/a,q1/b,g1-q2,g1-q2/x,g1-q2/y,g1-q2/"
      "z,KEY,SubmitterID,SubmitterName,"
      "AttachmentsPresent,AttachmentsExpected,Status,ReviewState,DeviceID,Edits,FormVersion\n"
      "2026-03-01T16:02:11.101Z,uuid:1,v1,1,0,3,1,0,1,uuid:1,5,Ada,0,0,,,,0,2\n";
  EXPECT_EQ(words(read(rows, R"([columns]
unit = "q1"
step = "g1-q2"
reward = "g1-q2/z"
status = { column = "q1/b", values = { 0 = "ok", 1 = "void" } }
)")),
            "2|v1|3|1|||ok\n");
}

// KoboToolbox with labels: questions are whole sentences, and the tags of the form stand below the header.
TEST(FieldExport, KoboToolboxWithLabelsAndTags) {
  const std::string header =
      "\"start\";\"end\";\"Which van are you in?\";\"Which day is it?\";\"What did you earn?\";\"Anything "
      "else?\";\"Anything "
      "else?\";\"_id\";\"_uuid\";\"_submission_time\";\"_validation_status\";\"_notes\";\"_status\";"
      "\"_submitted_by\";\"_tags\";\"_index\"\r\n";
  const std::string tags =
      "\"\";\"\";\"#van\";\"\";\"#earned\";\"\";\"\";\"\";\"\";\"\";\"\";\"\";\"\";\"\";\"\";\"\"\r\n";
  const std::string row =
      "\"s\";\"e\";\"v1\";\"1\";\"3\";\"two\nlines; and "
      "more\";\"\";\"61\";\"u\";\"2026-03-01T09:41:19\";\"Approved\";\"\";"
      "\"submitted_via_web\";\"\";\"\";\"1\"\r\n";
  const std::string columns = R"(separator = ";"
[columns]
unit = "Which van are you in?"
step = { column = "Which day is it?", minus = 1 }
reward = "What did you earn?"
)";
  EXPECT_EQ(words(read(header + tags + row + row, columns)), "3|v1|0|3|||\n5|v1|0|3|||\n");
  EXPECT_EQ(words(read(header + row, columns)), "2|v1|0|3|||\n");
  EXPECT_EQ(read(header + tags, columns).left_out, 0);
  // Below other rows they are no tags.
  EXPECT_EQ(said([&] { read(header + row + tags, columns); }),
            "export.csv:4: column 'Which day is it?': the step is empty, expected a whole number");
  EXPECT_EQ(
      said([&] { read(header + row, columns + "state = \"Anything else?\"\n"); }),
      "export.csv:1: several columns are called 'Anything else?': export names in the place of labels, and "
      "groups with them");
}

// REDCap with events: a parent is the row of one event, and events are steps. A comma before the decimals.
TEST(FieldExport, RedcapWithEvents) {
  const std::string rows =
      "record_id,redcap_event_name,redcap_repeat_instrument,redcap_repeat_instance,redcap_data_access_group,"
      "van,"
      "enrol_complete,found,visit_complete\n"
      "1,day_1_arm_1,,,north,v1,2,,\n"
      "1,day_1_arm_1,visit,1,north,,,\"4,5\",2\n"
      "1,day_2_arm_1,,,north,,0,,\n"
      "1,day_2_arm_1,visit,1,north,,,6,2\n";
  const std::string columns = R"(decimal = ","
[columns]
unit = { parent = "van" }
step = { column = "redcap_event_name", values = { day_1_arm_1 = "0", day_2_arm_1 = "1" } }
reward = "found"
[only]
redcap_repeat_instrument = ["visit"]
[parent]
same_file = true
key = "record_id"
named_by = "record_id"
[parent.only]
redcap_repeat_instrument = [""]
redcap_event_name = ["day_1_arm_1"]
)";
  EXPECT_EQ(words(read(rows, columns)), "3|v1|0|4.5|||\n5|v1|1|6|||\n");
}

// REDCap with labels: every form ends with "Complete?", and boxes are Checked or Unchecked.
TEST(FieldExport, RedcapWithLabels) {
  const std::string rows =
      "\"Record ID\",\"Event Name\",\"Repeat Instrument\",\"Repeat Instance\",Van,Complete?,\"Tests "
      "found\",\"Sold out "
      "(choice=yes)\",Complete?,\n"
      "v1,Day,Visit,1,v1,Complete,4,Checked,Complete,\n"
      "v1,Day,Visit,2,v1,Complete,6,Unchecked,Complete,\n";
  const std::string columns = R"toml([columns]
unit = "Record ID"
step = { column = "Repeat Instance", minus = 1 }
reward = "Tests found"
censored = { column = "Sold out (choice=yes)", values = { Checked = "at_least", Unchecked = "" } }
[only]
"Repeat Instrument" = ["Visit"]
)toml";
  EXPECT_EQ(words(read(rows, columns)), "2|v1|0|4|at_least||\n3|v1|1|6|||\n");
  EXPECT_EQ(
      said([&] { read(rows, columns + "\"Complete?\" = [\"Complete\"]\n"); }),
      "export.csv:1: several columns are called 'Complete?': export names in the place of labels, and groups "
      "with them");
}

TEST(FieldExport, BoundsHaveColumnsOfTheirOwn) {
  const std::string columns = kPlain + "at_least = \"low\"\nat_most = \"high\"\n";
  EXPECT_EQ(words(read("van,day,found,low,high\nv1,0,,12,\nv2,0,,,-40\nv3,0,7,,\n", columns)),
            "2|v1|0|12|at_least||\n3|v2|0|-40|at_most||\n4|v3|0|7|||\n");
  EXPECT_EQ(
      said([&] { read("van,day,found,low,high\nv1,0,7,12,\n", columns); }),
      "export.csv:2: column 'low': the reward is given twice: known, at least and at most exclude each other "
      "(got '12')");
}

// Separators are changed outside quotes alone, and lines stay where they are.
TEST(FieldExport, OtherSeparatorsKeepLines) {
  EXPECT_EQ(words(read("van\tday\tfound\tnote\nv1\t0\t2\t\"x\ty\n\"\"z\"\"\"\n\"v,2\"\t1\t3\ta,b\n",
                       "separator = \"\\t\"\n" + kPlain)),
            "2|v1|0|2|||\n4|v,2|1|3|||\n");
}

TEST(FieldExport, BadRowsAreNamed) {
  EXPECT_EQ(
      said([] { read("van,day,found\nv1,0,2\nv1,1,two\n", kPlain); }),
      "export.csv:3: column 'found': the reward must be a number with '.' before its decimals (got 'two')");
  EXPECT_EQ(said([] { read("van,day,found\nv1,-1,2\n", kPlain); }),
            "export.csv:2: column 'day': the step must be a whole number from 0 (got '-1')");
  EXPECT_EQ(said([] { read("van,day,found\nv1,,2\n", kPlain); }),
            "export.csv:2: column 'day': the step is empty, expected a whole number");
  EXPECT_EQ(said([] { read("van,day,found\n,1,2\n", kPlain); }),
            "export.csv:2: column 'van': the unit is empty, expected a name");
  EXPECT_EQ(
      said([] { read("van,date,found\nv1,0,2\n", kPlain); }),
      "export.csv:1: there is no column of the export (columns.step) 'day'; there are: van, date, found");
  EXPECT_EQ(said([] { read("van,day,found\nv1,0\n", kPlain); }),
            "export.csv:2: the line has 2 fields, expected 3");
}

TEST(FieldExport, BadMappingsAreNamed) {
  EXPECT_EQ(said([] { mapping("[columns]\nstep = \"day\"\nreward = \"r\"\n"); }),
            "columns.toml: the key 'columns.unit' is missing: which column is the unit?");
  EXPECT_EQ(said([] { mapping("[columns]\nunit = \"u\"\nstep = \"day\"\n"); }),
            "columns.toml: no column is a result: name one of columns.reward, columns.at_least, "
            "columns.at_most and "
            "columns.next_state");
  EXPECT_EQ(said([] { mapping(kPlain + "rewrad = \"x\"\n"); }),
            "columns.toml:6: unknown key 'columns.rewrad'");
  EXPECT_EQ(said([] { mapping("separator = \"|\"\n" + kPlain); }),
            "columns.toml:2: 'separator' must be \",\" or \";\" or \"\\t\" (got '|')");
  EXPECT_EQ(said([] { mapping(kPlain + "state = { column = \"a\", always = \"b\" }\n"); }),
            "columns.toml:6: 'columns.state' needs exactly one of column (of this row), parent (a column of "
            "the row's "
            "parent) and always (the same in every row)");
  EXPECT_EQ(said([] { mapping(kPlain + "state = { parent = \"a\" }\n"); }),
            "columns.toml: a column is one of the row's parent, but the table [parent] is missing: it says "
            "how rows "
            "name their parents");
  EXPECT_EQ(said([] { mapping(kPlain + "[only]\nkind = []\n"); }),
            "columns.toml:7: 'only.kind' lists no value");
  EXPECT_EQ(said([] { parse_export_columns(text("columns.toml", "format = \"x\"\n")); }),
            "columns.toml:1: 'format' must be \"mindgap-columns/1\" (got 'x')");
}

}  // namespace field_export_test
}  // namespace mindgap::files

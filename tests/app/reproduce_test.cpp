#include <gtest/gtest.h>

#include <filesystem>

#include "app/program.h"

namespace mindgap::app {
namespace reproduce_test {

TEST(Reproduce, WritesAPageWithPictures) {
  const TemporaryFolder folder;
  const std::string page = folder / "stateless.html";
  const Finished run = mindgap_run({"reproduce", "stateless", "--trials", "50", "--report", page, "--quiet"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const std::string html = read_text(page);
  EXPECT_TRUE(html.starts_with("<!doctype html>"));
  for (const char* wanted :
       {"<h1>Stateless threshold</h1>", "id=\"figure-stateless-value\"", "3 of 6 claims hold",
        "id=\"figure-stateless-published\"", "--seed 42 --trials 50"})
    EXPECT_NE(html.find(wanted), std::string::npos) << wanted;
  EXPECT_LT(html.size(), 3'000'000u);
  // The same numbers in the terminal with and without a page, and the same page again.
  EXPECT_EQ(run.out, mindgap_run({"reproduce", "stateless", "--trials", "50", "--quiet"}).out);
  mindgap_run({"reproduce", "stateless", "--trials", "50", "--report", page, "--quiet"});
  EXPECT_EQ(read_text(page), html);
  // Nothing else is left behind.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(Reproduce, RefusesAPathBeforeItComputes) {
  const TemporaryFolder folder;
  // With a thousand million trials it would take for ever if it began.
  for (const std::string& path : {folder / "missing/page.html", folder.path().string()}) {
    expect_refused(mindgap_run({"reproduce", "lock", "--trials", "1000000000", "--report", path}),
                   folder.path().string());
  }
  write_text(folder / "file", "");
  expect_refused(mindgap_run({"reproduce", "lock", "--trials", "1000000000", "--out", folder / "file"}),
                 folder / "file");
}

TEST(Reproduce, WritesTablesAndData) {
  const TemporaryFolder folder;
  const Finished run =
      mindgap_run({"reproduce", "stateless", "--trials", "50", "--out", folder / "out", "--quiet"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const std::string tables = read_text(folder / "out/tables.md");
  EXPECT_TRUE(tables.starts_with("## Stateless threshold\n\n"));
  EXPECT_NE(tables.find("| kappa = d0/s0 | published | ours |"), std::string::npos);
  EXPECT_NE(tables.find("### What the text claims"), std::string::npos);
  EXPECT_TRUE(read_text(folder / "out/stateless-best.csv").starts_with("gamma,kappa,units,"));
}

}  // namespace reproduce_test
}  // namespace mindgap::app

#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "mindgap/report/figure.h"
#include "mindgap/report/table.h"

// A page to hand to people who will never open a terminal.
namespace mindgap::report {

/// The first thing on a page: an answer and the numbers that carry it.
struct Answer {
  std::string
      kind;  // one word: "experiment"; colours the box (deploy, learn, experiment, undecided, else plain)
  std::string headline;                                    // a sentence
  std::string reason;                                      // one or two sentences
  std::vector<std::pair<std::string, std::string>> facts;  // label, number with its interval
};

struct Paragraph {
  std::string text;
};

struct Bullets {
  std::vector<std::string> items;
};

using Block = std::variant<Answer, Paragraph, Bullets, Table, Figure>;

struct Section {
  std::string title;  // empty: none
  std::vector<Block> blocks;
};

struct Page {
  std::string title;
  std::string subtitle;  // what was asked, in one line
  std::vector<Section> sections;
  std::string footer;  // program, version, seed, command
};

/// One HTML file that opens offline: pictures, styles and data are inside, there is no script, and nothing is
/// asked from anywhere. All text is escaped. Throws InvalidArgument where two figures have one id, or one is
/// not as check_figure() wants it.
std::string to_html(const Page& page);

}  // namespace mindgap::report

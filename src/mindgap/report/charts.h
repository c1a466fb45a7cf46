#pragma once

#include <string>
#include <vector>

#include "mindgap/report/figure.h"
#include "mindgap/report/table.h"

// Figures from plain tables. Each function checks that the columns it is told of are there (InvalidArgument),
// draws them as SVG for a wide and a narrow page, and never tells things apart by colour alone. Values appear
// in the order in which the table has them. An empty column name means: none.
namespace mindgap::report {

/// What a reader is told about a picture; see Figure.
struct Words {
  std::string id, title;
  std::string caption = {}, description = {};
};

struct Axis {
  std::string column;
  std::string title = {};  // empty: the column's name
  bool log = false;
  bool zero = false;  // the scale begins at 0; ignored where log
};

/// A straight line across a picture: a threshold.
struct Reference {
  double at = 0;
  std::string label = {};
};

/// y over x, one line per series, with bands and open marks for what was published.
struct LinesChart {
  Words words;
  Table table;  // one row per point
  Axis x, y;
  std::string series = {};
  std::string lower = {}, upper = {};   // a band around y; both or neither
  std::string published = {};           // beside y, as open marks
  std::string panel = {};               // a small picture for each of its values
  std::vector<Reference> across = {};   // at values of y
  std::vector<Reference> upright = {};  // at values of x
  int height = 300;
};
Figure lines(const LinesChart& chart);

/// Horizontal bars, grouped by series (before and after) where there is one; the numbers stand beside them.
struct BarsChart {
  Words words;
  Table table;
  std::string category;
  Axis value;
  std::string series = {};
};
Figure bars(const BarsChart& chart);

/// A dot with its interval per row; what it is compared with as an open diamond.
struct IntervalsChart {
  Words words;
  Table table;
  std::string row;
  Axis value;
  std::string lower = {}, upper = {};
  std::string published = {};
  std::string dots = "ours", diamonds = "published";  // what they are, said at the caption's end
  std::string panel = {};
  std::vector<Reference> upright = {};
};
Figure intervals(const IntervalsChart& chart);

/// What lasts from `from` to `to`, by row and kind (each kind has its own thickness too), and events on it.
struct SpansChart {
  Words words;
  Table table;
  std::string row, from, to, kind;
  std::string from_title = {};  // of the axis
  Table events = {};            // columns `row`, `from` and "what"; may be empty
};
Figure spans(const SpansChart& chart);

/// A grid of cells. Numbers shade them from light to dark; categories have a colour and the letters that
/// their name begins with. Verdicts (deploy, learn, experiment, undecided) have the colours of their answers.
struct HeatChart {
  Words words;
  Table table;        // one row per cell
  Axis x, y;          // places in order of appearance, the first left and above; log is ignored
  std::string value;  // numbers, or categories
  std::string value_title = {};
  std::string label = {};  // text in the cells; empty: letters for categories, nothing for numbers
  std::string panel = {};
  bool first_below = false;  // the first y at the bottom, as where y is a number that grows
  /// Cells of any size: x and y are where they begin and these where they end, on scales of numbers.
  std::string x_to = {}, y_to = {};
  bool square = false;   // cells as high as wide, as of a map
  int cell_height = 30;  // else
};
Figure heat(const HeatChart& chart);

/// States where they lie with their names, shaded by a value, and routes over them with arrow heads: numbered
/// where they begin, each in a colour and dash of its own up to kRouteColours of them.
struct MapChart {
  Words words;
  Table states;  // one row per state
  std::string name, x, y, value;
  std::string value_title = {};
  std::string label = {};   // text in the squares
  Table routes = {};        // columns "route", and `x` and `y`, one row per step; may be empty
  bool first_above = true;  // small y at the top, as rows of a grid are counted
};
Figure map(const MapChart& chart);

}  // namespace mindgap::report

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mindgap/report/table.h"

// Pictures: what is drawn, and what it is drawn from.
namespace mindgap::report {

/// The data behind a picture, or one layer of it.
struct Dataset {
  std::string name;  // also the file "visits.csv"
  Table table;
};

/// Elements of SVG and the size they were laid out for.
struct Drawing {
  int width = 0, height = 0;
  std::string body;
};

/// A picture, laid out twice: for paper and screens, and for telephones.
struct Figure {
  std::string id;           // a-z, 0-9 and -; unique on a page
  std::string title;        // what it shows
  std::string caption;      // what there is to see in it, for everybody
  std::string description;  // the same for who cannot see it: the numbers that matter, in words
  Drawing wide, narrow;
  std::vector<Dataset> data;
};

/// The number that a cell is ("12", "-.5", "+3e2", without anything around it), or none. Finite.
std::optional<double> number_in(const std::string& cell);

/// Throws InvalidArgument where the id has other characters than a-z, 0-9 and -, two datasets have one name,
/// a name is no file name, or a row has not as many cells as there are columns.
void check_figure(const Figure& figure);

/// The picture as a file of its own, on white.
std::string to_svg(const Figure& figure);

}  // namespace mindgap::report

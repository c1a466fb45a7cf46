#pragma once

#include <string>
#include <vector>

#include "mindgap/report/table.h"

// Pictures, before anyone draws them.
namespace mindgap::report {

/// The data behind a picture, or one layer of it.
struct Dataset {
  std::string name;  // as the specification says: {"data": {"name": "visits"}}; also the file "visits.csv"
  Table table;       // cells that are numbers become numbers
};

/// A picture as a Vega-Lite specification without its data.
struct Figure {
  std::string id;           // a-z, 0-9 and -; unique on a page
  std::string title;        // what it shows
  std::string caption;      // what there is to see in it, for everybody
  std::string description;  // the same for who cannot see it: the numbers that matter, in words
  std::string spec;         // Vega-Lite as JSON
  std::vector<Dataset> data;
};

}  // namespace mindgap::report

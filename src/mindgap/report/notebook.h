#pragma once

#include <string>
#include <vector>

#include "mindgap/report/page.h"

namespace mindgap::report {

/// A page for a notebook: its answer and the first rows of its tables as HTML, and its pictures apart.
struct Notebook {
  struct Picture {
    std::string title, caption, description, svg;
  };
  std::string html;
  std::vector<Picture> pictures;
};
Notebook notebook(const Page& page);

}  // namespace mindgap::report

#pragma once

#include "mindgap/report/notebook.h"
#include "mindgap/report/page.h"
#include "mindgap/view/json.h"
#include "mindgap/view/print.h"

// What the pages and the JSON of answers become, and lines about a model.
namespace mindgap::command {

using report::notebook;
using report::to_html;
using view::dumped;
using view::headline;
using view::new_states_in_words;

}  // namespace mindgap::command

#include "bindings/commands.h"

namespace mindgap::python {

nb::tuple notebook_parts(const report::Page& page) {
  const report::Notebook parts = command::notebook(page);
  nb::list pictures;
  for (const report::Notebook::Picture& one : parts.pictures)
    pictures.append(nb::make_tuple(one.title, one.caption, one.description, one.svg));
  return nb::make_tuple(parts.html, pictures);
}

}  // namespace mindgap::python

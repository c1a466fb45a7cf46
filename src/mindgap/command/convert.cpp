#include "mindgap/command/convert.h"

#include "mindgap/files/model_file.h"
#include "mindgap/view/convert.h"

namespace mindgap::command {

ConvertAnswer convert(const ConvertRequest& request) {
  files::write_model(request.model.value(), request.to);
  return {*request.model, request.to};
}

std::string ConvertAnswer::text() const {
  return view::text_of_written(model, written);
}
view::Json ConvertAnswer::json() const {
  return view::json_of_written(model, written);
}

}  // namespace mindgap::command

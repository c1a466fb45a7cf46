#include "mindgap/command/voi.h"

#include "mindgap/files/draws_file.h"
#include "mindgap/view/voi.h"

namespace mindgap::command {

voi::SamplesOptions VoiRequest::options() const {
  voi::SamplesOptions options{.plans = plans, .about = about, .data = data, .scale = scale, .cost = cost};
  options.seed = run.seed;
  options.threads = run.threads;
  options.on_progress = run.listener.progress;
  options.validate();
  return options;
}

VoiAnswer value_of_information(const VoiRequest& request) {
  const voi::SamplesOptions options = request.options();
  const files::TextFile& file = request.draws.value().file;
  voi::Draws draws{options.wanted(), {}, file.name};
  draws.columns = files::parse_draws(file, draws.names);
  return {voi::value_of_samples(draws, options)};
}

std::string VoiAnswer::text() const {
  return view::text_of(value);
}
view::Json VoiAnswer::json() const {
  return view::json_of(value);
}
report::Page VoiAnswer::page() const {
  return view::page_of(value);
}

}  // namespace mindgap::command

#include "mindgap/command/voi.h"

#include "mindgap/base/fingerprint.h"
#include "mindgap/base/workers.h"
#include "mindgap/files/draws_file.h"
#include "mindgap/view/voi.h"

namespace mindgap::command {

voi::SamplesOptions VoiRequest::options() const {
  voi::SamplesOptions options{.plans = plans, .about = about, .data = data, .scale = scale, .cost = cost};
  options.run = run;
  options.validate();
  return options;
}

VoiAnswer value_of_information(const VoiRequest& request) {
  const voi::SamplesOptions options = request.options();
  const files::TextFile& file = request.draws.value().file;
  voi::Draws draws{options.wanted(), {}, file.name};
  draws.columns = files::parse_draws(file, draws.names);
  base::Fingerprint inputs;
  inputs.add("voi");
  for (const std::vector<double>& column : draws.columns) inputs.add(std::span<const double>(column));
  for (const std::string& name : draws.names) inputs.add(name);
  base::announce(inputs.add(request.run.seed).text());
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

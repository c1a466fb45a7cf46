#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mindgap/base/run.h"
#include "mindgap/command/evidence.h"
#include "mindgap/command/limits.h"
#include "mindgap/command/terms.h"
#include "mindgap/decide/decide.h"
#include "mindgap/decide/tipping.h"
#include "mindgap/decide/tornado.h"
#include "mindgap/report/page.h"
#include "mindgap/trial/loop.h"
#include "mindgap/view/json.h"

namespace mindgap::command {

struct DecideRequest {
  std::optional<mdp::Model> model = {};  // must be there
  std::string model_path = {};           // where it was read, or ""
  Evidence evidence = {};
  std::optional<Source> positions = {};  // where the units are; none: where the log leaves them, or the start
  std::int64_t units = 0, horizon = 0;
  std::vector<std::string> plans = {};  // by their names; none: all that fit
  std::optional<Source> plan = {};      // a pilot as a file, compared with them
  std::int64_t worlds = 0;              // 0: as many as it takes
  std::int64_t most_draws = 0;          // with most_worlds: draws of the value of information; 0: all
  /// Where as many as it takes: at most so many, whatever the time; 0: time_limit.
  std::int64_t most_worlds = 0;
  std::string objective = "total";  // or "discounted", or "cvar:0.1": the worst tenth of sampled models
  double indifference = .01;
  double time_limit = 60;         // seconds
  std::int64_t replan_every = 0;  // 0: every step while that is cheap
  std::string target = "ensemble";
  LimitsRequest limits = {};  // that pilots keep to; plans that explore without a design are then left out
  TermsRequest terms = {};    // what experiments cost, and how results are put to use
  bool tipping = false;
  bool tornado = false;
  std::string device = "cpu";  // or "gpu": where the value of information is computed
  base::Run run = {};
  std::string command_line = {}, date = {};  // for the page: how and when it was asked, or ""

  /// The options as `decide` takes them. Throws InvalidArgument in the words of whoever asks.
  decide::DecideOptions options() const;
};

/// A decision with everything that its words are about.
struct DecideAnswer {
  mdp::Model model;  // as it starts from where the units are
  decide::Situation situation;
  decide::DecideOptions options;
  decide::Decision decision;
  std::vector<decide::TippingMap> tipping;
  std::optional<decide::Tornado> tornado;
  std::vector<std::string> unit_names;
  std::vector<std::string> warnings;  // beside the result: of the input, and of what was left out
  belief::PriorOverrides prior;
  std::string log;                               // the text of the log, or ""
  std::string model_path;                        // where the model was read, or ""
  std::string command_line = {}, date = {};      // as asked, or ""
  std::string report_file = {}, plan_file = {};  // written, or ""

  std::string text() const;
  view::Json json() const;
  report::Page page() const;
  std::string headline() const;
  std::string reason() const;
  /// What speaks against the numbers, and what they rest on.
  std::vector<std::string> findings() const;
  /// What a user should know of the plans: which were left out, and why.
  std::vector<std::string> notes() const;
  std::vector<std::string> assumptions() const;
  /// Whether nothing that was asked for was left out for lack of worlds: maps, sensitivity.
  bool complete() const;
  /// What each plan earned in each world that plans were compared on, beside the world's parameters: a table
  /// that `voi` reads.
  std::string draws() const;
  /// The best pilot as a file that a program or a study can follow; "" where no plan is one.
  std::string pilot_plan() const;
  /// What was recommended as such a file. Throws InvalidArgument where a study cannot run it.
  std::string recommended_plan() const;
  /// What was recommended as a planner: a pilot with its very routes, everything else with the belief and the
  /// looks that it had in drawn worlds.
  trial::MakePlanner planner() const;
};

/// Deploy, learn, or experiment. Throws InvalidArgument, InvalidModel and StoreError.
DecideAnswer decide(const DecideRequest& request);

}  // namespace mindgap::command

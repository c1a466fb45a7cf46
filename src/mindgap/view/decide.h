#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mindgap/decide/decide.h"
#include "mindgap/decide/tipping.h"
#include "mindgap/decide/tornado.h"
#include "mindgap/mdp/about.h"
#include "mindgap/view/json.h"

namespace mindgap::view {

/// What a decision's text, JSON, page and plan are made from.
struct DecideView {
  const mdp::Model& model;  // as it starts from where the units are
  const decide::Situation& situation;
  const decide::DecideOptions& options;
  const decide::Decision& decision;
  const std::vector<decide::TippingMap>& tipping;  // may be empty
  const std::vector<std::string>& unit_names;      // of the situation's units
  std::string report = {}, plan = {};              // files written, or empty
  std::string version = {};                        // of the program, for the footer of the page
  belief::PriorOverrides prior = {};
  std::string log = {};                      // the text of the log it was made with, or ""
  std::string model_path = {};               // where the model came from, or ""
  std::string command_line = {}, date = {};  // of the run, or ""
  std::optional<decide::Tornado> tornado = {};
};

std::string text_of(const DecideView& view);
Json json_of(const DecideView& view);

/// What speaks against the numbers: a log that refutes the simulator.
std::vector<std::string> warnings_of(const DecideView& view);
/// One sentence for the reader of a decision; "" where nothing is refuted.
std::string in_words(const decide::Refuted& refuted, const mdp::Mdp& mdp);

/// What a user should know of the plans, a line each.
std::vector<std::string> notes_of(const decide::Decision& decision);

/// Who reads: whoever ran the program and may say another option, or somebody who only gets the page.
enum class Reader { caller, page };

/// What the verdict rests on, in words.
std::vector<std::string> assumptions_of(const decide::Situation& situation,
                                        const decide::DecideOptions& options, Reader reader = Reader::caller);

}  // namespace mindgap::view

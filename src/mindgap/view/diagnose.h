#pragma once

#include <string>
#include <vector>

#include "mindgap/files/matrix_file.h"
#include "mindgap/gap/contraction.h"
#include "mindgap/gap/diagnose.h"

#include "mindgap/view/json.h"

// The two faces of `mindgap diagnose`: text for people, JSON for programs, from the same diagnosis.
namespace mindgap::view {

/// What both need beside the diagnosis.
struct DiagnoseView {
  const mdp::Model& model;
  const gap::Diagnosis& diagnosis;
  std::size_t top = 10;                          // how many pairs and states to list; 0: all
  std::vector<std::int64_t> large_reward_lines;  // of the log; its rows where it came as a table
  std::vector<std::int64_t> repeated_lines;
  std::vector<std::string> warnings;
  std::optional<gap::Contraction> contraction;  // of the hidden dynamics, where a Jacobian was given
  std::string place = "line";                   // what places in the log are called: line or row
};

/// Adds what a user should know of the log, whose lines are in the view already; `log` is what it is called.
void add_log_warnings(DiagnoseView& view, const std::string& log);
/// Adds how fast the hidden state forgets, over the effective horizon 1/(1 - discount).
void add_contraction(DiagnoseView& view, const files::SquareMatrix& jacobian);
/// Where rewards lie far beyond the model's largest, in words; else "".
std::string large_rewards_problem(const DiagnoseView& view, const std::string& log);

std::string text_of(const DiagnoseView& view);
Json json_of(const DiagnoseView& view);

/// The places of the largest numbers, largest first, at most `top` of them (0: all); zeros are left out.
std::vector<std::int32_t> largest(std::span<const double> values, std::size_t top);

/// Places in diagnosis.routes.unreached, first those where the best policies of sampled models spend most
/// time.
std::vector<std::size_t> by_importance(const gap::Diagnosis& diagnosis);

/// What to do in which state to get to an unreached one; empty where there is no route.
std::vector<gap::RouteStep> route_to(const gap::Diagnosis& diagnosis, const gap::Route& route);

}  // namespace mindgap::view

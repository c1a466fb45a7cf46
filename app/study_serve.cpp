#include <fmt/format.h>
#include <termios.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <iostream>
#include <memory>
#include <sstream>

#include "command.h"
#include "mindgap/base/error.h"
#include "mindgap/command/files.h"
#include "mindgap/command/study.h"
#include "mindgap/server/people.h"
#include "mindgap/server/secrets.h"
#include "mindgap/server/send_results.h"
#include "mindgap/server/serve.h"
#include "study_send.h"

// The verbs of a study that is run by a team: serve, and user add, list, remove, passwd, token.
namespace mindgap::app {

void add_study_serve(CLI::App& cli, CommonOptions& common, Action& chosen);

namespace {

int serve(server::ServeRequest request, const CommonOptions& common) {
  const GentleInterruption interruption;
  request.run = {common.seed, common.threads, {}};
  request.run.listener.stop = [&interruption] { return interruption.asked(); };
  server::Server server(request);
  std::string text;
  for (const std::string& note : server.notes()) text += note + "\n";
  print_result(
      {.json = false},
      common.json ? fmt::format("{{\"url\":\"{}\",\"port\":{}}}\n", server.url(), server.port()) : text, {});
  server.run();
  return kDone;  // being stopped is how it ends
}

void add_serve(CLI::App& cli, CommonOptions& common, Action& chosen) {
  CLI::App& verb =
      add_command(cli, "serve", "serve the study to a team: a page for the field, and a JSON interface",
                  "mindgap study serve pilot --listen 127.0.0.1:8080", common);
  const auto request = std::make_shared<server::ServeRequest>();
  verb.add_option("DIR", request->folder, "the study's folder")->required();
  verb.add_option("--listen", request->listen,
                  "HOST:PORT to listen on; port 0 = any free one. A study without users is served to this "
                  "computer only (127.0.0.1)")
      ->capture_default_str();
  verb.add_option("--tls-cert", request->tls_certificate, "certificate chain (PEM) for HTTPS");
  verb.add_option("--tls-key", request->tls_key, "its private key (PEM)");
  verb.add_option(
      "--public-url", request->public_url,
      "the address that people type, such as https://study.example.org, if a reverse proxy is in front");
  verb.add_option("--rate", request->rate,
                  "number of requests per second allowed to each person; bursts may be four times as large")
      ->check(CLI::Range(1.0, 1e6))
      ->capture_default_str();
  verb.add_option("--page", request->page,
                  "serve the page from this folder instead (for work on the page itself)");
  verb.add_option("--key", request->key, "sign what is written with this key");
  verb.callback([&common, &chosen, request] {
    chosen = [&common, request] {
      request->burst = 4 * request->rate;
      return serve(*request, common);
    };
  });
}

// A line from the terminal without showing it, or from whatever is piped in.
std::string hidden_line(const char* prompt) {
  const bool terminal = ::isatty(STDIN_FILENO) == 1;
  termios before{};
  if (terminal) {
    std::fputs(prompt, stderr);
    ::tcgetattr(STDIN_FILENO, &before);
    termios silent = before;
    silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
  }
  std::string line;
  std::getline(std::cin, line);
  if (terminal) {
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
    std::fputs("\n", stderr);
  }
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

std::string read_password() {
  std::string first = hidden_line("Password: ");
  if (::isatty(STDIN_FILENO) == 1 && hidden_line("The same again: ") != first)
    throw InvalidArgument("the two passwords differ");
  return first;
}

struct UserCommand {
  std::string folder, name, role, units, label = "token";
  std::int64_t days = 90;
  bool generate = false;
};

std::vector<std::string> listed_units(const std::string& text) {
  std::vector<std::string> units;
  std::stringstream in(text);
  for (std::string unit; std::getline(in, unit, ',');) {
    if (!unit.empty()) units.push_back(unit);
  }
  return units;
}

std::string new_password(const UserCommand& command, std::string& shown) {
  if (!command.generate) return read_password();
  std::string password = server::random_hex(10);
  shown = fmt::format("password: {}\n", password);
  return password;
}

int say(const std::string& text) {
  print_result({.json = false}, text, {});
  return kDone;
}

int add_user(const UserCommand& command, const CommonOptions&) {
  const std::optional<server::Role> role = server::role_from(command.role);
  if (!role) throw InvalidArgument("--role must be owner, field or viewer");
  const std::vector<std::string> units = listed_units(command.units);
  command::study_check_units(command.folder, units);
  std::string shown;
  const std::string password = new_password(command, shown);
  server::People(command.folder).add(command.name, password, *role, units);
  return say(fmt::format("{} is {} now\n{}", command.name, command.role, shown));
}

int list_users(const UserCommand& command, const CommonOptions& common) {
  command::study_check(command.folder);
  server::People people(command.folder);
  const auto accounts = people.all();
  nlohmann::ordered_json json = {{"people", nlohmann::ordered_json::array()}};
  std::string text = accounts->empty() ? "no users: the study is served to this computer alone\n" : "";
  for (const auto& [name, account] : *accounts) {
    std::string units;
    for (const std::string& unit : account.units) units += (units.empty() ? "" : ",") + unit;
    text += fmt::format("{}  {}{}  {} tokens\n", name, server::to_string(account.role),
                        units.empty() ? "" : "  " + units, account.tokens.size());
    nlohmann::ordered_json person = {
        {"name", name}, {"role", server::to_string(account.role)}, {"units", account.units}};
    person["tokens"] = nlohmann::ordered_json::array();
    for (const server::Token& token : account.tokens)
      person["tokens"].push_back(
          {{"token", token.number}, {"label", token.label}, {"expires", server::time_text(token.expires)}});
    json["people"].push_back(std::move(person));
  }
  print_result(common, text, json);
  return kDone;
}

int remove_user(const UserCommand& command, const CommonOptions&) {
  command::study_check(command.folder);
  server::People(command.folder).remove(command.name);
  return say(fmt::format("{} is removed; what they recorded stays\n", command.name));
}

int set_password(const UserCommand& command, const CommonOptions&) {
  command::study_check(command.folder);
  std::string shown;
  const std::string password = new_password(command, shown);
  server::People(command.folder).set_password(command.name, password);
  return say(
      fmt::format("{} has a new password; sessions with the old one have ended\n{}", command.name, shown));
}

int make_token(const UserCommand& command, const CommonOptions& common) {
  command::study_check(command.folder);
  const server::People::NewToken token =
      server::People(command.folder).add_token(command.name, command.label, command.days);
  print_result(
      common, fmt::format("{}\n", token.secret),
      {{"token", token.number}, {"secret", token.secret}, {"expires", server::time_text(token.expires)}});
  if (!common.json) warn(common, "this is shown once; a program sends it as Authorization: Bearer TOKEN");
  return kDone;
}

using UserDeed = int (*)(const UserCommand&, const CommonOptions&);

CLI::App& add_user_verb(CLI::App& group, const std::string& name, const std::string& description,
                        const std::string& example, CommonOptions& common, Action& chosen, UserDeed deed,
                        const std::shared_ptr<UserCommand>& command) {
  CLI::App& verb = add_command(group, name, description, example, common);
  verb.add_option("DIR", command->folder, "the study's folder")->required();
  if (name != "list") verb.add_option("NAME", command->name, "the person's name")->required();
  verb.callback([&common, &chosen, command, deed] {
    chosen = [&common, command, deed] { return deed(*command, common); };
  });
  return verb;
}

void add_users(CLI::App& cli, CommonOptions& common, Action& chosen) {
  CLI::App& group =
      *cli.add_subcommand("user", "manage who may use a study that is served, and in which role");
  group.require_subcommand(1);
  group.footer("Help on a verb: mindgap study user VERB --help");
  const auto generate = [](CLI::App& verb, UserCommand& command) {
    verb.add_flag(
        "--generate", command.generate,
        "make a password and print it; without it, the password is asked for or read from standard input");
  };
  auto command = std::make_shared<UserCommand>();
  CLI::App& add = add_user_verb(group, "add", "add a person; the first one must be an owner",
                                "mindgap study user add pilot ada --role field --units van1,van2", common,
                                chosen, add_user, command);
  add.add_option("--role", command->role,
                 "owner (everything), field (own units) or viewer (reads everything)")
      ->required();
  add.add_option("--units", command->units,
                 "for a person in the field: the units that they see and record, separated by commas");
  generate(add, *command);
  add_user_verb(group, "list", "list the people", "mindgap study user list pilot", common, chosen, list_users,
                std::make_shared<UserCommand>());
  add_user_verb(group, "remove", "remove a person; what they recorded stays",
                "mindgap study user remove pilot ada", common, chosen, remove_user,
                std::make_shared<UserCommand>());
  command = std::make_shared<UserCommand>();
  generate(add_user_verb(group, "passwd", "set a password; sessions with the old one end",
                         "mindgap study user passwd pilot ada", common, chosen, set_password, command),
           *command);
  command = std::make_shared<UserCommand>();
  CLI::App& token = add_user_verb(
      group, "token", "make a token with which a program may do what the person may do",
      "mindgap study user token pilot ada --label import --days 30", common, chosen, make_token, command);
  token.add_option("--label", command->label, "what it is for")->capture_default_str();
  token.add_option("--days", command->days, "number of days that it is valid")->capture_default_str();
}

std::string token_in(const std::string& file) {
  if (file.empty()) return "";
  std::string token(command::open_text_file(file).text);
  while (!token.empty() && std::isspace(static_cast<unsigned char>(token.back())) != 0) token.pop_back();
  if (token.empty() || token.find_first_of(" \t\r\n") != std::string::npos)
    throw InvalidArgument(fmt::format("{}: expected a token, one word", base::printable(file, 200)));
  return token;
}

}  // namespace

int send_import(const command::StudyImported& found, const SendOptions& options,
                const CommonOptions& common) {
  for (const std::string& warning : found.warnings) warn(common, warning);
  const server::SentResults sent = server::send_results({.url = options.url,
                                                         .token = token_in(options.token_file),
                                                         .why = "import of " + options.file,
                                                         .correct = options.correct,
                                                         .rows = found.recorded});
  for (const std::string& conflict : sent.conflicts)
    warn(common, "kept as a conflict for the owner to settle: " + base::printable(conflict, 300));
  for (const std::string& refused : sent.refused)
    warn(common, "refused by the server: " + base::printable(refused, 300));
  const std::int64_t known = found.recorded.results.already + sent.already;
  print_result(
      common,
      fmt::format("sent to {}: {} recorded, {} completed, {} corrected, {} known already, {} in conflict, "
                  "{} refused; {} left out by the mapping\n",
                  options.url, sent.recorded, sent.completed, sent.corrected, known, sent.conflicts.size(),
                  sent.refused.size(), found.left_out),
      {{"sent_to", options.url},
       {"recorded", sent.recorded},
       {"completed", sent.completed},
       {"corrected", sent.corrected},
       {"already", known},
       {"conflicts", sent.conflicts},
       {"refused", sent.refused},
       {"left_out", found.left_out}});
  return sent.refused.empty() ? kDone : kBadInput;
}

void add_study_serve(CLI::App& cli, CommonOptions& common, Action& chosen) {
  add_serve(cli, common, chosen);
  add_users(cli, common, chosen);
}

}  // namespace mindgap::app

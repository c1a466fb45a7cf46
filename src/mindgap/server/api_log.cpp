#include <fmt/format.h>

#include <algorithm>

#include "mindgap/server/api.h"
#include "mindgap/server/shown.h"
#include "mindgap/study/author.h"

namespace mindgap::server {
namespace {

// Whether somebody of the field is told of an event.
bool is_for_field(const study::LiveLog& log, const study::LiveLog::Entry& entry, const Caller& caller) {
  const std::string& kind = entry.event.kind;
  if (kind == "design" || kind == "redesign" || kind == "update" || kind == "stop") return true;
  const std::vector<std::string> units = units_of(log, entry);
  return std::any_of(units.begin(), units.end(), [&](const std::string& unit) { return caller.sees(unit); });
}

struct AuditFilter {
  std::string who, kind, unit, from, to;

  bool takes(const study::LiveLog& log, const study::LiveLog::Entry& entry) const {
    const study::Event& event = entry.event;
    if (!kind.empty() && event.kind != kind) return false;
    if (!from.empty() && event.time < from) return false;
    if (!to.empty() && event.time > to) return false;
    if (!who.empty()) {
      const study::Author* author = log.state.authors[static_cast<std::size_t>(event.number) - 1].get();
      if (author == nullptr || author->who != who) return false;
    }
    if (unit.empty()) return true;
    const std::vector<std::string> units = units_of(log, entry);
    return std::find(units.begin(), units.end(), unit) != units.end();
  }
};

// A time, or a day, of which `rest` is the time that is meant.
std::string read_time(Parameters& parameters, const char* name, const char* rest) {
  const std::string text = parameters.text(name);
  std::string time = text.size() == 10 ? text + rest : text;
  if (!time.empty() && !study::is_time(time))
    refuse_field(fmt::format("{} must be a day as 2026-03-01 or a time as 2026-03-01T09:30:00Z", name));
  return time;
}

AuditFilter read_filter(Parameters& parameters) {
  return {parameters.text("who"), parameters.text("kind"), parameters.text("unit"),
          read_time(parameters, "from", "T00:00:00Z"), read_time(parameters, "to", "T23:59:59Z")};
}

const SeesUnit kSeesAll = [](const std::string&) { return true; };

std::string text_at(const ApiJson& json, const char* key) {
  const ApiJson& value = json.at(key);
  return value.is_null() ? "" : value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

Response Api::events(const Call& call) {
  Parameters parameters(call.request);
  const std::int64_t since = parameters.whole("since", 0, 0, std::int64_t{1} << 53);
  const std::int64_t limit = parameters.whole("limit", 200, 1, 1000);
  const std::int64_t wait = parameters.whole("wait", 0, 0, 25);
  parameters.done();
  const std::int64_t sequence = study_.read([](const study::LiveLog& log) { return log.sequence(); });
  if (wait > 0 && call.request.may_wait && sequence <= since)
    return {.later = Later{since, std::chrono::seconds(wait)}};
  const Caller& caller = call.caller;
  return json_response(200, study_.read([&](const study::LiveLog& log) {
    ApiJson list = ApiJson::array();
    std::int64_t next = std::max(since, log.sequence());
    for (std::int64_t n = since; n < log.sequence(); ++n) {
      const study::LiveLog::Entry& entry = log.entries[static_cast<std::size_t>(n)];
      if (caller.role == Role::field && !is_for_field(log, entry, caller)) continue;
      list.push_back(event_json(log, entry, [&](const std::string& unit) { return caller.sees(unit); }));
      if (static_cast<std::int64_t>(list.size()) == limit) {
        next = n + 1;
        break;
      }
    }
    return ApiJson{{"sequence", log.sequence()}, {"next", next}, {"events", std::move(list)}};
  }));
}

Response Api::audit(const Call& call) {
  Parameters parameters(call.request);
  const AuditFilter filter = read_filter(parameters);
  const std::int64_t offset = parameters.whole("offset", 0, 0, std::int64_t{1} << 53);
  const std::int64_t limit = parameters.whole("limit", 200, 1, 1000);
  parameters.done();
  return json_response(200, study_.read([&](const study::LiveLog& log) {
    ApiJson list = ApiJson::array();
    std::int64_t total = 0;
    for (auto entry = log.entries.rbegin(); entry != log.entries.rend(); ++entry) {
      if (!filter.takes(log, *entry)) continue;
      if (total >= offset && total < offset + limit) list.push_back(event_json(log, *entry, kSeesAll));
      ++total;
    }
    return ApiJson{{"sequence", log.sequence()}, {"total", total}, {"events", std::move(list)}};
  }));
}

Response Api::audit_csv(const Call& call) {
  Parameters parameters(call.request);
  const AuditFilter filter = read_filter(parameters);
  parameters.done();
  Response response{.type = "text/csv; charset=utf-8"};
  response.headers.emplace_back("Content-Disposition", "attachment; filename=\"audit.csv\"");
  response.body = "event,time,kind,who,role,at,seen,why,units,summary\r\n";
  study_.read([&](const study::LiveLog& log) {
    for (const study::LiveLog::Entry& entry : log.entries) {
      if (!filter.takes(log, entry)) continue;
      const ApiJson json = event_json(log, entry, kSeesAll);
      for (const char* key : {"event", "time", "kind", "who", "role", "at", "seen", "why"})
        response.body += csv_field(text_at(json, key)) + ",";
      std::string units;
      for (const ApiJson& unit : json.at("units"))
        units += (units.empty() ? "" : " ") + unit.get<std::string>();
      response.body += csv_field(units) + "," + csv_field(text_at(json, "summary")) + "\r\n";
    }
    return true;
  });
  return response;
}

}  // namespace mindgap::server

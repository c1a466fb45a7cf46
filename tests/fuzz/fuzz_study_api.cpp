#include <cstddef>
#include <cstdint>
#include <string_view>

#include "mindgap/server/fields.h"
#include "mindgap/server/http.h"

// The bytes of a request, as the server of a study reads them: HTTP, the query, and the JSON of a result.
// Whatever they are, there is an answer.
namespace {

using namespace mindgap::server;

Response read_all(const Request& request) {
  try {
    Parameters parameters(request);
    parameters.whole("since", 0, 0, 1'000'000);
    parameters.text("unit");
    parameters.done();
    const ApiJson body = read_body(request.body);
    Fields fields(body);
    fields.text("id");
    fields.text("unit");
    fields.whole("step");
    fields.whole_or_none("seen");
    fields.number_or_none("reward");
    fields.text_or_none("next_state");
    fields.texts_or_none("units", 100);
    fields.flag("correct");
    fields.done();
    return {.body = "{}"};
  } catch (const ApiError& error) {
    return {.status = error.status(), .body = error_body(error.code(), error.what())};
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Http http(read_all);
  const HttpAnswer answer =
      http.answer({reinterpret_cast<const char*>(data), size}, "127.0.0.1", false, false);
  // No answer only where the connection ends.
  if (answer.bytes.empty() ? !answer.close : !answer.bytes.starts_with("HTTP/1.")) __builtin_trap();
  return 0;
}

#include <fmt/format.h>
#include <utility>

#include "cloud/run_parts.h"
#include "net/json_fields.h"

namespace tofu::cloud {

namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kChunk = std::uint64_t{64} << 10;
constexpr std::size_t kMaxLine = std::size_t{1} << 20;
constexpr unsigned kLooksBeforeAsking = 10;
constexpr char kBegin = '\x02';
constexpr char kEnd = '\x03';

bool has_ended(const std::string& status) {
  return status == "finished" || status == "errored" || status == "canceled" ||
         status == "unreachable";
}

// Makes lines of what comes in pieces. Runs may print messages for programs, whose text for people
// is shown.
class Lines {
 public:
  Lines(RunSink& sink, bool without_plan) : sink_(sink), without_plan_(without_plan) {}

  void add(std::string_view piece) {
    for (const char c : piece) {
      if (c != '\n' && pending_.size() < kMaxLine) {
        pending_ += c;
        continue;
      }
      tell();
      if (c != '\n') pending_ += c;
    }
  }
  void finish() {
    if (!pending_.empty()) tell();
  }

 private:
  void tell() {
    const std::string line = std::exchange(pending_, {});
    if (line.starts_with('{')) {
      if (const auto message = net::parse_json_object(line)) {
        if (without_plan_ && is_part_of_plan(net::text_at(*message, "type"))) return;
        if (message->unmarked().find("@message") != nullptr) {
          return sink_.line(net::text_at(*message, "@message"));
        }
      }
    }
    sink_.line(line);
  }

  static bool is_part_of_plan(std::string_view type) {
    return type == "planned_change" || type == "change_summary" || type == "outputs";
  }

  RunSink& sink_;
  bool without_plan_;  // it is shown as a whole afterwards
  std::string pending_;
};

}  // namespace

bool shows_plan_apart(const RunContext& context) {
  return context.service.settings().flavor == Flavor::Cloud &&
         context.workspace.has_structured_output;
}

Step follow_log(const RunContext& context, std::string_view kind, const std::string& id) {
  Api& api = context.service.api();
  const std::string path = fmt::format("{}/{}", kind, path_part(id));
  Pauses pauses(milliseconds(200), milliseconds(2000));
  std::string address;
  while (true) {
    const auto made = api.read(path);
    if (!made) return refuse(context, "Reading the log of the run", made.error());
    address = made->text("log-read-url");
    if (!address.empty()) break;
    if (has_ended(made->text("status"))) return Step::Done;
    if (!pauses.wait(context.stop)) return Step::Stopped;  // it is there once the work begins
  }
  Lines lines(context.sink, kind == "plans" && shows_plan_apart(context));
  std::uint64_t offset = 0;
  bool has_begun = false;
  bool is_complete = false;
  bool is_last_look = false;
  for (unsigned empty = 0;;) {
    auto chunk = api.read_log(address, offset, kChunk);
    if (!chunk) return refuse(context, "Reading the log of the run", chunk.error());
    offset += chunk->size();
    std::string_view text = *chunk;
    if (!has_begun && text.starts_with(kBegin)) {
      has_begun = true;
      text.remove_prefix(1);
    }
    if (has_begun && text.ends_with(kEnd)) {
      is_complete = true;
      text.remove_suffix(1);
    }
    lines.add(text);
    if (is_complete) break;
    if (!chunk->empty()) {
      empty = 0;
      pauses = Pauses(milliseconds(200), milliseconds(2000));
      continue;
    }
    // A log without marks, or an interrupted one, ends when the work has ended.
    if (++empty % kLooksBeforeAsking == 0 || (!has_begun && empty > 1)) {
      const auto now = api.read(path);
      if (!now) return refuse(context, "Reading the log of the run", now.error());
      if (is_last_look) break;
      is_last_look = has_ended(now->text("status"));
      if (is_last_look) {
        empty = kLooksBeforeAsking - 1;  // something may have come since
        continue;
      }
    }
    if (!pauses.wait(context.stop)) return Step::Stopped;
  }
  lines.finish();
  return Step::Done;
}

}  // namespace tofu::cloud

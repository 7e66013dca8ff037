#include "documents/test_json.h"

#include <fmt/format.h>

#include "base/counted.h"
#include "base/json_writer.h"
#include "base/overloaded.h"
#include "diag/render_json.h"
#include "diag/wrap.h"
#include "views/test_text.h"

namespace tofu::documents {

namespace {

// Fields come in the order of their names, as in OpenTofu's stream.
template <class Fields>
std::string line(std::string_view level, std::string_view text, const plans::TestPlace& place,
                 std::string_view timestamp, Fields&& fields) {
  std::string out;
  base::JsonWriter json(out, {}, false);
  json.begin_object();
  json.field("@level", level);
  json.field("@message", text);
  json.field("@module", "tofu.ui");
  if (!place.file.empty()) json.field("@testfile", place.file);
  if (!place.run.empty()) json.field("@testrun", place.run);
  json.field("@timestamp", timestamp);
  fields(json);
  json.end_object();
  return diag::json_safe_for_terminal(out) + "\n";
}

void write_objects(base::JsonWriter& json, std::string_view key,
                   const std::vector<plans::LeftObject>& objects) {
  json.key(key);
  json.begin_array();
  for (const plans::LeftObject& each : objects) {
    json.begin_object();
    json.field("instance", each.address.to_string());
    if (!each.deposed_key.empty()) json.field("deposed_key", each.deposed_key);
    json.end_object();
  }
  json.end_array();
}

void write_left(base::JsonWriter& json, const plans::TestCleanedUp& event) {
  json.key("test_cleanup");
  json.begin_object();
  write_objects(json, "failed_resources", event.left);
  json.end_object();
  json.field("type", "test_cleanup");
}

void write_broken(base::JsonWriter& json, const plans::TestsBroken& event) {
  json.key("test_interrupt");
  json.begin_object();
  const auto main = event.states.find("");
  if (main != event.states.end() && !main->second.empty()) {
    write_objects(json, "state", main->second);
  }
  json.key("states");
  json.begin_object();
  for (const auto& [run, objects] : event.states) {
    if (!run.empty() && !objects.empty()) write_objects(json, run, objects);
  }
  json.end_object();
  json.key("planned");
  json.begin_array();
  for (const auto& [run, objects] : event.created) {
    for (const auto& address : objects) json.string(address.to_string());
  }
  json.end_array();
  json.end_object();
  json.field("type", "test_interrupt");
}

std::string found(const plans::TestsFound& event, std::string_view timestamp) {
  std::size_t runs = 0;
  for (const auto& file : event.files) runs += file.runs.size();
  const std::string text = fmt::format("Found {} and {}", base::counted(event.files.size(), "file"),
                                       base::counted(runs, "run block"));
  return line("info", text, {}, timestamp, [&](base::JsonWriter& json) {
    json.key("test_abstract");
    json.begin_object();
    for (const auto& file : event.files) {
      json.key(file.path);
      if (file.runs.empty()) {
        json.null();
        continue;
      }
      json.begin_array();
      for (const std::string& run : file.runs) json.string(run);
      json.end_array();
    }
    json.end_object();
    json.field("type", "test_abstract");
  });
}

std::string ended(const plans::TestFileEnded& event, std::string_view timestamp) {
  const std::string text = fmt::format("{}... {}", event.file, plans::verdict_of(event.status));
  return line("info", text, {event.file}, timestamp, [&](base::JsonWriter& json) {
    json.key("test_file");
    json.begin_object();
    json.field("path", event.file);
    json.field("status", plans::name_of(event.status));
    json.end_object();
    json.field("type", "test_file");
  });
}

std::string ended(const plans::TestRunEnded& event, std::string_view timestamp) {
  const std::string text =
      fmt::format("  {:?}... {}", event.place.run, plans::verdict_of(event.status));
  return line("info", text, event.place, timestamp, [&](base::JsonWriter& json) {
    json.key("test_run");
    json.begin_object();
    json.field("path", event.place.file);
    json.field("run", event.place.run);
    json.field("status", plans::name_of(event.status));
    json.end_object();
    json.field("type", "test_run");
  });
}

std::string ended(const plans::TestsEnded& event, std::string_view timestamp) {
  return line("info", views::test_summary(event, false), {}, timestamp,
              [&](base::JsonWriter& json) {
                json.key("test_summary");
                json.begin_object();
                json.field("status", plans::name_of(event.status));
                json.field("passed", event.counts.passed);
                json.field("failed", event.counts.failed);
                json.field("errored", event.counts.errored);
                json.field("skipped", event.counts.skipped);
                json.end_object();
                json.field("type", "test_summary");
              });
}

}  // namespace

std::string TestMessages::problems(const diag::Diagnostics& diags,
                                   const plans::TestPlace& place) const {
  std::string text;
  for (const diag::Diagnostic& each : diags.items()) {
    const bool is_error = each.severity == diag::Severity::Error;
    text += line(is_error ? "error" : "warn", (is_error ? "Error: " : "Warning: ") + each.summary,
                 place, timestamp(), [&](base::JsonWriter& json) {
                   json.key("diagnostic");
                   diag::write_json(json, each, sources_);
                   json.field("type", "diagnostic");
                 });
  }
  return text;
}

std::string TestMessages::message(std::string_view text) const {
  return line("info", text, {}, timestamp(), [](base::JsonWriter&) {});
}

std::string TestMessages::operator()(const plans::TestEvent& event) const {
  return std::visit(
      base::Overloaded{
          [&](const plans::TestsFound& e) { return found(e, timestamp()); },
          [](const plans::TestProgress&) { return std::string(); },
          [&](const plans::TestFileEnded& e) { return ended(e, timestamp()); },
          [&](const plans::TestRunEnded& e) {
            std::string text = ended(e, timestamp());
            if (const std::string document = document_(e); !document.empty()) {
              const bool is_state = e.state != nullptr;
              const std::string_view type = is_state ? "test_state" : "test_plan";
              text += line("info",
                           is_state ? "-verbose flag enabled, printing state"
                                    : "-verbose flag enabled, printing plan",
                           e.place, timestamp(), [&](base::JsonWriter& json) {
                             json.key(type);
                             json.raw(document);
                             json.field("type", type);
                           });
            }
            return text + problems(e.problems, e.place);
          },
          [&](const plans::TestCleanedUp& e) {
            std::string text;
            if (!e.left.empty()) {
              text =
                  line("error",
                       fmt::format("Some objects of {} still exist and must be destroyed manually",
                                   e.place.to_string()),
                       e.place, timestamp(), [&](base::JsonWriter& json) { write_left(json, e); });
            }
            text += problems(e.problems, e.place);
            if (!e.kept_in.empty()) text += message("Writing state to file: " + e.kept_in);
            return text;
          },
          [&](const plans::TestsBroken& e) {
            if (views::broken_tests(e).empty()) return std::string();
            return line("error", "The tests were interrupted, and nothing was cleaned up", {e.file},
                        timestamp(), [&](base::JsonWriter& json) { write_broken(json, e); });
          },
          [&](const plans::TestsEnded& e) { return ended(e, timestamp()); },
      },
      event);
}

}  // namespace tofu::documents

#include "commands/builtin_providers.h"

#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/local.h"
#include "commands/command_encryption.h"
#include "providers/in_process.h"
#include "value/convert.h"

namespace tofu::commands {

namespace {

using providers::DataAnswer;
using value::Value;

DataAnswer refuse(std::string summary, std::string detail, std::string attribute) {
  DataAnswer answer{{}, Value::null()};
  providers::Problem problem = providers::problem(std::move(summary), std::move(detail));
  problem.attribute = value::Path().with_attribute(std::move(attribute));
  answer.problems.push_back(std::move(problem));
  return answer;
}

// Text of one setting of the backend; nothing if it is not there or null. A number is
// as good as its text.
std::optional<std::string> setting(const Value& config, std::string_view name) {
  if (config.is_null()) return std::nullopt;
  const Value* found = config.unmarked().find(name);
  if (found == nullptr) return std::nullopt;
  const auto text = value::convert(*found, value::Type::string());
  if (!text || text->is_null()) return std::nullopt;
  return std::string(text->unmarked().as_string());
}

// A setting that the local backend does not have; empty if there is none.
std::string unknown_setting(const Value& config) {
  std::string unknown;
  if (config.is_null()) return unknown;
  value::for_each_element(config.unmarked(), [&](const Value& key, const Value&) {
    const std::string_view name = key.unmarked().as_string();
    if (name != "path" && name != "workspace_dir") unknown = name;
  });
  return unknown;
}

bool has_names(const Value& v) {
  return v.is_null() || v.kind() == value::Kind::Object || v.kind() == value::Kind::Map;
}

// What the defaults say, and over them what the state has.
Value outputs_of(const Value& defaults, const state::State& state) {
  std::map<std::string, Value> outputs;
  if (!defaults.is_null()) {
    value::for_each_element(defaults.unmarked(), [&](const Value& key, const Value& item) {
      outputs.insert_or_assign(std::string(key.unmarked().as_string()), item);
    });
  }
  for (const auto& [name, output] : state.outputs) outputs.insert_or_assign(name, output.value);
  std::vector<value::Attr> attributes;
  for (auto& [name, v] : outputs) attributes.push_back({name, std::move(v)});
  return Value::object(std::move(attributes));
}

// How the encryption block names a data source, as OpenTofu has it: the address without the
// type, and without the first "module.".
std::string encryption_name(std::string address) {
  constexpr std::string_view kType = "data.terraform_remote_state.";
  if (const std::size_t at = address.find(kType); at != std::string::npos) {
    address.erase(at, kType.size());
  }
  constexpr std::string_view kModule = "module.";
  if (address.starts_with(kModule)) address.erase(0, kModule.size());
  return address;
}

}  // namespace

DataAnswer read_remote_state(const providers::DataRequest& request, const World& world) {
  const Value& config = request.config;
  const Value& backend = *config.unmarked().find("backend");
  const Value& settings = *config.unmarked().find("config");
  const Value& defaults = *config.unmarked().find("defaults");
  const Value& workspace = *config.unmarked().find("workspace");
  if (backend.unmarked().as_string() != "local" && backend.unmarked().as_string() != "_local") {
    return refuse("Backend is not available",
                  fmt::format("States in the backend \"{}\" cannot be read by this version yet.",
                              backend.unmarked().as_string()),
                  "backend");
  }
  if (!has_names(settings)) {
    return refuse("Invalid backend configuration", "The settings of a backend are an object.",
                  "config");
  }
  if (!has_names(defaults)) {
    return refuse("Invalid default values", "Default values are an object.", "defaults");
  }
  if (const std::string name = unknown_setting(settings); !name.empty()) {
    return refuse("Invalid backend configuration",
                  fmt::format("The local backend has no setting named \"{}\".", name), "config");
  }
  backends::LocalSettings local;
  if (const auto path = setting(settings, "path")) local.path = *path;
  if (const auto directory = setting(settings, "workspace_dir")) {
    local.workspace_directory = *directory;
  }
  const std::string name = workspace.is_null() ? std::string(backends::kDefaultWorkspace)
                                               : std::string(workspace.unmarked().as_string());
  const auto store =
      backends::open_local_store(backends::local_paths(local, name), {},
                                 encryptions(world).remote_state(encryption_name(request.address)));
  diag::Diagnostics diags;
  const auto stored = store->read(diags);
  if (!stored) {
    return refuse(diags.items()[0].summary, diags.items()[0].detail, "config");
  }
  if (!stored->state) {
    return refuse("There is no such state",
                  fmt::format("No state was found for the workspace \"{}\".", name), "workspace");
  }
  DataAnswer answer;
  answer.object = Value::object({{"backend", backend},
                                 {"config", settings},
                                 {"defaults", defaults},
                                 {"outputs", outputs_of(defaults, *stored->state)},
                                 {"workspace", workspace}});
  return answer;
}

}  // namespace tofu::commands

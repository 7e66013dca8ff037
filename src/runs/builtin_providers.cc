#include "runs/builtin_providers.h"

#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/kinds.h"
#include "providers/in_process.h"
#include "workdir/access.h"
#include "workdir/backend_settings.h"
#include "workdir/command_encryption.h"

namespace tofu::runs {

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

DataAnswer read_remote_state(const providers::DataRequest& request, workdir::StateAccess& access) {
  const Value& config = request.config;
  const Value& backend = *config.unmarked().find("backend");
  const Value& settings = *config.unmarked().find("config");
  const Value& defaults = *config.unmarked().find("defaults");
  const Value& workspace = *config.unmarked().find("workspace");
  // A variable may turn out to be null when nothing validates any more.
  if (backend.is_null()) {
    return refuse("Invalid remote state configuration",
                  "The argument \"backend\" must not be null.", "backend");
  }
  std::string_view type = backend.unmarked().as_string();
  if (type == "_local") type = "local";
  const backends::Kind* kind = workdir::find_backend_kind(type);
  if (kind == nullptr) {
    return refuse("Unsupported backend type",
                  fmt::format("The backend type {:?} is not supported by this version.", type),
                  "backend");
  }
  if (!has_names(settings)) {
    return refuse("Invalid backend configuration",
                  "The backend settings in \"config\" must be an object.", "config");
  }
  if (!has_names(defaults)) {
    return refuse("Invalid default values", "The default values in \"defaults\" must be an object.",
                  "defaults");
  }
  const std::string name = workspace.is_null() ? std::string(backends::kDefaultWorkspace)
                                               : std::string(workspace.unmarked().as_string());
  diag::Diagnostics diags;
  const auto refuse_config = [&] {
    return refuse(diags.items()[0].summary, diags.items()[0].detail, "config");
  };
  const auto values = workdir::settings_of_object(*kind, settings, diags);
  if (!values) return refuse_config();
  const auto encryption = access.encryption(diags);
  if (!encryption) return refuse_config();
  const auto opened =
      workdir::open_kind(*kind, *values, {},
                         encryption->remote_state(encryption_name(request.address)), access, diags);
  const auto store = opened ? opened->open_existing(name, diags) : nullptr;
  const auto stored = store ? store->read(diags) : std::nullopt;
  if (!stored) return refuse_config();
  if (!stored->state) {
    return refuse("State not found", fmt::format("The workspace \"{}\" has no state.", name),
                  "workspace");
  }
  DataAnswer answer;
  answer.object = Value::object({{"backend", backend},
                                 {"config", settings},
                                 {"defaults", defaults},
                                 {"outputs", outputs_of(defaults, *stored->state)},
                                 {"workspace", workspace}});
  return answer;
}

}  // namespace tofu::runs

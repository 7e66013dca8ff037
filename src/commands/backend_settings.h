// What a configuration says about its backend, and the backend that it has.
//
// The settings of a `backend` block are early values. What `init` made of them is recorded,
// with what -backend-config added; every other command only compares the block with the
// record, and asks for `init` if it was changed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/kinds.h"
#include "cloud/service.h"
#include "cloud/settings.h"
#include "commands/backend_record.h"
#include "commands/command.h"
#include "commands/configuration.h"
#include "commands/option_groups.h"
#include "diag/diagnostic.h"
#include "value/value.h"

namespace tofu::commands {

// Null if there is none of that name.
const backends::Kind* find_backend_kind(std::string_view name);

// A backend block, or a cloud block, evaluated.
struct BackendSettings {
  const backends::Kind* kind = nullptr;
  value::Value settings;
  std::uint32_t hash = 0;  // of the block alone
  diag::SourceRange place = {};

  BackendRecord record() const;
};

struct FoundSettings {
  std::optional<BackendSettings> settings;  // none: there is no block
};
// `overrides` are the values of -backend-config. Settings may be missing, since only init is
// given those: they are checked when the backend is opened. Nothing if and only if an error
// was added.
std::optional<FoundSettings> backend_settings(const Configuration& configuration,
                                              const std::vector<std::string>& overrides,
                                              World& world, diag::Diagnostics& diags);

// The settings that an object has, such as `config` of a terraform_remote_state. Nothing if
// and only if an error was added.
std::optional<value::Value> settings_of_object(const backends::Kind& kind,
                                               const value::Value& object,
                                               diag::Diagnostics& diags);

// Whether what is recorded is what the block says.
bool is_unchanged(const BackendSettings& settings, const BackendRecord& record);

// The backend of a record, or of a directory without one. Null if and only if an error was
// added.
std::unique_ptr<backends::Backend> open_recorded(const std::optional<BackendRecord>& record,
                                                 const StateFileOptions& files, World& world,
                                                 diag::Diagnostics& diags);
// What the settings of a service say; nothing if it is another kind of backend, or after an
// error.
std::optional<cloud::CloudSettings> service_settings(const backends::Kind& kind,
                                                     const value::Value& settings,
                                                     const World& world, diag::Diagnostics& diags);
// Null if and only if an error was added.
std::unique_ptr<cloud::Service> connect_service(cloud::CloudSettings settings, World& world,
                                                diag::Diagnostics& diags);
std::unique_ptr<backends::Backend> open_kind(const backends::Kind& kind,
                                             const value::Value& settings,
                                             const StateFileOptions& files,
                                             const state::Encryption& encryption, World& world,
                                             diag::Diagnostics& diags);

// The record that goes with the configuration, for opening it and for saving it in a plan;
// one without a backend means files in this directory. Nothing if and only if an error was
// added, such as that `init` has to be run.
std::optional<FoundRecord> current_backend(const Configuration& configuration, World& world,
                                           diag::Diagnostics& diags);

}  // namespace tofu::commands

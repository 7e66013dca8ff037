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
#include "cli/environment.h"
#include "cloud/service.h"
#include "cloud/settings.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "value/value.h"
#include "workdir/access.h"
#include "workdir/backend_record.h"
#include "workdir/configuration.h"
#include "workdir/options.h"

namespace tofu::workdir {

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
// `overrides` are the values of -backend-config. Settings may be missing, since only init is given
// those: they are checked when the backend is opened.
diag::Checked<FoundSettings> backend_settings(const Configuration& configuration,
                                              const std::vector<std::string>& overrides,
                                              diag::SourceMap& sources, diag::Diagnostics& diags);

// The settings that an object has, such as `config` of a terraform_remote_state.
diag::Checked<value::Value> settings_of_object(const backends::Kind& kind,
                                               const value::Value& object,
                                               diag::Diagnostics& diags);

// Whether what is recorded is what the block says.
bool is_unchanged(const BackendSettings& settings, const BackendRecord& record);

// The backend of a record, or of a directory without one.
diag::Checked<std::unique_ptr<backends::Backend>> open_recorded(
    const std::optional<BackendRecord>& record, const StateFileOptions& files,
    StateEncryption encryption, StateAccess& access, diag::Diagnostics& diags);
// What the settings of a service say; nothing if it is another kind of backend, or after an
// error.
std::optional<cloud::CloudSettings> service_settings(const backends::Kind& kind,
                                                     const value::Value& settings,
                                                     const cli::Environment& environment,
                                                     diag::Diagnostics& diags);
diag::Checked<std::unique_ptr<cloud::Service>> connect_service(cloud::CloudSettings settings,
                                                               StateEncryption encryption,
                                                               StateAccess& access,
                                                               diag::Diagnostics& diags);
std::unique_ptr<backends::Backend> open_kind(const backends::Kind& kind,
                                             const value::Value& settings,
                                             const StateFileOptions& files,
                                             StateEncryption encryption, StateAccess& access,
                                             diag::Diagnostics& diags);

// The record that goes with the configuration, for opening it and for saving it in a plan; one
// without a backend means files in this directory. An error if `init` has to run first.
diag::Checked<FoundRecord> current_backend(const Configuration& configuration,
                                           const cli::Environment& environment,
                                           diag::SourceMap& sources, diag::Diagnostics& diags);

}  // namespace tofu::workdir

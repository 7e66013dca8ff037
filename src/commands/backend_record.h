// Which backend the working directory was initialized with: .terraform/terraform.tfstate.
//
// The name and the form are OpenTofu's, which reads what we write and the reverse. Settings
// may be secrets, so the file is its owner's alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backends/kinds.h"
#include "commands/command.h"
#include "diag/diagnostic.h"
#include "value/value.h"

namespace tofu::commands {

struct BackendRecord {
  std::string type;
  std::string settings;    // JSON, with what -backend-config gave
  std::uint64_t hash = 0;  // of the block alone

  // By the schema of the kind; they are not checked. Nothing if and only if an error was
  // added.
  std::optional<value::Value> read_settings(const backends::Kind& kind,
                                            diag::Diagnostics& diags) const;
};

struct FoundRecord {
  std::optional<BackendRecord> record;  // none: no backend was configured
};
// Nothing if and only if an error was added.
std::optional<FoundRecord> read_backend_record(const World& world, diag::Diagnostics& diags);
// Without a record it says that no backend is configured. False if and only if an error
// was added.
bool write_backend_record(const std::optional<BackendRecord>& record, const World& world,
                          diag::Diagnostics& diags);

}  // namespace tofu::commands

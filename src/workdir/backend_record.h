// Which backend the working directory was initialized with: .terraform/terraform.tfstate.
//
// The name and the form are OpenTofu's, which reads what we write and the reverse. Settings
// may be secrets, so the file is its owner's alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "backends/kinds.h"
#include "cli/environment.h"
#include "diag/diagnostic.h"
#include "value/value.h"

namespace tofu::workdir {

struct BackendRecord {
  std::string type;
  std::string settings;    // JSON, with what -backend-config gave
  std::uint64_t hash = 0;  // of the block alone

  // By the schema of the kind; they are not checked.
  diag::Checked<value::Value> read_settings(const backends::Kind& kind,
                                            diag::Diagnostics& diags) const;
};

struct FoundRecord {
  std::optional<BackendRecord> record;  // none: no backend was configured
};
diag::Checked<FoundRecord> read_backend_record(const cli::Environment& environment,
                                               diag::Diagnostics& diags);
// Without a record it says that no backend is configured.
diag::Checked<void> write_backend_record(const std::optional<BackendRecord>& record,
                                         const cli::Environment& environment,
                                         diag::Diagnostics& diags);

}  // namespace tofu::workdir

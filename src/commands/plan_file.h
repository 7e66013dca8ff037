// Saved plans: a zip file with the plan, the states it is about, the configuration it
// was made from, the schemas that it used, and the provider selections.
//
// Everything needed to show or apply it is inside. The file is its owner's alone, since
// values are in it, and is written as a whole or not at all. Nothing that is read from
// one is trusted.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "commands/backend_record.h"
#include "commands/saved_configuration.h"
#include "diag/diagnostic.h"
#include "engine/run.h"
#include "schema/schema_codec.h"
#include "state/encryption.h"

namespace tofu::commands {

// What a plan was made with.
struct PlanContext {
  std::string workspace = {};
  std::optional<BackendRecord> backend = {};  // none: files of the directory
  SavedConfiguration configuration = {};
  schema::KeptSchemas schemas = {};
  std::string lock_file = {};  // .terraform.lock.hcl; empty if there was none
};

struct PlanFile {
  engine::Planned planned;
  PlanContext context;
};

// The parts of `schemas` that the plan, its states and the configuration need.
schema::KeptSchemas used_schemas(const engine::Planned& planned, const config::Tree& tree,
                                 const schema::ProviderSchemas& schemas);

// False if and only if an error was added.
bool write_plan_file(const std::string& path, const engine::Planned& planned,
                     const PlanContext& context, const state::Encryption& encryption,
                     diag::Diagnostics& diags);

// The bytes of a file of this name. Nothing if and only if an error was added.
std::optional<PlanFile> read_plan_bytes(std::string_view bytes, const std::string& path,
                                        const state::Encryption& encryption,
                                        diag::Diagnostics& diags);
std::optional<PlanFile> read_plan_file(const std::string& path, const state::Encryption& encryption,
                                       diag::Diagnostics& diags);

// Whether bytes are those of a zip file, whatever is in it, or may be an encrypted one: it
// has no serial and no lineage, as states have.
bool looks_like_plan(std::string_view bytes);

}  // namespace tofu::commands

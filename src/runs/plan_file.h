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

#include "diag/diagnostic.h"
#include "engine/run.h"
#include "runs/saved_configuration.h"
#include "schema/schema_codec.h"
#include "workdir/backend_record.h"
#include "workdir/command_encryption.h"

namespace tofu::runs {

// What a plan was made with.
struct PlanContext {
  std::string workspace = {};
  std::optional<workdir::BackendRecord> backend = {};  // none: files of the directory
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

diag::Checked<void> write_plan_file(const std::string& path, const engine::Planned& planned,
                                    const PlanContext& context, workdir::PlanEncryption encryption,
                                    diag::Diagnostics& diags);

// The bytes of a file of this name.
diag::Checked<PlanFile> read_plan_bytes(std::string_view bytes, const std::string& path,
                                        workdir::PlanEncryption encryption,
                                        diag::Diagnostics& diags);
std::optional<PlanFile> read_plan_file(const std::string& path, workdir::PlanEncryption encryption,
                                       diag::Diagnostics& diags);

// Just the configuration that a plan was made from. Nothing if the bytes are no plan that this
// version can read, or are encrypted.
std::optional<SavedConfiguration> read_plan_configuration(std::string_view bytes);

// Whether bytes are those of a zip file, whatever is in it, or may be an encrypted one: it
// has no serial and no lineage, as states have.
bool looks_like_plan(std::string_view bytes);

}  // namespace tofu::runs

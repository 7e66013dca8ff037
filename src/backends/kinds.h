// The kinds of storage that a `backend` block can name, and what each is configured with.
//
// A kind says which settings it takes (a schema) and makes a backend of settings that fit
// it. Another kind of storage is another row of this table; commands know only the table.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/backend.h"
#include "backends/read_cancellation.h"
#include "base/disk.h"
#include "diag/diagnostic.h"
#include "net/credentials.h"
#include "net/environment.h"
#include "net/web.h"
#include "schema/schema.h"
#include "state/encryption.h"
#include "value/value.h"

namespace tofu::backends {

// The context that a backend gets besides its settings.
struct BackendContext {
  // As -state, -state-out and -backup say, for states in files; empty if not given.
  std::string state_override = {};
  std::string state_out_override = {};
  std::string backup_override = {};
  std::string version = {};             // of this program, for what is written
  const state::Encryption& encryption;  // outlives the backend
  // For states that are not in files of this machine.
  net::EnvironmentVariable environment = no_environment;
  net::WebOptions web = {};  // what all requests have in common
  // Tokens and services of hosts; null: none are known. Outlives the backend.
  const net::CredentialSources* credentials = nullptr;
  // Of runs, on this machine, for states that are not: the first that can be written is used.
  // The last one belongs to the working directory.
  std::vector<std::string> journal_directories = {};
  // Shared with all that make requests, which may outlive the backend. Null: there are no
  // interrupts.
  std::shared_ptr<ReadCancellation> reading = {};
  std::chrono::steady_clock::time_point (*clock)() = std::chrono::steady_clock::now;
  // Gets lines for people about changes to local files that they may not expect.
  std::function<void(const std::string&)> note = {};
  // Makes the information for a lock of that operation.
  std::function<LockInfo(std::string operation)> new_lock = {};
  // Has the journals, and states in files. Outlives the backend.
  base::Disk& disk = base::system_disk();
  // Receives problems when a store is closed, such as a lock that could not be released. May be
  // null; outlives the stores.
  diag::Diagnostics* deferred_diagnostics = nullptr;

  static std::string_view no_environment(std::string_view) { return {}; }
};

struct Kind {
  std::string_view name;
  const schema::Block& (*schema)();
  // Whether settings of the schema's type, wholly known, make sense together with the environment.
  // Nothing is connected.
  bool (*check)(const value::Value& settings, const net::EnvironmentVariable& environment,
                diag::Diagnostics& diags);
  diag::Checked<std::unique_ptr<Backend>> (*open)(const value::Value& settings,
                                                  const BackendContext& context,
                                                  diag::Diagnostics& diags);
};

// Null if there is none of that name.
const Kind* find_kind(std::string_view name);
std::vector<std::string_view> kind_names();

// Each is defined in its own file.
extern const Kind kAzurermKind;
extern const Kind kConsulKind;
extern const Kind kCosKind;
extern const Kind kGcsKind;
extern const Kind kHttpKind;
extern const Kind kInmemKind;
extern const Kind kKubernetesKind;
extern const Kind kLocalKind;
extern const Kind kOssKind;
extern const Kind kPgKind;
extern const Kind kS3Kind;

// The settings in the blocks of one name: an object, or a list or set of objects.
value::Value value_of_blocks(const schema::NestedBlock& nested, std::vector<value::Value> blocks);
// The settings of the schema with nothing set.
value::Value no_settings(const Kind& kind);

// The hash of a backend block that OpenTofu records, to detect changes. `settings` are those of the
// block alone.
std::uint32_t settings_hash(std::string_view kind, const value::Value& settings);

}  // namespace tofu::backends

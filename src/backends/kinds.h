// The kinds of storage that a `backend` block can name, and what each is configured with.
//
// A kind says which settings it takes (a schema) and makes a backend of settings that fit
// it. Another kind of storage is another row of this table; commands know only the table.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/backend.h"
#include "backends/reading_stop.h"
#include "diag/diagnostic.h"
#include "schema/schema.h"
#include "state/encryption.h"
#include "transport/credentials.h"
#include "transport/environment.h"
#include "transport/web.h"
#include "value/value.h"

namespace tofu::backends {

// What a backend gets besides its settings.
struct Surroundings {
  // As -state, -state-out and -backup say, for states in files; empty if not given.
  std::string state_override = {};
  std::string state_out_override = {};
  std::string backup_override = {};
  std::string version = {};             // of this program, for what is written
  const state::Encryption& encryption;  // outlives the backend
  // For states that are not in files of this machine.
  transport::EnvironmentVariable environment = no_environment;
  transport::WebOptions web = {};  // what all requests have in common
  // Tokens and services of hosts; null: none are known. Outlives the backend.
  const transport::CredentialSources* credentials = nullptr;
  std::string journal_directory = {};  // of runs, on this machine
  // Shared with all that make requests, which may outlive the backend. Null: nobody interrupts.
  std::shared_ptr<ReadingStop> reading = {};
  // Who takes a lock for that operation.
  std::function<LockInfo(std::string operation)> new_lock = {};
  // Gets what goes wrong when a store goes away: a lock that stays. May be null; outlives
  // the stores.
  diag::Diagnostics* afterwards = nullptr;

  static std::string_view no_environment(std::string_view) { return {}; }
};

struct Kind {
  std::string_view name;
  const schema::Block& (*schema)();
  // Whether settings of the schema's type, wholly known, make sense together with the
  // environment. Nothing is connected. False if and only if an error was added.
  bool (*check)(const value::Value& settings, const transport::EnvironmentVariable& environment,
                diag::Diagnostics& diags);
  // Null if and only if an error was added.
  std::unique_ptr<Backend> (*open)(const value::Value& settings, const Surroundings& around,
                                   diag::Diagnostics& diags);
};

// Null if there is none of that name.
const Kind* find_kind(std::string_view name);

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

// What is set by the blocks of one name: an object, or a list or set of objects.
value::Value value_of_blocks(const schema::NestedBlock& nested, std::vector<value::Value> blocks);
// The settings of the schema with nothing set.
value::Value no_settings(const Kind& kind);

// What OpenTofu records of a backend block, to see whether it was changed. `settings` are
// those of the block alone.
std::uint32_t settings_hash(std::string_view kind, const value::Value& settings);

}  // namespace tofu::backends

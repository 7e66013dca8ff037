// The records of a run's journal: one record for each thing that happened.
//
// A record is absolute: it says what there is now, not what changed. So records can be applied to a
// state that has seen some of them already. Contents of the state are written in the format of
// state files.
//
// A run also records what happens without a provider: an object that is deposed or moved is a Done
// for each of its two places. Records that belong together are written as one frame of the journal
// (journal.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "addrs/provider_config.h"
#include "addrs/resource.h"
#include "base/result.h"
#include "state/state.h"

namespace tofu::state {

// The first record: which state the run began with.
struct JournalBegin {
  std::string lineage;
  std::uint64_t serial = 0;
  bool is_new = false;  // there was no state: this is the lineage it will get
  std::string workspace = {};
  std::string backend = {};  // where the state is, in a form that can be compared
  std::string version = {};  // of this program
  std::string plan = {};     // a hash of the plan
};

enum class Action : std::uint8_t { Create, Update, Delete };

// On disk before the call to a provider.
struct JournalIntent {
  addrs::AbsResourceInstance address;
  std::string deposed_key = {};
  Action action = Action::Create;
  addrs::AbsProviderInstance provider;
  std::string private_data = {};  // as planned
  std::string time = {};          // RFC 3339
};

// After the provider's answer, good or bad.
struct JournalDone {
  addrs::AbsResourceInstance address;
  std::string deposed_key = {};
  addrs::AbsProviderInstance provider;
  Object object = {};  // none: it is gone
};

// On disk before the first provisioner of an object runs, and after the last. One that
// began and did not end leaves the object tainted (Create), or still to be destroyed
// (Delete).
struct JournalProvisioning {
  addrs::AbsResourceInstance address;
  std::string deposed_key = {};
  addrs::AbsProviderInstance provider;
  Action action = Action::Create;  // or Delete: which provisioners
  bool ended = false;
  std::string time = {};  // RFC 3339
};

// The provider stopped working during a call, or its answer could not be read: what the
// call did is not known.
struct JournalLost {
  addrs::AbsResourceInstance address;
  std::string deposed_key = {};
  addrs::AbsProviderInstance provider;
  Action action = Action::Create;
  std::string time = {};  // RFC 3339
};

struct JournalOutput {
  std::string name;
  std::optional<Output> output;  // none: it is gone
};

struct JournalCheck {
  CheckResult result;
};

// On disk before a state with this serial and content is stored, so that a later reader recognizes
// that state as one of this run.
struct JournalSaving {
  std::uint64_t serial = 0;
  std::string digest;  // content_digest()
};

// After the state was stored for good.
struct JournalEnd {
  std::uint64_t serial = 0;
};

using JournalRecord =
    std::variant<JournalBegin, JournalIntent, JournalDone, JournalProvisioning, JournalLost,
                 JournalOutput, JournalCheck, JournalSaving, JournalEnd>;

std::string_view action_word(Action action);  // create, update, delete

// One line of JSON.
std::string encode_record(const JournalRecord& record);

struct DecodedRecord {
  std::optional<JournalRecord> record;
  std::string unknown_kind = {};  // if there is no record: a newer version wrote it
};
base::Result<DecodedRecord> decode_record(std::string_view json);

// Equal for states with the same content, ignoring lineage, serial and version.
std::string content_digest(const State& state);

}  // namespace tofu::state

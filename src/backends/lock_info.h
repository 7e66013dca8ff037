// Information about the holder of a state lock, in the format of other tools.
//
// A record informs people; it is never the lock itself. Input may come from any tool and may be
// half written.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tofu::backends {

struct LockInfo {
  std::string id;         // a UUID
  std::string operation;  // OperationTypeApply, …
  std::string info = {};
  std::string who;      // user@host
  std::string version;  // of the program
  std::string created;  // RFC 3339
  std::string path;     // of the state, where it is in a file
};

std::string lock_info_json(const LockInfo& info);
// Nothing if it is not the record of a lock.
std::optional<LockInfo> parse_lock_info(std::string_view json);

// Several lines that name the holder, for a diagnostic.
std::string describe(const LockInfo& info);

}  // namespace tofu::backends

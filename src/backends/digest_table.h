// States in object stores whose locks and digests are in a table beside them.
//
// A kind of table is a few requests; both share the code here. The digest of each state is stored
// after it, and a state that does not fit its digest is not used: it is not the one that was stored
// last. A run may end between the two writes, or not learn whether the first one happened. So the
// digest that a state is going to have is noted before as well, in an attribute of its own, which
// other programs do not look at; a state that fits either of them is used.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "backends/remote.h"
#include "base/result.h"

namespace tofu::backends {

// In hexadecimal. `noted` are those of writes that perhaps happened, separated by commas.
struct Digests {
  std::string stored = {};  // empty if none is recorded
  std::string noted = {};
};

class DigestTable {
 public:
  // `request_stop`: see remote.h.
  DigestTable(std::string name, std::function<std::stop_token()> request_stop)
      : name_(std::move(name)), request_stop_(std::move(request_stop)) {}
  virtual ~DigestTable() = default;

  bool is_used() const { return !name_.empty(); }
  const std::string& name() const { return name_; }
  // Ends waits that begin now.
  std::stop_token stop() const { return request_stop_(); }

  // As RemoteClient has them; `key` is bucket and key of the state.
  LockAnswer lock(const std::string& key, const LockInfo& info);
  base::Result<void> unlock(const std::string& key, const std::string& id);
  LockHold holds(const std::string& key, const std::string& id);

  // `key` is bucket and key of the state; the row has "-md5" at its end.
  virtual base::Result<Digests> digests(const std::string& key) = 0;
  virtual base::Result<void> put_digests(const std::string& key, const Digests& digests) = 0;
  virtual base::Result<void> remove_digest(const std::string& key) = 0;

 protected:
  // The record of a lock; nothing if there is none.
  virtual base::Result<std::optional<std::string>> lock_record(const std::string& key) = 0;
  // Unless there is one: then false.
  virtual base::Result<bool> add_lock(const std::string& key, const std::string& record) = 0;
  // If it is still that one, where the table can compare.
  virtual base::Result<void> remove_lock(const std::string& key, const std::string& record) = 0;

 private:
  std::string name_;
  std::function<std::stop_token()> request_stop_;
};

// One state. Without a table nothing is compared.
class CheckedState {
 public:
  // `table` outlives this.
  CheckedState(DigestTable& table, std::string key) : table_(table), key_(std::move(key)) {}

  // The result of `fetch`, once its digest matches. Nothing if there is no state.
  using Fetch = std::function<base::Result<std::optional<std::string>>()>;
  base::Result<std::optional<std::string>> get(const Fetch& fetch);
  // Stores `bytes` by `store`, between the notes about it.
  base::Result<void> put(const base::TextPieces& bytes,
                         const std::function<base::Result<void>()>& store);
  base::Result<void> removed();

 private:
  base::Result<void> note(const std::string& digest);

  DigestTable& table_;
  std::string key_;
  std::optional<std::string> stored_;  // the digest of what was last read or stored
  std::vector<std::string> noted_;     // of writes since then
};

}  // namespace tofu::backends

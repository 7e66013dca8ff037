// States in remote storage: what all remote backends have in common.
//
// A kind of storage is a small client: it gets, puts and removes the bytes of a workspace,
// lists workspaces, and takes and gives back a lock. Everything else is done here, once:
// lineage and serial, encryption, making workspaces, waiting for a lock, what happens when
// a lock is lost, and messages.
//
// Answers of a client are clauses without secrets in them; they end in diagnostics.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/backend.h"
#include "backends/kinds.h"
#include "backends/lock_info.h"
#include "base/result.h"
#include "base/text_pieces.h"

namespace tofu::backends {

// No state that a person works with is larger; an answer that goes on is not one.
inline constexpr std::uint64_t kMaxRemoteStateSize = std::uint64_t{2} << 30;
inline constexpr std::uint64_t kMaxLockRecordSize = std::uint64_t{1} << 20;

struct LockAnswer {
  enum class Verdict : std::uint8_t { Locked, Held, Failed };
  Verdict verdict = Verdict::Locked;
  std::optional<LockInfo> holder = {};  // where it is held and the holder is known
  std::string why = {};                 // unless it is locked now
};

// Whether a lock that was taken is still there.
enum class LockHold : std::uint8_t { Ours, Lost, Unknown };

// The state of one workspace.
class RemoteClient {
 public:
  virtual ~RemoteClient() = default;

  // Nothing if there is no state.
  virtual base::Result<std::optional<std::string>> get() = 0;
  // See Store::read_outputs().
  virtual base::Result<PublishedOutputs> outputs() { return PublishedOutputs{}; }
  virtual base::Result<void> put(const std::string& bytes) = 0;
  // The same for a store that can do without having them at once.
  virtual base::Result<void> put_pieces(const base::TextPieces& bytes) {
    return put(bytes.joined());
  }
  // The same for a store that keeps more of a version than its bytes, which hold `state`. `forced`:
  // it replaces an existing object.
  virtual base::Result<void> put_version(const base::TextPieces& bytes, const state::State& state,
                                         bool forced) {
    (void)state;
    (void)forced;
    return put_pieces(bytes);
  }
  virtual base::Result<void> remove() = 0;

  // A store without locks grants every request.
  virtual bool has_locks() const = 0;
  // Whether a lock that another process took can be removed.
  virtual bool can_force_unlock() const { return has_locks(); }
  // One try. `info` gets the path that the record of the lock has.
  virtual LockAnswer lock(LockInfo& info) = 0;
  // The lock of `id`, and no other. Another process may have taken it.
  virtual base::Result<void> unlock(const std::string& id) = 0;
  // Asked before something is written under the lock `id`.
  virtual LockHold holds(const std::string& id) {
    (void)id;
    return LockHold::Unknown;
  }
};

// One storage with its workspaces. Clients do not outlive it.
class RemoteStorage {
 public:
  virtual ~RemoteStorage() = default;

  // As Backend::identity(), and to people.
  virtual std::string identity() const = 0;
  virtual bool has_workspaces() const { return true; }
  // Distinguishes it from others with the same identity(): the address of its service, without
  // secrets. Empty if that says it all.
  virtual std::string service_address() const { return {}; }
  // Distinguishes the state of a workspace from others with the same identity and service, by
  // settings that are in neither, without secrets. Empty if there is no other.
  virtual std::string distinction(const std::string& workspace) const {
    (void)workspace;
    return {};
  }
  // Whether its states end with this process.
  virtual bool is_of_this_process() const { return false; }
  // Whether there is a workspace "default"; if not, all workspaces have names that a user chose.
  virtual bool has_default() const { return true; }
  // Makes a workspace unless it is there. Nothing where it is made by storing a state in it.
  virtual std::optional<base::Result<void>> make_workspace(const std::string& workspace) {
    (void)workspace;
    return std::nullopt;
  }
  // All but the default one, in any order.
  virtual base::Result<std::vector<std::string>> list() = 0;
  virtual base::Result<void> remove(const std::string& workspace) {
    return client(workspace)->remove();
  }
  virtual std::unique_ptr<RemoteClient> client(const std::string& workspace) = 0;
};

std::unique_ptr<Backend> make_remote_backend(std::unique_ptr<RemoteStorage> storage,
                                             const BackendContext& context);

// A kind that keeps states in a Storage, made of the settings that `kRead` reads.
template <class Storage, auto kRead>
constexpr Kind remote_kind(std::string_view name, const schema::Block& (*schema)()) {
  return {name, schema,
          [](const value::Value& values, const net::EnvironmentVariable& environment,
             diag::Diagnostics& diags) { return kRead(values, environment, diags).has_value(); },
          [](const value::Value& values, const BackendContext& context,
             diag::Diagnostics& diags) -> std::unique_ptr<Backend> {
            auto settings = kRead(values, context.environment, diags);
            if (!settings) return nullptr;
            return make_remote_backend(std::make_unique<Storage>(std::move(*settings), context),
                                       context);
          }};
}

// For requests of backends, which the first interrupt does not cut off, unless they read: what
// happened has to be stored, and the lock given back.
inline std::stop_token no_cancellation() { return {}; }
// The stop token for a new request, see read_cancellation.h.
std::function<std::stop_token()> request_stop(const BackendContext& context);
// The HTTP options shared by all backends.
net::WebOptions backend_web_options(const BackendContext& context);

}  // namespace tofu::backends

// States in the memory of this process, for trying out configurations and for tests: they
// are gone when the command ends.
#include <map>
#include <memory>
#include <utility>

#include "backends/kinds.h"
#include "backends/remote.h"
#include "backends/settings.h"

namespace tofu::backends {

namespace {

struct Memory {
  std::map<std::string, std::string> states;
  std::map<std::string, LockInfo> locks;
};

class InmemClient final : public RemoteClient {
 public:
  InmemClient(Memory& memory, std::string workspace)
      : memory_(memory), workspace_(std::move(workspace)) {}

  base::Result<std::optional<std::string>> get() override {
    const auto found = memory_.states.find(workspace_);
    if (found == memory_.states.end()) return std::optional<std::string>();
    return std::optional(found->second);
  }
  base::Result<void> put(const std::string& bytes) override {
    memory_.states.insert_or_assign(workspace_, bytes);
    return {};
  }
  base::Result<void> remove() override {
    memory_.states.erase(workspace_);
    return {};
  }

  bool has_locks() const override { return true; }
  LockAnswer lock(LockInfo& info) override {
    const auto [found, is_new] = memory_.locks.try_emplace(workspace_, info);
    if (is_new) return {};
    return {LockAnswer::Verdict::Held, found->second, "another run holds the lock"};
  }
  base::Result<void> unlock(const std::string& id) override {
    const auto found = memory_.locks.find(workspace_);
    if (found == memory_.locks.end()) return base::Error{"it is not locked"};
    if (found->second.id != id) return base::Error{"it is locked by another lock"};
    memory_.locks.erase(found);
    return {};
  }
  LockHold holds(const std::string& id) override {
    const auto found = memory_.locks.find(workspace_);
    return found != memory_.locks.end() && found->second.id == id ? LockHold::Ours : LockHold::Lost;
  }

 private:
  Memory& memory_;
  std::string workspace_;
};

class InmemStorage final : public RemoteStorage {
 public:
  explicit InmemStorage(Memory memory) : memory_(std::move(memory)) {}

  std::string identity() const override { return "the memory of this process"; }
  bool is_of_this_process() const override { return true; }
  base::Result<std::vector<std::string>> list() override {
    std::vector<std::string> names;
    for (const auto& [name, state] : memory_.states) names.push_back(name);
    return names;
  }
  base::Result<void> remove(const std::string& workspace) override {
    return client(workspace)->remove();
  }
  std::unique_ptr<RemoteClient> client(const std::string& workspace) override {
    return std::make_unique<InmemClient>(memory_, workspace);
  }

 private:
  Memory memory_;
};

const schema::Block& inmem_schema() {
  static const schema::Block kSchema = settings_schema(
      {{.name = "lock_id", .about = "Begin with a lock of this ID on the default workspace."}});
  return kSchema;
}

bool check_inmem(const value::Value&, const net::EnvironmentVariable&, diag::Diagnostics&) {
  return true;
}

std::unique_ptr<Backend> open_inmem(const value::Value& values, const BackendContext& context,
                                    diag::Diagnostics& diags) {
  Memory memory;
  const Settings settings("inmem", values, context.environment, diags);
  if (const std::string id = settings.text("lock_id"); !id.empty()) {
    LockInfo info = context.new_lock("test");
    info.id = id;
    info.info = "as configured";
    memory.locks.emplace(kDefaultWorkspace, std::move(info));
  }
  return make_remote_backend(std::make_unique<InmemStorage>(std::move(memory)), context);
}

}  // namespace

const Kind kInmemKind = {"inmem", inmem_schema, check_inmem, open_inmem};

}  // namespace tofu::backends

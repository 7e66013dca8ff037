#include "cloud/state_storage.h"

#include <fmt/format.h>
#include <map>
#include <optional>
#include <utility>

#include "base/base64.h"
#include "base/hashes.h"
#include "base/json_writer.h"
#include "state/state.h"
#include "value/convert.h"
#include "value/json.h"

namespace tofu::cloud {

namespace {

using backends::LockAnswer;
using backends::LockHold;
using backends::LockInfo;

// The outputs as the service shows them to those who may not see the state.
std::string outputs_json(const state::State& state) {
  std::string json;
  base::JsonWriter writer(json);
  writer.begin_object();
  for (const auto& [name, output] : state.outputs) {
    const auto text = value::to_json(output.value);
    if (!text) continue;  // outputs of a state are known and have no marks
    writer.key(name);
    writer.begin_object();
    writer.field("sensitive", output.sensitive);
    writer.key("value");
    writer.raw(*text);
    writer.key("type");
    writer.raw(value::type_to_json(output.value.type()));
    writer.end_object();
  }
  writer.end_object();
  return json;
}

// Of the type that the service says it has; nothing if it has not.
std::optional<value::Value> output_value(const Resource& output) {
  const value::Value* described = output.attribute("detailed-type");
  const auto text =
      described == nullptr ? value::to_json(value::Value::null()) : value::to_json(*described);
  const auto type =
      text ? value::parse_json_type(*text) : base::Result<value::Type>(base::Error{"no type"});
  if (!type) return std::nullopt;
  const value::Value* given = output.attribute("value");
  const auto converted = value::convert(given == nullptr ? value::Value::null() : *given, *type);
  if (!converted) return std::nullopt;
  return *converted;
}

class StateClient final : public backends::RemoteClient {
 public:
  StateClient(Service& service, std::string name) : service_(service), name_(std::move(name)) {}

  base::Result<std::optional<std::string>> get() override;
  base::Result<backends::PublishedOutputs> outputs() override;
  base::Result<void> put(const std::string&) override {
    return base::Error{"a state without a lineage cannot be stored"};
  }
  base::Result<void> put_version(const base::TextPieces& pieces, const state::State& state,
                                 bool forced) override;
  base::Result<void> remove() override {
    return base::Error{"the service keeps every version of a state; delete the workspace instead"};
  }

  bool has_locks() const override { return true; }
  LockAnswer lock(LockInfo& info) override;
  base::Result<void> unlock(const std::string& id) override;
  LockHold holds(const std::string& id) override;

 private:
  // As people write it.
  std::string lock_id() const {
    return fmt::format("{}/{}", service_.settings().organization, name_);
  }
  // Of the workspace; empty if there is none.
  base::Result<std::string> id();
  base::Result<std::string> needed_id();
  base::Result<void> put_inline(const std::string& path, Draft draft, const std::string& bytes);
  bool is_stored(const std::string& bytes);

  Service& service_;
  std::string name_;      // in the organization
  std::string id_;        // once it is known
  std::string our_lock_;  // the ID of its record; empty: we have not locked it
  bool was_put_ = true;   // the last state that was to be stored
};

base::Result<std::string> StateClient::id() {
  if (!id_.empty()) return id_;
  const auto found = service_.find(name_);
  if (!found) return found.error();
  if (*found) id_ = (*found)->id;
  return id_;
}

base::Result<std::string> StateClient::needed_id() {
  auto found = id();
  if (found && found->empty()) {
    return base::Error{fmt::format("the workspace {:?} does not exist", lock_id())};
  }
  return found;
}

base::Result<std::optional<std::string>> StateClient::get() {
  const auto workspace = id();
  if (!workspace) return workspace.error();
  if (workspace->empty()) return std::optional<std::string>();
  const auto version = service_.api().read(
      fmt::format("workspaces/{}/current-state-version", path_part(*workspace)));
  if (!version && version.error().is_missing()) return std::optional<std::string>();
  if (!version) return base::Error{version.error().what};
  auto bytes = service_.api().download(version->text("hosted-state-download-url"),
                                       backends::kMaxRemoteStateSize);
  if (!bytes) return base::Error{bytes.error().what};
  if (bytes->empty()) return std::optional<std::string>();
  return std::optional(std::move(*bytes));
}

// More users may read the outputs than the state. Nothing where the service has none, or does not
// know their types: then the state has to be read.
base::Result<backends::PublishedOutputs> StateClient::outputs() {
  if (service_.settings().flavor != Flavor::Cloud) return backends::PublishedOutputs{};
  const auto workspace = id();
  if (!workspace) return workspace.error();
  if (workspace->empty()) return backends::PublishedOutputs{};
  const auto listed = service_.api().list(
      fmt::format("workspaces/{}/current-state-version-outputs", path_part(*workspace)));
  if (!listed && listed.error().is_missing()) return backends::PublishedOutputs{};
  if (!listed) return base::Error{listed.error().what};
  backends::PublishedOutputs told{std::map<std::string, state::Output>()};
  for (Resource each : *listed) {
    const std::string name = each.text("name");
    const bool is_sensitive = each.flag("sensitive");
    if (each.attribute("detailed-type") == nullptr) return backends::PublishedOutputs{};
    if (is_sensitive) {
      // The list has no values of these.
      auto whole = service_.api().read("state-version-outputs/" + path_part(each.id));
      if (!whole) return base::Error{whole.error().what};
      each = std::move(*whole);
    }
    const auto read = output_value(each);
    if (!read) {
      return base::Error{fmt::format("the value of the output {:?} cannot be read", name)};
    }
    told.outputs->emplace(name, state::Output{.value = *read, .sensitive = is_sensitive});
  }
  return told;
}

// An answer may be lost after the state was stored.
bool StateClient::is_stored(const std::string& bytes) {
  const auto there = get();
  return there && *there && **there == bytes;
}

// Services before 2023 take the state only together with what describes it.
base::Result<void> StateClient::put_inline(const std::string& path, Draft draft,
                                           const std::string& bytes) {
  draft.set("state", base::base64_encode(bytes));
  const auto made = service_.api().create(path, draft.json());
  if (!made) return base::Error{made.error().what};
  return {};
}

base::Result<void> StateClient::put_version(const base::TextPieces& pieces,
                                            const state::State& state, bool forced) {
  const std::string bytes = pieces.joined();
  was_put_ = false;
  const auto workspace = needed_id();
  if (!workspace) return workspace.error();
  Draft draft("state-versions");
  draft.set("lineage", state.lineage)
      .set("md5", base::hex_digest(base::Hash::Md5, bytes))
      .set("serial", static_cast<std::int64_t>(state.serial))
      .set("force", forced)
      .set("json-state-outputs", base::base64_encode(outputs_json(state)));
  if (const std::string& run = service_.settings().run; !run.empty()) {
    draft.relate("run", "runs", run);
  }
  const std::string path = fmt::format("workspaces/{}/state-versions", path_part(*workspace));
  // A version that is made twice has one serial and one sum, and is one to the service.
  const auto made = service_.api().create(path, draft.json(), true);
  base::Result<void> stored;
  if (made) {
    const auto sent = service_.api().upload(made->text("hosted-state-upload-url"), bytes);
    if (!sent) stored = base::Error{sent.error().what};
  } else if (made.error().what.find("param is missing") != std::string::npos) {
    stored = put_inline(path, draft, bytes);
  } else {
    stored = base::Error{made.error().what};
  }
  was_put_ = stored.ok() || is_stored(bytes);
  if (was_put_) return {};
  return stored;
}

LockAnswer StateClient::lock(LockInfo& info) {
  using Verdict = LockAnswer::Verdict;
  const auto workspace = needed_id();
  if (!workspace) return {Verdict::Failed, {}, workspace.error().what};
  // Where it was lost, `info` has the name of the lock already.
  const bool had_it = !our_lock_.empty();
  const std::string record = had_it ? our_lock_ : info.id;
  const std::string path = "workspaces/" + path_part(*workspace);
  // The reason shows the holder, and lets us recognize our own lock.
  const std::string reason =
      fmt::format("Locked by OpenTofu: {} by {}, lock {}", info.operation, info.who, record);
  info.path = lock_id();
  info.id = lock_id();
  std::string json;
  base::JsonWriter writer(json);
  writer.begin_object();
  writer.field("reason", std::string_view(reason));
  writer.end_object();
  const auto locked = service_.api().act(path + "/actions/lock", json);
  if (locked) {
    our_lock_ = record;
    return {};
  }
  const auto found = service_.find(name_);
  const bool is_there = found && *found && (*found)->is_locked;
  // An answer may be lost.
  if (is_there && (*found)->lock_reason == reason) {
    our_lock_ = record;
    return {};
  }
  if (!had_it) info.id = record;
  if (locked.error().status != 409) return {Verdict::Failed, {}, locked.error().what};
  const std::string why =
      is_there && !(*found)->lock_reason.empty()
          ? fmt::format("the workspace is locked, with the reason {:?}", (*found)->lock_reason)
          : std::string("the workspace is locked");
  // All locks of a workspace have the same name, so the name does not identify our lock.
  if (had_it) return {Verdict::Held, {}, why};
  LockInfo holder{
      .id = lock_id(), .operation = {}, .who = {}, .version = {}, .created = {}, .path = lock_id()};
  return {Verdict::Held, std::move(holder), why};
}

base::Result<void> StateClient::unlock(const std::string& id) {
  if (id != lock_id()) {
    return base::Error{fmt::format("the lock of this workspace is called {:?}", lock_id())};
  }
  const auto workspace = needed_id();
  if (!workspace) return workspace.error();
  const bool is_ours = !our_lock_.empty();
  if (is_ours && !was_put_) {
    // Wait until the state has the expected version.
    return base::Error{"the workspace stays locked, because its state could not be stored"};
  }
  const auto unlocked =
      service_.api().act(fmt::format("workspaces/{}/actions/{}", path_part(*workspace),
                                     is_ours ? "unlock" : "force-unlock"),
                         "", true);
  if (unlocked) {
    our_lock_.clear();
    return {};
  }
  // A request may arrive twice.
  const auto found = service_.find(name_);
  if (is_ours && found && *found && !(*found)->is_locked) {
    our_lock_.clear();
    return {};
  }
  return base::Error{unlocked.error().what};
}

LockHold StateClient::holds(const std::string&) {
  const auto found = service_.find(name_);
  if (!found || !*found) return LockHold::Unknown;
  if (!(*found)->is_locked) return LockHold::Lost;
  const std::string& reason = (*found)->lock_reason;
  if (reason.empty() || our_lock_.empty()) return LockHold::Unknown;
  return reason.ends_with("lock " + our_lock_) ? LockHold::Ours : LockHold::Lost;
}

class StateStorage final : public backends::RemoteStorage {
 public:
  explicit StateStorage(std::shared_ptr<Service> service) : service_(std::move(service)) {}

  std::string identity() const override {
    const CloudSettings& settings = service_->settings();
    std::string text = fmt::format("{}/{}", settings.host.for_display(), settings.organization);
    switch (settings.mapping) {
      case Mapping::Name: return fmt::format("{}/{}", text, settings.name);
      case Mapping::Prefix: return fmt::format("{}/{}*", text, settings.name);
      case Mapping::Tags: return fmt::format("{} (tags: {})", text, fmt::join(settings.tags, ", "));
    }
    return text;
  }
  bool has_workspaces() const override { return !service_->settings().is_single_default(); }
  bool has_default() const override { return service_->settings().is_single_default(); }
  base::Result<std::vector<std::string>> list() override { return service_->list(); }

  std::optional<base::Result<void>> make_workspace(const std::string& workspace) override {
    const CloudSettings& settings = service_->settings();
    const std::string name = settings.remote_name(workspace);
    if (settings.mapping == Mapping::Name && name != settings.name) {
      return base::Error{fmt::format("only the workspace {:?} is configured", settings.name)};
    }
    const auto made = service_->find_or_make(name);
    if (!made) return base::Error{made.error().what};
    return base::Result<void>();
  }
  base::Result<void> remove(const std::string& workspace) override {
    if (service_->settings().mapping == Mapping::Name) {
      return base::Error{"it is the only one that is configured"};
    }
    return service_->remove(service_->settings().remote_name(workspace));
  }
  std::unique_ptr<backends::RemoteClient> client(const std::string& workspace) override {
    return std::make_unique<StateClient>(*service_, service_->settings().remote_name(workspace));
  }

 private:
  std::shared_ptr<Service> service_;  // shared with the code that makes runs by it
};

template <auto kRead>
bool check(const value::Value& values, const net::EnvironmentVariable& environment,
           diag::Diagnostics& diags) {
  return kRead(values, environment, diags).has_value();
}

template <auto kRead>
std::unique_ptr<backends::Backend> open(const value::Value& values,
                                        const backends::BackendContext& context,
                                        diag::Diagnostics& diags) {
  auto settings = kRead(values, context.environment, diags);
  if (!settings) return nullptr;
  std::shared_ptr<Service> service = Service::connect(std::move(*settings), context, diags);
  if (service == nullptr) return nullptr;
  return backends::make_remote_backend(make_state_storage(std::move(service)), context);
}

}  // namespace

std::unique_ptr<backends::RemoteStorage> make_state_storage(std::shared_ptr<Service> service) {
  return std::make_unique<StateStorage>(std::move(service));
}

const backends::Kind kCloudKind = {"cloud", cloud_schema, check<read_cloud_settings>,
                                   open<read_cloud_settings>};
const backends::Kind kRemoteKind = {"remote", remote_schema, check<read_remote_settings>,
                                    open<read_remote_settings>};

const backends::Kind* find_kind(std::string_view name) {
  if (name == kCloudKind.name) return &kCloudKind;
  if (name == kRemoteKind.name) return &kRemoteKind;
  return nullptr;
}

}  // namespace tofu::cloud

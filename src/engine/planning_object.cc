#include <fmt/format.h>
#include <utility>

#include "engine/answers.h"
#include "engine/find_module.h"
#include "engine/lifecycle.h"
#include "engine/planning.h"
#include "plans/object_label.h"
#include "schema/changes.h"
#include "schema/consistency.h"
#include "schema/marks.h"
#include "value/json.h"

namespace tofu::engine {

namespace {

using plans::Action;
using value::Value;

const syntax::Body* body_of(const InstanceTask& task) {
  return task.config == nullptr ? nullptr : &task.config->config;
}

}  // namespace

bool Planning::set_provider(InstanceTask& task, ConfiguredProvider* provider,
                            diag::Diagnostics& diags) {
  task.provider = provider;
  if (provider == nullptr) return false;
  auto meta = provider_meta(task.address, *provider, diags);
  if (!meta) return false;
  task.provider_meta = std::move(*meta);
  return true;
}

plans::ProviderId Planning::id_of(const ConfiguredProvider& provider) {
  const auto [found, is_new] = provider_ids_.try_emplace(&provider);
  if (is_new) found->second = addresses_.provider(provider.address);
  return found->second;
}

void Planning::set_ids(plans::ResourceChange& change, const InstanceTask& task) {
  change.resource =
      addresses_.resource(addresses_.module(task.address.module), task.address.object.resource,
                          task.provider->address.config.provider);
  change.provider = id_of(*task.provider);
}

AskPlan Planning::ask_plan_of(const InstanceTask& task) {
  return [this, &task](providers::PlanRequest request) {
    request.provider_meta = task.provider_meta;
    return ask<providers::PlanAnswer>(
        *task.provider, [&task, request = std::move(request)](auto done) mutable {
          task.provider->provider->plan(std::move(request), std::move(done));
        });
  };
}

plans::ResourceChange Planning::change_of(const InstanceTask& task) const {
  plans::ResourceChange change;
  change.key = task.address.object.key;
  const MovedFrom* from = moves_.moved_from(task.address);
  if (task.deposed_key.empty() && from == nullptr) return change;
  auto details = std::make_unique<plans::ChangeDetails>();
  details->deposed = task.deposed_key;
  if (from != nullptr) details->previous = from->address;
  change.details = std::move(details);
  return change;
}

plans::ResourceChange Planning::change_as(const InstanceTask& task, const Change& planned) const {
  plans::ResourceChange change = change_of(task);
  change.action = planned.action;
  change.reason = planned.reason;
  change.before = planned.before;
  change.after = planned.after;
  return change;
}

// What the provider makes of an object that had another type, or another provider, before.
// False if and only if an error was added.
Async<bool> Planning::move_stored(const InstanceTask& task, const MovedFrom& from,
                                  const state::ObjectFields& stored, LiveObject& object,
                                  diag::Diagnostics& diags) {
  providers::MoveRequest request;
  request.source_provider = source_provider(task);
  request.source = {from.address.object.resource.type, stored.schema_version, stored.attributes,
                    stored.attributes_flat};
  request.source_private = stored.private_data;
  request.target_type = task.address.object.resource.type;
  auto moved = co_await ask<providers::MoveAnswer>(
      [&](auto done) { task.provider->provider->move(std::move(request), std::move(done)); });
  report(moved.problems, body_of(task), task.address.to_string(), diags);
  if (moved.has_errors()) co_return false;
  object.value = std::move(moved.object);
  object.private_data = std::move(moved.private_data);
  object.identity = std::move(moved.identity);
  co_return true;
}

// Which provider made the object.
addrs::Provider Planning::source_provider(const InstanceTask& task) const {
  const state::Resource* resource = previous().resource(addrs::resource_of(task.address));
  return resource == nullptr ? task.provider->address.config.provider
                             : resource->provider().provider;
}

// Whether the provider has to be asked what becomes of an object that moved. Nobody asks for
// that but a moved block.
bool Planning::changes_type(const InstanceTask& task, const MovedFrom* from) const {
  if (from == nullptr || from->implied) return false;
  return from->address.object.resource.type != task.address.object.resource.type ||
         source_provider(task) != task.provider->address.config.provider;
}

// Takes the attributes out of `stored`.
Async<bool> Planning::upgrade_stored(const InstanceTask& task, state::ObjectFields& stored,
                                     LiveObject& object, diag::Diagnostics& diags) {
  const std::string address = task.address.to_string();
  providers::StoredObject request{task.address.object.resource.type, stored.schema_version,
                                  std::move(stored.attributes), std::move(stored.attributes_flat)};
  const schema::IdentitySchema* identity = task.schema->identity.get();
  const bool has_identity = identity != nullptr && !stored.identity.empty();
  const std::uint64_t identity_version = stored.identity_schema_version.value_or(0);
  if (has_identity && identity_version > identity->version) {
    diags.error("Resource identity managed by newer provider version")
        .detail(fmt::format("The identity of {} was last written by a newer version of its "
                            "provider: its schema has version {}, and the version in use knows "
                            "{}. Upgrade the provider.",
                            address, identity_version, identity->version));
    co_return false;
  }
  const bool upgrades_identity = has_identity && identity_version < identity->version;
  if (upgrades_identity) request.identity.emplace(identity_version, stored.identity);
  auto upgraded = co_await ask<providers::UpgradeAnswer>(
      [&](auto done) { task.provider->provider->upgrade(std::move(request), std::move(done)); });
  report(upgraded.problems, body_of(task), address, diags);
  if (upgraded.has_errors()) co_return false;
  object.value = std::move(upgraded.object);
  object.identity = std::move(upgraded.identity);
  if (stored.identity.empty() || upgrades_identity) co_return true;
  if (!has_identity) {  // without a schema it stays what it is
    if (auto untyped = value::parse_json(stored.identity)) object.identity = std::move(*untyped);
    co_return true;
  }
  auto read = value::parse_json(stored.identity, identity->type());
  if (read) {
    object.identity = std::move(*read);
    co_return true;
  }
  diags.error("Stored identity does not fit its schema")
      .detail(fmt::format("What the state says of the identity of {} cannot be read: {}.", address,
                          value::to_string(read.error())));
  co_return false;
}

// The object that is stored, brought to the schema of now. Nothing if and only if an error
// was added.
Async<std::optional<LiveObject>> Planning::read_stored(const InstanceTask& task,
                                                       diag::Diagnostics& diags) {
  state::ObjectFields stored = task.stored->fields();
  LiveObject object = without_value(stored);
  const std::string address = task.address.to_string();
  const MovedFrom* from = moves_.moved_from(task.address);
  bool went_well = false;
  if (changes_type(task, from)) {
    went_well = co_await move_stored(task, *from, stored, object, diags);
  } else if (stored.schema_version > task.schema->version) {
    diags.error("Resource instance managed by newer provider version")
        .detail(fmt::format(
            "{} was last written by a newer version of its provider: its schema has version {}, "
            "and the version in use knows {}. Upgrade the provider.",
            address, stored.schema_version, task.schema->version));
  } else {
    went_well = co_await upgrade_stored(task, stored, object, diags);
  }
  if (!went_well) co_return std::nullopt;
  const AnswerAbout about{task.address, *task.provider, *task.schema};
  if (!has_its_type(about, object.value, diags)) co_return std::nullopt;
  // A value that is in the state already is not told: it goes now.
  diag::Diagnostics known;
  object.value = without_write_only(about, write_only(task.schema->block), object.value, known);
  std::vector<schema::PathMarks> marks;
  for (const value::Path& path : stored.sensitive_paths) {
    marks.push_back({path, value::Marks::sensitive()});
  }
  // What the schema makes sensitive, and the state does not know of yet, is a change to it.
  object.value = schema::mark(object.value, marks);
  co_return object;
}

// Brings the object up to date with what exists. False if and only if an error was added.
Async<bool> Planning::refresh(const InstanceTask& task, LiveObject& object,
                              diag::Diagnostics& diags) {
  const std::string address = task.address.to_string();
  const plans::Subject subject{task.address, task.deposed_key};
  schema::Unmarked before = schema::unmark(object.value);
  inputs_.events.on(plans::RefreshStart{subject, plans::label_of(before.value)});
  providers::ReadRequest request{task.address.object.resource.type, before.value,
                                 object.private_data, object.identity, task.provider_meta};
  auto answer = co_await ask<providers::ReadAnswer>(
      [&](auto done) { task.provider->provider->read(std::move(request), std::move(done)); });
  report(answer.problems, body_of(task), address, diags);
  if (answer.has_errors()) co_return false;
  const AnswerAbout about{task.address, *task.provider, *task.schema};
  if (!has_its_type(about, answer.object, diags)) co_return false;
  const std::size_t errors = diags.error_count();
  const Value kept =
      without_write_only(about, write_only(task.schema->block), answer.object, diags);
  if (diags.error_count() != errors) co_return false;
  Value now = schema::normalized_legacy(task.schema->block, kept);
  inputs_.events.on(plans::RefreshComplete{subject, plans::label_of(now)});
  object.value = schema_marks(task.schema->block).apply(schema::mark(now, before.marks));
  object.private_data = std::move(answer.private_data);
  object.identity = std::move(answer.identity);
  co_return true;
}

// Notes where the object differs from what is stored, and from what the last run left.
void Planning::note_found(const InstanceTask& task, const LiveObject& before, const LiveObject& now,
                          diag::Diagnostics& diags) {
  const auto stored_as = [&](const LiveObject& object) -> std::optional<state::Object> {
    if (!object.is_there()) return state::Object();
    auto made = to_state(object, *task.schema);
    if (made) return *made;
    diags.error("Provider produced invalid object")
        .detail(
            fmt::format("{} cannot be stored: {}.", task.address.to_string(), made.error().what));
    return std::nullopt;
  };
  const auto old_object = stored_as(before);
  const auto new_object = before == now ? old_object : stored_as(now);
  if (!old_object || !new_object) return;
  const MovedFrom* from = task.deposed_key.empty() ? moves_.moved_from(task.address) : nullptr;
  const Value plain_before = before.value.deep_unmarked();
  const Value plain_now = now.value.deep_unmarked();
  const bool changed = !raw_equal(plain_before, plain_now) ||
                       (now.is_there() && !schema::same_sensitive_parts(before.value, now.value));
  const bool was_as_stored = *old_object == *task.stored;
  const bool is_as_stored = *new_object == *task.stored;
  if (was_as_stored && is_as_stored && !changed && from == nullptr) return;
  const std::lock_guard lock(mutex_);
  const FoundObject found{task.address, task.deposed_key, task.provider->address, {}};
  if (!was_as_stored) {
    findings_.previous.push_back(found);
    findings_.previous.back().object = *old_object;
  }
  if (!is_as_stored) {
    findings_.prior.push_back(found);
    findings_.prior.back().object = *new_object;
  }
  if (!changed && from == nullptr) return;
  // What is left over of a replacement goes anyway, whatever became of it.
  if (!task.deposed_key.empty()) return;
  // An object of another type is not the same object, changed.
  if (from != nullptr && from->address.object.resource.type != task.address.object.resource.type) {
    return;
  }
  plans::ResourceChange drift = change_of(task);
  set_ids(drift, task);
  drift.action = !now.is_there() ? Action::Delete : changed ? Action::Update : Action::NoOp;
  drift.before = before.value;
  drift.after = now.value;
  if (!before.identity.is_null() || !now.identity.is_null()) {
    const Value identity = now.is_there() ? now.identity : Value();
    drift.details = details_with_identity(drift, task, before.identity, identity);
  }
  findings_.drift.push_back(std::move(drift));
}

Async<void> Planning::destroy_object(const InstanceTask& task, plans::ActionReason reason,
                                     diag::Diagnostics& diags) {
  auto object = co_await read_stored(task, diags);
  if (!object) co_return;
  const LiveObject before = *object;
  if (options_.refresh) {
    const bool went_well = co_await refresh(task, *object, diags);
    if (!went_well) co_return;
  }
  note_found(task, before, *object, diags);
  if (options_.mode == plans::Mode::RefreshOnly) co_return;
  co_await plan_destruction(task, *object, reason, diags);
}

// Plans that the object is destroyed, or forgotten.
Async<void> Planning::plan_destruction(const InstanceTask& task, const LiveObject& object,
                                       plans::ActionReason reason, diag::Diagnostics& diags) {
  if (!object.is_there()) co_return;
  if (options_.mode == plans::Mode::Destroy) {
    const bool is_chosen = task.deposed_key.empty() ? destroy_targeting_.has(task.address)
                                                    : destroy_targeting_.has_deposed(task.address);
    if (!is_chosen) co_return;
  }
  plans::ResourceChange change = change_of(task);
  const bool kept_by_config = task.config != nullptr && keeps_objects(*task.config);
  bool destroys = !kept_by_config && !object.skip_destroy;
  if (task.config == nullptr && options_.mode != plans::Mode::Destroy) {
    const auto removal = removed_.find(addrs::config_of(task.address));
    if (removal) destroys = removal->destroy;
  }
  change.reason = reason;
  change.before = object.value;
  change.after = Value::null(object.value.type());
  auto details = details_with_identity(change, task, object.identity, {});
  if (destroys) {
    const Value prior = object.value.deep_unmarked();
    const Value nothing = Value::null(prior.type());
    providers::PlanRequest request{task.address.object.resource.type,
                                   prior,
                                   nothing,
                                   nothing,
                                   object.private_data,
                                   object.identity};
    const AskPlan ask_plan = ask_plan_of(task);
    auto answer = co_await ask_plan(std::move(request));
    report(answer.problems, body_of(task), task.address.to_string(), diags);
    if (answer.has_errors()) co_return;
    if (!answer.planned.is_null()) {
      diags.error("Provider produced invalid plan")
          .detail(fmt::format("The provider {} planned something else than nothing for {}, which "
                              "is to be destroyed. This is a bug in the provider.",
                              task.provider->address.config.provider.to_string(),
                              task.address.to_string()));
      co_return;
    }
    change.action = Action::Delete;
    details->private_data = std::move(answer.planned_private);
    details->identity_after = std::move(answer.planned_identity);
  } else {
    // Whoever destroys everything is told at the end what was left.
    if (options_.mode == plans::Mode::Normal || !task.deposed_key.empty()) {
      diags.warning("Resource will be removed from the state")
          .detail(fmt::format("{} stays as it is, but will not be managed any more once this plan "
                              "is applied. To manage it again, import it.",
                              task.address.to_string()));
    }
    change.action = Action::Forget;
    if (kept_by_config) {
      change.reason = plans::ActionReason::ForgotBecauseLifecycleDestroyInConfig;
    } else if (object.skip_destroy) {
      change.reason = plans::ActionReason::ForgotBecauseLifecycleDestroyInState;
    }
  }
  change.details = std::move(details);
  const Action action = change.action;
  {
    const std::lock_guard lock(mutex_);
    set_ids(change, task);
    findings_.changes.push_back(std::move(change));
  }
  // What is left over of a replacement has nobody who wants to keep it.
  if (task.config == nullptr || !task.deposed_key.empty()) co_return;
  // Of a module instance that is gone, nothing but constants can be asked.
  const config::TreeNode* node = find_module(*program().tree, task.address.module);
  const auto module = static_cast<std::uint32_t>(node - program().tree->nodes.data());
  const auto instance = cells_.find(task.address.module);
  const eval::ModuleInstanceId none{static_cast<std::uint32_t>(cells_.instances({module}).size())};
  check_prevent_destroy(*task.config, task.address, action,
                        names({module}, instance.value_or(none)), diags);
}

}  // namespace tofu::engine

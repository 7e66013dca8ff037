#include "engine/object_reader.h"

#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

#include "engine/answers.h"
#include "plans/object_label.h"
#include "schema/changes.h"
#include "schema/consistency.h"
#include "schema/marks.h"
#include "value/json.h"

namespace tofu::engine {

using value::Value;

// What the provider makes of an object that had another type, or another provider, before.
tasks::Async<diag::Checked<void>> ObjectReader::move(const InstanceTask& task,
                                                     const MovedFrom& from,
                                                     const state::ObjectFields& stored,
                                                     LiveObject& object, diag::Diagnostics& diags) {
  providers::MoveRequest request;
  request.source_provider = source_provider(task);
  request.source = {from.address.object.resource.type, stored.schema_version, stored.attributes,
                    stored.attributes_flat};
  request.source_private = stored.private_data;
  request.target_type = task.address.object.resource.type;
  auto moved = co_await run_.calls.ask<providers::MoveAnswer>(
      [&](auto done) { task.provider->provider().move(std::move(request), std::move(done)); });
  report(moved.problems, task.body(), task.address.to_string(), diags);
  if (moved.has_errors()) co_return false;
  object.value = std::move(moved.object);
  object.private_data = std::move(moved.private_data);
  object.identity = std::move(moved.identity);
  co_return true;
}

// Which provider made the object.
addrs::Provider ObjectReader::source_provider(const InstanceTask& task) const {
  const state::Resource* resource = plan_.previous().resource(addrs::resource_of(task.address));
  return resource == nullptr ? task.provider->address().config.provider
                             : resource->provider().provider;
}

// Whether the provider has to be asked what becomes of an object that moved. Only
// a moved block can change the type.
bool ObjectReader::changes_type(const InstanceTask& task, const MovedFrom* from) const {
  if (from == nullptr || from->implied) return false;
  return from->address.object.resource.type != task.address.object.resource.type ||
         source_provider(task) != task.provider->address().config.provider;
}

// Takes the attributes out of `stored`.
tasks::Async<bool> ObjectReader::upgrade(const InstanceTask& task, state::ObjectFields& stored,
                                         LiveObject& object, diag::Diagnostics& diags) {
  const std::string address = task.address.to_string();
  providers::StoredObject request{task.address.object.resource.type, stored.schema_version,
                                  std::move(stored.attributes), std::move(stored.attributes_flat)};
  const schema::IdentitySchema* identity = task.schema->identity.get();
  const bool has_identity = identity != nullptr && !stored.identity.empty();
  const std::uint64_t identity_version = stored.identity_schema_version.value_or(0);
  if (has_identity && identity_version > identity->version) {
    diags.error("Resource identity managed by newer provider version")
        .detail(fmt::format(
            "The identity of {} was written by a newer version of its provider: it has schema "
            "version {}, and the current version supports {}. Upgrade the provider.",
            address, identity_version, identity->version));
    co_return false;
  }
  const bool upgrades_identity = has_identity && identity_version < identity->version;
  if (upgrades_identity) request.identity.emplace(identity_version, stored.identity);
  auto upgraded = co_await run_.calls.ask<providers::UpgradeAnswer>(
      [&](auto done) { task.provider->provider().upgrade(std::move(request), std::move(done)); });
  report(upgraded.problems, task.body(), address, diags);
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
  diags.error("Invalid stored identity")
      .detail(fmt::format("Cannot read the stored identity of {}: {}.", address,
                          value::to_string(read.error())));
  co_return false;
}

tasks::Async<diag::Checked<LiveObject>> ObjectReader::read(const InstanceTask& task,
                                                           diag::Diagnostics& diags) {
  state::ObjectFields stored = task.stored->fields();
  LiveObject object = without_value(stored);
  const std::string address = task.address.to_string();
  const MovedFrom* from = plan_.moves.moved_from(task.address);
  bool ok = false;
  if (changes_type(task, from)) {
    ok = co_await move(task, *from, stored, object, diags);
  } else if (stored.schema_version > task.schema->version) {
    diags.error("Resource instance managed by newer provider version")
        .detail(
            fmt::format("{} was written by a newer version of its provider: it has schema version "
                        "{}, and the current version supports {}. Upgrade the provider.",
                        address, stored.schema_version, task.schema->version));
  } else {
    ok = co_await upgrade(task, stored, object, diags);
  }
  if (!ok) co_return std::nullopt;
  const ResponseContext about{task.address, *task.provider, *task.schema};
  if (!has_its_type(about, object.value, diags)) co_return std::nullopt;
  // A value that is in the state already is not reported: it goes now.
  diag::Diagnostics known;
  object.value =
      without_write_only(about, run_.schemas.write_only(task.schema->block), object.value, known);
  std::vector<schema::PathMarks> marks;
  for (const value::Path& path : stored.sensitive_paths) {
    marks.push_back({path, value::Marks::sensitive()});
  }
  // What the schema makes sensitive, and the state does not know of yet, is a change to it.
  object.value = schema::mark(object.value, marks);
  co_return object;
}

bool ObjectReader::is_converted(const InstanceTask& task) const {
  return task.stored->schema_version() != task.schema->version ||
         changes_type(task, plan_.moves.moved_from(task.address));
}

tasks::Async<diag::Checked<void>> ObjectReader::refresh(const InstanceTask& task,
                                                        LiveObject& object,
                                                        diag::Diagnostics& diags) {
  if (plan_.minimal == nullptr) co_return co_await refresh_now(task, object, diags);
  if (auto known = plan_.minimal->object(task.address, diags)) {
    object = std::move(*known);
    co_return true;
  }
  diag::Diagnostics own;
  const bool ok = co_await refresh_now(task, object, own);
  if (ok) plan_.minimal->keep_object(task.address, object, own);
  diags.take(std::move(own));
  co_return ok;
}

tasks::Async<diag::Checked<void>> ObjectReader::refresh_now(const InstanceTask& task,
                                                            LiveObject& object,
                                                            diag::Diagnostics& diags) {
  const std::string address = task.address.to_string();
  const plans::Subject subject{task.address, task.deposed_key};
  schema::Unmarked before = schema::unmark(object.value);
  const plans::ObjectLabel label = run_.schemas.label(task.schema->block, object.value);
  providers::ReadRequest request{task.address.object.resource.type, before.value,
                                 object.private_data, object.identity, task.provider_meta};
  auto answer = co_await run_.calls.ask<providers::ReadAnswer>([&](auto done) {
    run_.events.on(plans::RefreshStart{subject, label});
    task.provider->provider().read(std::move(request), std::move(done));
  });
  report(answer.problems, task.body(), address, diags);
  if (answer.has_errors()) co_return false;
  const ResponseContext about{task.address, *task.provider, *task.schema};
  if (!has_its_type(about, answer.object, diags)) co_return false;
  const std::size_t errors = diags.error_count();
  const Value kept =
      without_write_only(about, run_.schemas.write_only(task.schema->block), answer.object, diags);
  if (diags.error_count() != errors) co_return false;
  Value now = schema::normalized_legacy(task.schema->block, kept);
  object.value = run_.schemas.marks(task.schema->block).apply(schema::mark(now, before.marks));
  run_.events.on(plans::RefreshComplete{subject, plans::label_of(object.value)});
  object.private_data = std::move(answer.private_data);
  object.identity = std::move(answer.identity);
  co_return true;
}

}  // namespace tofu::engine

#include <fmt/format.h>
#include <utility>

#include "engine/planning.h"
#include "eval/imports.h"
#include "plans/object_label.h"

namespace tofu::engine {

namespace {

using value::Value;

}  // namespace

void Planning::import(eval::ObjectId row, diag::Diagnostics& diags) {
  const eval::Object& object = program().object(row);
  const auto& block = *std::get<const config::Import*>(object.declaration);
  const eval::ImportElements elements =
      eval::evaluate_import_elements(block, names(object.module, {0}), diags);
  if (!elements.known) {
    diags.error("Invalid import for_each argument")
        .detail("What is imported has to be known before anything is applied.")
        .at(block.for_each->range);
    return;
  }
  for (const eval::Standing& standing : elements.standings) {
    const eval::Names scope = names_at(standing);
    const auto target = eval::evaluate_import_target(block, scope, diags);
    if (!target) continue;
    const auto id = eval::evaluate_import_id(block, scope, diags);
    if (!id) continue;
    if (id->unmarked().is_unknown()) {
      diags.error("Invalid import id argument")
          .detail("The id is known only after something else was applied.")
          .at(block.id->range);
      continue;
    }
    Import made{&block, {std::string(id->unmarked().as_string()), {}}};
    const std::lock_guard lock(mutex_);
    const auto [place, is_new] = imports_.emplace(*target, std::move(made));
    if (is_new) continue;
    diags.error("Duplicate import configuration")
        .detail(fmt::format("{} is imported by another import block already.", target->to_string()))
        .at(block.range);
  }
}

const Planning::Import* Planning::import_of(const addrs::AbsResourceInstance& address) const {
  const auto found = imports_.find(address);
  return found == imports_.end() ? nullptr : &found->second;
}

// Reports imports of instances that are not declared.
void Planning::check_imports(const ResourcePart& part, diag::Diagnostics& diags) const {
  const addrs::AbsResourceInstance first = addrs::instance_of(part.address, {});
  for (auto at = imports_.lower_bound(first); at != imports_.end(); ++at) {
    if (addrs::resource_of(at->first) != part.address) break;
    if (part.cell->expansion.find(at->first.object.key)) continue;
    diags.error("Configuration for import target does not exist")
        .detail(fmt::format("There is no instance {} in the configuration that an object could "
                            "be imported into.",
                            at->first.to_string()))
        .at(at->second.block->range);
  }
}

// Nothing if and only if an error was added.
Async<std::optional<LiveObject>> Planning::import_object(const InstanceTask& task,
                                                         const Import& import,
                                                         diag::Diagnostics& diags) {
  const std::string address = task.address.to_string();
  const plans::Subject subject{task.address};
  inputs_.events.on(
      plans::ImportProgress{subject, plans::ImportStep::Preparing, import.from});
  providers::ImportRequest request{task.address.object.resource.type, import.from.id,
                                   import.from.identity};
  auto answer = co_await ask<providers::ImportAnswer>([&](auto done) {
    task.provider->provider->import(std::move(request), std::move(done));
  });
  report(answer.problems, nullptr, address, diags);
  if (answer.has_errors()) co_return std::nullopt;
  if (answer.objects.size() != 1) {
    diags.error("Unexpected number of imported objects")
        .detail(fmt::format("The provider {} answered the import of {} with {} objects; one was "
                            "expected.",
                            task.provider->address.config.provider.for_display(), address,
                            answer.objects.size()))
        .at(import.block->range);
    co_return std::nullopt;
  }
  LiveObject object;
  object.value = std::move(answer.objects.front().object);
  object.private_data = std::move(answer.objects.front().private_data);
  object.identity = std::move(answer.objects.front().identity);
  const bool went_well = co_await refresh(task, object, diags);
  if (!went_well) co_return std::nullopt;
  if (!object.is_there()) {
    diags.error("Cannot import non-existent remote object")
        .detail(fmt::format("The provider {} found no object {:?} that could become {}. Only "
                            "objects that exist can be imported; check the id and the provider's "
                            "settings.",
                            task.provider->address.config.provider.for_display(), import.from.id,
                            address))
        .at(import.block->range);
    co_return std::nullopt;
  }
  co_return object;
}

}  // namespace tofu::engine

#include "runs/provider_checks.h"

#include <algorithm>
#include <utility>

#include "engine/answers.h"
#include "workdir/missing_providers.h"

namespace tofu::runs {

providers::Provider* ProviderChecks::provider(const addrs::Provider& address,
                                              diag::Diagnostics& diags) {
  const auto found = open_.find(address);
  if (found != open_.end()) return found->second.get();
  return open_.emplace(address, providers_.open(address, diags)).first->second.get();
}

void ProviderChecks::ask(eval::ConfiguredBlock block, diag::Diagnostics& diags) {
  if (workdir::is_available(block.provider)) return;
  providers::Provider* asked = provider(block.provider, diags);
  if (asked == nullptr) return;
  Asked& kept = *asked_.emplace_back(std::make_unique<Asked>(
      Asked{block.object, block.body, std::move(block.address), block.module}));
  {
    const std::lock_guard lock(mutex_);
    ++missing_;
  }
  const auto done = [this, &kept](providers::Answer answer) {
    const std::lock_guard lock(mutex_);
    kept.answer = std::move(answer);
    if (--missing_ == 0) changed_.notify_all();
  };
  if (block.type.empty()) {
    return asked->validate_config(std::move(block.config), [done](providers::ConfigAnswer answer) {
      done(std::move(answer));
    });
  }
  switch (block.mode) {
    case addrs::ResourceMode::Managed:
      return asked->validate_resource(block.type, std::move(block.config), done);
    case addrs::ResourceMode::Data:
      return asked->validate_data(block.type, std::move(block.config), done);
    case addrs::ResourceMode::Ephemeral:
      return asked->validate_ephemeral(block.type, std::move(block.config), done);
  }
}

void ProviderChecks::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return missing_ == 0; });
}

// By object: whether it waits for one in which its provider found an error.
std::vector<bool> ProviderChecks::behind_errors(const eval::Program& program) const {
  std::vector<bool> mistaken(program.objects.size());
  std::vector<bool> behind(program.objects.size());
  bool any = false;
  for (const auto& each : asked_) {
    if (each->answer.has_errors()) any = mistaken[each->object.index] = true;
  }
  if (!any) return behind;
  for (const std::uint32_t object : program.order) {
    behind[object] = std::ranges::any_of(program.waits.of(object), [&](std::uint32_t target) {
      return mistaken[target] || behind[target];
    });
  }
  return behind;
}

void ProviderChecks::report(const eval::Program& program, diag::Diagnostics& diags) {
  wait();
  const std::vector<bool> behind = behind_errors(program);
  for (const auto& each : std::exchange(asked_, {})) {
    if (behind[each->object.index]) continue;
    const std::size_t from = diags.size();
    engine::report(each->answer.problems, each->body, each->address, diags);
    each->module->name_blocks(diags.items_from(from));
  }
}

}  // namespace tofu::runs

#include "engine/deferrals.h"

#include <utility>

#include "addrs/text.h"
#include "base/check.h"
#include "engine/targets.h"

namespace tofu::engine {

using plans::DeferralReason;

namespace {

std::vector<bool> left_out(const eval::Program& program, const state::State& state,
                           std::vector<addrs::Target> excludes) {
  if (excludes.empty()) return std::vector<bool>(program.objects.size());
  return Targeting(program, state, {{}, std::move(excludes)}).left_out();
}

}  // namespace

void Deferrals::add(std::string address, DeferralReason reason) {
  const std::lock_guard lock(mutex_);
  found_.emplace(std::move(address), reason);
}

bool Deferrals::has_more() { return std::exchange(seen_, found_.size()) != found_.size(); }

std::vector<addrs::Target> Deferrals::targets() const {
  std::vector<addrs::Target> all;
  for (const auto& [address, reason] : found_) {
    diag::Diagnostics unreported;
    auto target = addrs::parse_text(address, addrs::parse_target, unreported);
    TOFU_CHECK(target.has_value(), "the address of a block can be excluded");
    all.push_back(std::move(*target));
  }
  return all;
}

std::vector<plans::Deferral> Deferrals::resources(
    const eval::Program& program, const state::State& state,
    const std::vector<addrs::Target>& excludes) const {
  std::vector<plans::Deferral> all;
  if (found_.empty()) return all;
  std::vector<addrs::Target> both = excludes;
  for (addrs::Target& target : targets()) both.push_back(std::move(target));
  const std::vector<bool> before = left_out(program, state, excludes);
  const std::vector<bool> now = left_out(program, state, std::move(both));
  for (std::uint32_t row = 0; row < program.objects.size(); ++row) {
    const eval::Object& object = program.objects[row];
    if (object.kind != eval::ObjectKind::Resource || before[row] || !now[row]) continue;
    const addrs::ModulePath& module = program.node(object.module).path;
    plans::Deferral deferral{
        {module, std::get<const config::Resource*>(object.declaration)->address()},
        DeferralReason::DeferredPrerequisite};
    // By its own address, or by the innermost call around it.
    auto found = found_.find(deferral.resource.to_string());
    for (addrs::ModulePath at = module; found == found_.end() && !at.is_root();) {
      found = found_.find(at.to_string());
      at.names.pop_back();
    }
    if (found != found_.end()) deferral.reason = found->second;
    all.push_back(std::move(deferral));
  }
  return all;
}

}  // namespace tofu::engine

#include "testing/run_substitutes.h"

#include <fmt/format.h>
#include <set>

#include "engine/program_rows.h"
#include "testing/mock_provider.h"

namespace tofu::testing {

namespace {

using value::Value;

diag::SourceRange place_of(const config::ResourceOverride& override) {
  return override.target.range;
}
diag::SourceRange place_of(const config::ModuleOverride& override) { return override.target_range; }

// The file's overrides that the run does not replace by its own, after those of the run.
template <class Override>
std::vector<const Override*> chosen(const std::vector<Override>& of_run,
                                    const std::vector<Override>& of_file,
                                    diag::Diagnostics& diags) {
  std::vector<const Override*> all;
  std::set<std::string> targets;
  for (const Override& each : of_run) {
    all.push_back(&each);
    targets.insert(each.target.to_string());
  }
  for (const Override& each : of_file) {
    if (!targets.contains(each.target.to_string())) {
      all.push_back(&each);
      continue;
    }
    diags.warning("Overridden by the file and by the run")
        .detail(
            fmt::format("{} is overridden by the file and by this run. The run's override is used.",
                        each.target.to_string()))
        .at(place_of(each));
  }
  return all;
}

void report_missing(const std::string& target, diag::SourceRange place, diag::Diagnostics& diags) {
  diags.error("Nothing to override")
      .detail(fmt::format("The configuration has no {}.", target))
      .at(place);
}

}  // namespace

void RunSubstitutes::override_resource(const config::ResourceOverride& override,
                                       const config::Tree& tree, diag::Diagnostics& diags) {
  const addrs::ConfigResource& target = override.target.resource;
  const config::TreeNode* node = engine::find_module(tree, target.module);
  const config::Resource* resource =
      node == nullptr ? nullptr : node->module->resource(target.object);
  if (resource == nullptr) {
    return report_missing(target.to_string(), override.target.range, diags);
  }
  if (resource->mode != override.mode) {
    diags.error("Override of the wrong kind")
        .detail(fmt::format(
            "{} is overridden with {}.", target.to_string(),
            resource->mode == addrs::ResourceMode::Data ? "override_data" : "override_resource"))
        .at(override.target.range);
    return;
  }
  resources_[target].push_back(&override);
}

void RunSubstitutes::override_module(const config::ModuleOverride& override,
                                     const config::Tree& tree, diag::Diagnostics& diags) {
  const config::TreeNode* node = engine::find_module(tree, override.target);
  if (node == nullptr) {
    return report_missing(override.target.to_string(), override.target_range, diags);
  }
  Outputs& outputs = modules_[override.target];
  if (!override.outputs) return;
  for (const auto& named : override.outputs->type().attributes()) {
    const std::string name(named.name);
    if (node->module->outputs.find(name) == nullptr) {
      diags.warning("Override of an undeclared output")
          .detail(fmt::format("{} has no output {:?}.", override.target.to_string(), name))
          .at(override.target_range);
    }
    outputs.insert_or_assign(name, *override.outputs->plain().find(name));
  }
}

diag::Checked<void> RunSubstitutes::override(const config::TestFile& file,
                                             const config::TestRun& run, const config::Tree& tree,
                                             diag::Diagnostics& diags) {
  const std::size_t errors = diags.error_count();
  for (const auto* each : chosen(run.resource_overrides, file.resource_overrides, diags)) {
    override_resource(*each, tree, diags);
  }
  for (const auto* each : chosen(run.module_overrides, file.module_overrides, diags)) {
    override_module(*each, tree, diags);
  }
  return diags.error_count() == errors;
}

void RunSubstitutes::mock(const addrs::Provider& provider, const std::string& alias,
                          const config::MockProvider& mock) {
  mocks_.insert_or_assign({provider, alias}, &mock);
}

void RunSubstitutes::configure(const addrs::Provider& provider, const std::string& alias,
                               Evaluate evaluate) {
  configurations_.insert_or_assign({provider, alias}, std::move(evaluate));
}

const config::MockProvider* RunSubstitutes::mock_of(
    const addrs::AbsProviderInstance& configuration) const {
  if (!configuration.config.module.is_root()) return nullptr;
  const auto found = mocks_.find({configuration.config.provider, configuration.config.alias});
  return found == mocks_.end() ? nullptr : found->second;
}

std::unique_ptr<providers::Provider> RunSubstitutes::made_up(
    const schema::ProviderSchema& schema, const addrs::Provider& provider,
    const config::MockProvider* mock, const config::MockedValues* values) const {
  const auto lookup = [mock, values](addrs::ResourceMode mode,
                                     const std::string& type) -> const config::MockedValues* {
    if (values != nullptr || mock == nullptr) return values;
    for (const config::MockResource& each : mock->resources) {
      if (each.mode == mode && each.type == type) return &each.mocked;
    }
    return nullptr;
  };
  const auto open_real = [this, provider] {
    diag::Diagnostics ignored;  // the caller gets an error about an unknown function
    return real_.open(provider, ignored);
  };
  const auto otherwise = mock == nullptr ? std::nullopt : mock->known;
  const auto extent =
      values != nullptr ? MockProvider::Extent::Resource : MockProvider::Extent::Provider;
  return std::make_unique<MockProvider>(schema, extent, lookup, otherwise, open_real);
}

std::unique_ptr<providers::Provider> RunSubstitutes::open(
    const addrs::AbsProviderInstance& configuration) const {
  const config::MockProvider* mock = mock_of(configuration);
  if (mock == nullptr) return nullptr;
  const addrs::Provider& provider = configuration.config.provider;
  const schema::ProviderSchema* schema = schemas_.find(provider.to_string());
  return schema == nullptr ? nullptr : made_up(*schema, provider, mock, nullptr);
}

std::optional<Value> RunSubstitutes::configuration(const addrs::AbsProviderInstance& configuration,
                                                   diag::Diagnostics& diags) const {
  if (!configuration.config.module.is_root()) return std::nullopt;
  const auto found =
      configurations_.find({configuration.config.provider, configuration.config.alias});
  if (found == configurations_.end()) return std::nullopt;
  return found->second(diags);
}

std::unique_ptr<providers::Provider> RunSubstitutes::for_resource(
    const addrs::AbsResourceInstance& instance, const addrs::AbsProviderInstance& configuration,
    providers::Provider& real) const {
  const config::MockProvider* mock = mock_of(configuration);
  const config::ResourceOverride* chosen = nullptr;  // the last of the most specific ones
  const auto consider = [&](const config::ResourceOverride& each) {
    if (!each.target.contains(instance)) return;
    if (chosen == nullptr || !chosen->target.is_more_specific_than(each.target)) chosen = &each;
  };
  if (const auto found = resources_.find(addrs::config_of(instance)); found != resources_.end()) {
    for (const config::ResourceOverride* each : found->second) consider(*each);
  }
  // Those of the provider count only where the test says nothing.
  if (chosen == nullptr && mock != nullptr) {
    for (const config::ResourceOverride& each : mock->overrides) {
      if (each.mode == instance.object.resource.mode) consider(each);
    }
  }
  if (chosen == nullptr) return nullptr;
  return made_up(real.schema(), configuration.config.provider, mock, &chosen->mocked);
}

const engine::Substitutes::Outputs* RunSubstitutes::outputs_of(
    const addrs::ModulePath& module) const {
  const auto found = modules_.find(module);
  return found == modules_.end() ? nullptr : &found->second;
}

}  // namespace tofu::testing

// The substitutes for real objects in one run: mocked providers, and resources and modules that are
// overridden.
//
// An override of a run takes precedence over one of its file, and that over a mock_provider block.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "addrs/provider.h"
#include "config/test_file.h"
#include "config/tree.h"
#include "diag/diagnostic.h"
#include "engine/run.h"
#include "providers/provider.h"
#include "schema/provider.h"

namespace tofu::testing {

class RunSubstitutes final : public engine::Substitutes {
 public:
  // All outlive it.
  RunSubstitutes(const schema::ProviderSchemas& schemas, providers::ProviderSource& real)
      : schemas_(schemas), real_(real) {}

  // The overrides of a run about `tree`. Targets that are not there are reported.
  diag::Checked<void> override(const config::TestFile& file, const config::TestRun& run,
                               const config::Tree& tree, diag::Diagnostics& diags);
  // A configuration of the root module is made up, as `mock` says.
  void mock(const addrs::Provider& provider, const std::string& alias,
            const config::MockProvider& mock);
  // A configuration of the root module that `evaluate` gives, if anything needs it.
  using Evaluate = std::function<value::Value(diag::Diagnostics& diags)>;
  void configure(const addrs::Provider& provider, const std::string& alias, Evaluate evaluate);

  std::unique_ptr<providers::Provider> open(
      const addrs::AbsProviderInstance& configuration) const override;
  std::optional<value::Value> configuration(const addrs::AbsProviderInstance& configuration,
                                            diag::Diagnostics& diags) const override;
  std::unique_ptr<providers::Provider> for_resource(const addrs::AbsResourceInstance& instance,
                                                    const addrs::AbsProviderInstance& configuration,
                                                    providers::Provider& real) const override;
  const Outputs* outputs_of(const addrs::ModulePath& module) const override;

 private:
  using Key = std::pair<addrs::Provider, std::string>;  // with the alias

  void override_resource(const config::ResourceOverride& override, const config::Tree& tree,
                         diag::Diagnostics& diags);
  void override_module(const config::ModuleOverride& override, const config::Tree& tree,
                       diag::Diagnostics& diags);
  const config::MockProvider* mock_of(const addrs::AbsProviderInstance& configuration) const;
  std::unique_ptr<providers::Provider> made_up(const schema::ProviderSchema& schema,
                                               const addrs::Provider& provider,
                                               const config::MockProvider* mock,
                                               const config::MockedValues* values) const;

  const schema::ProviderSchemas& schemas_;
  providers::ProviderSource& real_;
  std::map<Key, const config::MockProvider*> mocks_;
  std::map<Key, Evaluate> configurations_;
  std::map<addrs::ConfigResource, std::vector<const config::ResourceOverride*>> resources_;
  std::map<addrs::ModulePath, Outputs> modules_;
};

}  // namespace tofu::testing

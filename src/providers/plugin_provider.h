// The provider interface of a plugin: requests become messages, messages answers.
//
// Both protocols speak the same messages, so there is one of these. A request that the plugin's
// protocol does not support is a problem in the response, and so is an invalid response.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "providers/plugin.h"
#include "providers/plugin_types.h"
#include "providers/provider.h"

namespace tofu::providers {

class PluginProvider final : public Provider {
 public:
  // `plugin` outlives this. `version` is our version, as sent to the plugin. The destructor calls
  // `released`, with whether the plugin was configured.
  PluginProvider(Plugin& plugin, std::shared_ptr<const PluginTypes> types, std::string version,
                 std::function<void(bool was_configured)> released);
  PluginProvider(const PluginProvider&) = delete;
  PluginProvider& operator=(const PluginProvider&) = delete;
  ~PluginProvider() override;

  const schema::ProviderSchema& schema() const override { return types_->schema().schema; }
  Capabilities capabilities() const override { return types_->schema().capabilities; }

  void validate_config(value::Value config, Done<ConfigAnswer> done) override;
  void validate_resource(std::string type, value::Value config, Done<Answer> done) override;
  void validate_data(std::string type, value::Value config, Done<Answer> done) override;
  void validate_ephemeral(std::string type, value::Value config, Done<Answer> done) override;
  void configure(value::Value config, Done<Answer> done) override;
  void upgrade(StoredObject stored, Done<UpgradeAnswer> done) override;
  void read(ReadRequest request, Done<ReadAnswer> done) override;
  void plan(PlanRequest request, Done<PlanAnswer> done) override;
  void apply(ApplyRequest request, Done<ApplyAnswer> done) override;
  void import(ImportRequest request, Done<ImportAnswer> done) override;
  void move(MoveRequest request, Done<MoveAnswer> done) override;
  void generate_config(std::string type, value::Value object, Done<GenerateAnswer> done) override;
  void read_data(DataRequest request, Done<DataAnswer> done) override;
  void open(std::string type, value::Value config, Done<OpenAnswer> done) override;
  void renew(std::string type, PrivateData data, Done<RenewAnswer> done) override;
  void close(std::string type, PrivateData data, Done<Answer> done) override;
  void get_functions(Done<FunctionsAnswer> done) override;
  void call_function(std::string name, std::vector<value::Value> arguments,
                     Done<FunctionAnswer> done) override;
  void stop() override;

 private:
  const syntax::Function* find_function(const std::string& name);
  void validate(PluginMethod method, TypeOf of, const std::string& type, const value::Value& config,
                Done<Answer> done);

  Plugin& plugin_;
  std::shared_ptr<const PluginTypes> types_;
  std::string version_;
  std::function<void(bool)> released_;
  bool was_configured_ = false;
  std::mutex mutex_;                   // for what follows
  schema::ProviderSchema configured_;  // the functions that it offers since it is configured
};

}  // namespace tofu::providers

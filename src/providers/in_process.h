// Providers that are part of this program: they answer at once, on the caller's
// thread.
//
// A further one is a class with a schema and the few answers it cares about; missing functions have
// default implementations: configurations are valid, reading returns the object of the state,
// planning the proposed object, applying the planned one.
//
// Threads: answers are given on many threads at once, so a provider with memory
// of its own guards it.
#pragma once

#include <string>
#include <vector>

#include "providers/provider.h"

namespace tofu::providers {

// Large: a function for each call of the provider protocol, and its counterpart without callback.
class InProcessProvider : public Provider {
 public:
  explicit InProcessProvider(const schema::ProviderSchema& schema) : schema_(schema) {}

  const schema::ProviderSchema& schema() const override { return schema_; }
  Capabilities capabilities() const override { return {}; }

  void validate_config(value::Value config, Done<ConfigAnswer> done) final;
  void validate_resource(std::string type, value::Value config, Done<Answer> done) final;
  void validate_data(std::string type, value::Value config, Done<Answer> done) final;
  void validate_ephemeral(std::string type, value::Value config, Done<Answer> done) final;
  void configure(value::Value config, Done<Answer> done) final;
  void upgrade(StoredObject stored, Done<UpgradeAnswer> done) final;
  void read(ReadRequest request, Done<ReadAnswer> done) final;
  void plan(PlanRequest request, Done<PlanAnswer> done) final;
  void apply(ApplyRequest request, Done<ApplyAnswer> done) final;
  void import(ImportRequest request, Done<ImportAnswer> done) final;
  void move(MoveRequest request, Done<MoveAnswer> done) final;
  // On another thread where a provider waits for something: see SideThreads.
  void read_data(DataRequest request, Done<DataAnswer> done) override;
  void open(std::string type, value::Value config, Done<OpenAnswer> done) final;
  void renew(std::string type, PrivateData data, Done<RenewAnswer> done) final;
  void close(std::string type, PrivateData data, Done<Answer> done) final;
  void call_function(std::string name, std::vector<value::Value> arguments,
                     Done<FunctionAnswer> done) override;
  void stop() override {}

 protected:
  virtual ConfigAnswer answer_validate_config(const value::Value& config);
  virtual Answer answer_validate_resource(const std::string& type, const value::Value& config);
  virtual Answer answer_validate_data(const std::string& type, const value::Value& config);
  virtual Answer answer_validate_ephemeral(const std::string& type, const value::Value& config);
  virtual Answer answer_configure(const value::Value& config);
  // Reads the JSON by the current schema, independent of its schema version.
  virtual UpgradeAnswer answer_upgrade(const StoredObject& stored);
  virtual ReadAnswer answer_read(const ReadRequest& request);
  virtual PlanAnswer answer_plan(const PlanRequest& request);
  virtual ApplyAnswer answer_apply(const ApplyRequest& request);
  // These are errors unless a provider says otherwise.
  virtual ImportAnswer answer_import(const ImportRequest& request);
  virtual MoveAnswer answer_move(const MoveRequest& request);
  virtual DataAnswer answer_data(const DataRequest& request);
  virtual OpenAnswer answer_open(const std::string& type, const value::Value& config);
  virtual RenewAnswer answer_renew(const std::string& type, const PrivateData& data);
  virtual Answer answer_close(const std::string& type, const PrivateData& data);

 private:
  const schema::ProviderSchema& schema_;
};

// An error about a whole thing.
Problem problem(std::string summary, std::string detail);

}  // namespace tofu::providers

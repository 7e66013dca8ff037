// A provider that is made up: it has the schema of a real one, and every requested object exists.
//
// Nothing is configured and nothing is ever changed outside; only functions are those of
// the real provider, which is opened when the first of them is called.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "addrs/resource.h"
#include "config/test_file.h"
#include "providers/in_process.h"

namespace tofu::testing {

class MockProvider final : public providers::InProcessProvider {
 public:
  // The values that a test declares for objects of a type; null: nothing is said.
  using Lookup =
      std::function<const config::MockedValues*(addrs::ResourceMode mode, const std::string& type)>;
  // Null if it cannot be opened.
  using OpenReal = std::function<std::unique_ptr<providers::Provider>()>;

  // What is mocked: all objects of a provider, or one resource that a test overrides.
  enum class Extent : std::uint8_t { Provider, Resource };

  // `otherwise` is used for values without an own setting.
  MockProvider(const schema::ProviderSchema& schema, Extent extent, Lookup lookup,
               std::optional<config::MockedValues::Known> otherwise, OpenReal open_real)
      : InProcessProvider(schema),
        extent_(extent),
        lookup_(std::move(lookup)),
        otherwise_(otherwise),
        open_real_(std::move(open_real)) {}

  void call_function(std::string name, std::vector<value::Value> arguments,
                     providers::Done<providers::FunctionAnswer> done) override;

 private:
  providers::PlanAnswer answer_plan(const providers::PlanRequest& request) override;
  providers::ApplyAnswer answer_apply(const providers::ApplyRequest& request) override;
  providers::ImportAnswer answer_import(const providers::ImportRequest& request) override;
  providers::DataAnswer answer_data(const providers::DataRequest& request) override;
  providers::OpenAnswer answer_open(const std::string& type, const value::Value& config) override;
  providers::RenewAnswer answer_renew(const std::string& type,
                                      const providers::PrivateData& data) override;
  providers::Answer answer_close(const std::string& type,
                                 const providers::PrivateData& data) override;

  // Whether generated values are known when an object is planned, or only once it is created.
  enum class Moment : std::uint8_t { Planning, Making };
  value::Value compose(addrs::ResourceMode mode, const std::string& type,
                       const value::Value& config, Moment moment,
                       std::vector<providers::Problem>& problems) const;

  Extent extent_;
  Lookup lookup_;
  std::optional<config::MockedValues::Known> otherwise_;
  OpenReal open_real_;
  std::mutex mutex_;  // for real_
  std::unique_ptr<providers::Provider> real_;
};

}  // namespace tofu::testing

// Generated values of mocked objects.
//
// Values from the configuration are kept. Computed attributes that it leaves open become what a
// test says of them, or are made up: text of 4 to 15 letters and digits, zero, false, empty
// collections. The same type of object gets the same text every time, so that tests can be repeated
// and a second plan changes nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "providers/provider.h"
#include "schema/schema.h"
#include "value/value.h"

namespace tofu::testing {

// When values that a test gives or leaves to chance are known.
enum class Known : std::uint8_t { Now, AfterApply };

class MockValues {
 public:
  // `type` is that of the object, which chance depends on.
  explicit MockValues(std::string_view type, Known known = Known::Now);

  // `given` is an object of what a test says, or null. Errors are added to `problems`; what comes
  // back is good if no error was added.
  value::Value compose(const schema::Block& schema, const value::Value& config,
                       const value::Value& given, std::vector<providers::Problem>& problems);

 private:
  value::Value attribute(const schema::Attribute& attribute, const value::Value& config,
                         const value::Value* given, std::vector<providers::Problem>& problems);
  value::Value block(const schema::NestedBlock& nested, const value::Value& config,
                     const value::Value* given, std::vector<providers::Problem>& problems);
  value::Value made_up(value::Type type);
  value::Value computed(value::Value v) const;
  std::string text();
  std::uint64_t chance(std::uint64_t below);

  std::uint64_t state_;
  Known known_;
};

}  // namespace tofu::testing

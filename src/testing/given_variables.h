// Values for variables from outside the test files: the environment, files of values and
// the command line. A door.
//
// Whoever runs the tests knows where values come from; a test only asks for those that the
// module under test declares.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/values.h"
#include "diag/diagnostic.h"
#include "value/value.h"

namespace tofu::testing {

class GivenVariables {
 public:
  virtual ~GivenVariables() = default;
  virtual std::vector<std::string> names() const = 0;
  virtual bool has(const std::string& name) const = 0;
  // What was given to one of them, unconverted. `declared` says how a text is to be read;
  // null: it is only text. Nothing if and only if an error was added.
  virtual std::optional<value::Value> read(const std::string& name,
                                           const config::Variable* declared,
                                           diag::Diagnostics& diags) const = 0;
};

}  // namespace tofu::testing

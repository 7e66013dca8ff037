// Values for variables from outside the test files: the environment, files of values and the
// command line. An interface.
//
// The caller knows where values come from; a test only reads those that the module under test
// declares.
#pragma once

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
  // The unconverted value of one of them. `declared` says how a text is to be read; null: it is
  // only text.
  virtual diag::Checked<value::Value> read(const std::string& name,
                                           const config::Variable* declared,
                                           diag::Diagnostics& diags) const = 0;
};

}  // namespace tofu::testing

// The settings of a backend as it uses them.
//
// The block takes precedence over the environment variable, and that over the default. A variable
// that is set to nothing counts as not set, a setting that is set to nothing does not. Invalid
// values are reported with the name of the setting; nothing else about a value is shown, since it
// may be secret.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "net/environment.h"
#include "schema/schema.h"
#include "value/value.h"

namespace tofu::backends {

using Variables = std::initializer_list<std::string_view>;

class Settings {
 public:
  // `values` is an object of the kind's schema; all outlive this.
  Settings(std::string_view kind, value::Value values, const net::EnvironmentVariable& environment,
           diag::Diagnostics& diags);

  // Whether nothing was wrong so far.
  bool ok() const { return diags_.error_count() == errors_; }
  // Whether the block sets it.
  bool has(std::string_view name) const;

  std::string text(std::string_view name, Variables variables = {},
                   std::string_view usual = {}) const;
  // An error if it is empty.
  std::string needed_text(std::string_view name, Variables variables = {}) const;
  bool flag(std::string_view name, Variables variables = {}, bool usual = false) const;
  std::int64_t number(std::string_view name, Variables variables = {},
                      std::int64_t usual = 0) const;
  // Of a map, by name.
  std::vector<std::pair<std::string, std::string>> pairs(std::string_view name) const;
  // Of a list or a set.
  std::vector<std::string> list(std::string_view name) const;
  // The settings inside an object, or in the only block of that name; nothing if it is not there.
  std::optional<Settings> inside(std::string_view name) const;

  // Reports that a setting cannot be used: `why` is a sentence without its full stop.
  void refuse(std::string_view name, std::string_view why) const;
  std::string variable(std::string_view name) const { return std::string(environment_(name)); }

 private:
  const value::Value* find(std::string_view name) const;
  std::string first_variable(Variables variables) const;

  std::string kind_;
  std::string path_;  // of what this is inside of, with a dot at its end
  value::Value values_;
  const net::EnvironmentVariable& environment_;
  diag::Diagnostics& diags_;
  std::size_t errors_;
};

// Variables of another library that settings of ours stand for.
using VariableSettings = std::map<std::string, std::string, std::less<>>;

// The environment, overridden by those variables; looked up at each use; `settings` must outlive
// what is returned.
net::EnvironmentVariable environment_with(const VariableSettings& settings,
                                          net::EnvironmentVariable environment);

// For the schemas of kinds.
struct SettingSchema {
  std::string_view name;
  value::Type type = value::Type::string();
  std::string_view about = {};
  bool sensitive = false;
  bool deprecated = false;
  std::vector<SettingSchema> inside = {};  // of an object; `type` does not count then
  // If set, it is written as a block, once at most, and is the one element of this.
  std::optional<schema::Nesting> block = {};
};
// None is required by the schema: it is untrusted input.
schema::Block settings_schema(std::vector<SettingSchema> settings);

}  // namespace tofu::backends

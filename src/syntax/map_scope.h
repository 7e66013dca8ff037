// A scope made of a table of names: for templates, tests and fuzzing.
//
// Knows nothing of modules or addresses: a name is a name. Functions come from
// wherever the maker finds them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/eval.h"
#include "value/value.h"

namespace tofu::syntax {

class MapScope final : public Scope {
 public:
  using Values = std::map<std::string, value::Value, std::less<>>;
  using FindFunction = std::function<const Function*(std::string_view)>;
  using FunctionNames = std::function<std::vector<std::string_view>()>;
  using IsInterrupted = std::function<bool()>;

  explicit MapScope(Values values, FindFunction find = {}, FunctionNames names = {},
                    IsInterrupted interrupted = {}, const ImportedSymbols* symbols = nullptr);

  std::optional<Resolved> resolve(const Traversal& traversal,
                                  diag::Diagnostics& diags) const override;
  const Function* function(std::string_view name) const override;
  std::vector<std::string_view> function_names() const override;
  bool is_interrupted() const override { return interrupted_ && interrupted_(); }
  const ImportedSymbols* symbols() const override { return symbols_; }

 private:
  Values values_;
  FindFunction find_;
  FunctionNames names_;
  IsInterrupted interrupted_;
  const ImportedSymbols* symbols_;
};

}  // namespace tofu::syntax

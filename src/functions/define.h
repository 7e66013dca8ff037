// How a family writes its functions down: one chain of words for each.
//
//     define(list, "abs", "The number without its sign.")
//         .takes("num", Type::number(), {.dynamic = true, .marked = true})
//         .gives(Type::number())
//         .as(absolute);
//
// Parameters keep OpenTofu's names, because the names show in errors and in
// `metadata functions`. A result is promised to be not null unless the chain
// says may_give_null().
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "functions/families.h"
#include "syntax/function.h"
#include "value/type.h"

namespace tofu::functions {

// Which values a parameter lets through to the body. Other arguments are handled before the call:
// null is refused, unknown and dynamic ones give an unknown result, and marks move to the result.
struct Accepts {
  bool null = false;
  bool unknown = false;
  bool dynamic = false;
  bool marked = false;
};
inline constexpr Accepts kAnything{.null = true, .unknown = true, .dynamic = true, .marked = true};

class Definition {
 public:
  using TypeRule = std::function<syntax::CallResult<value::Type>(syntax::Arguments)>;
  using Body = std::function<syntax::CallResult<value::Value>(syntax::Arguments, value::Type)>;
  using BodyInScope = std::function<syntax::CallResult<value::Value>(syntax::Arguments, value::Type,
                                                                     const syntax::Scope*)>;
  using Lazy =
      std::function<std::optional<value::Value>(const syntax::LazyCall&, diag::Diagnostics&)>;

  Definition(List& list, std::string_view name, std::string_view description);

  Definition& takes(std::string_view name, value::Type type, Accepts accepts = {},
                    std::string_view description = "");
  // Any number of further arguments.
  Definition& takes_many(std::string_view name, value::Type type, Accepts accepts = {},
                         std::string_view description = "");
  Definition& gives(value::Type type);
  Definition& gives(TypeRule rule);
  Definition& may_give_null();

  // The last word of a chain: puts the function on the list.
  void as(Body body);
  void as_lazy(Lazy lazy);
  void as_in_scope(BodyInScope body);

 private:
  List& list_;
  syntax::Function function_;
};

Definition define(List& list, std::string_view name, std::string_view description);

}  // namespace tofu::functions

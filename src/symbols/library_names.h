// Resolves names inside a symbol library.
//
// `value.x` is a value of the library itself, `symbols.lib.x` one of a library that
// it imports, and inside a function `param.p` and `local.l` are its own. Functions
// are the library's (`symbols::f`), imported ones (`symbols::lib::f`), and those
// built-in ones whose result depends on their arguments alone.
//
// All names are looked up when the library is compiled, so that all errors are reported then, even
// in functions without a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "diag/diagnostic.h"
#include "functions/table.h"
#include "symbols/library.h"
#include "syntax/ast.h"
#include "syntax/eval.h"
#include "value/value.h"

namespace tofu::symbols {

// The part of a library an expression stands in.
enum class LibraryPart : std::uint8_t {
  Outside,     // of any function
  Validation,  // of a parameter: locals are not settled yet
  TypeRule,    // the validation of a type: `self` is the value
  Impl,        // a function's locals and result
};

struct LibraryContext {
  const Library& library;
  const LibraryFunction* function = nullptr;  // null outside of functions
  LibraryPart part = LibraryPart::Outside;
};

struct Unloaded {};  // belongs to a library that could not be loaded
struct OwnValue {
  const LibraryValue* value;
};
struct ImportedValue {
  const LibraryValue* value;
};
struct SelfValue {};   // `self`: the value of a type that is validated
struct WholeLibrary {  // `symbols.lib` alone
  const Library* library;
};

struct BoundName {
  std::variant<Unloaded, OwnValue, ImportedValue, SelfValue, WholeLibrary, const LibraryParameter*,
               const LibraryLocal*>
      what;
  std::size_t steps = 0;  // of the traversal that name it
};

diag::Checked<BoundName> bind_name(const syntax::Traversal& traversal, const LibraryContext& place,
                                   diag::Diagnostics& diags);

// The target of a call: a function of a library, or a built-in one. Neither: it belongs to a
// library that could not be loaded.
struct BoundCall {
  const LibraryFunction* of_library = nullptr;
  const syntax::Function* builtin = nullptr;
};
// Checks the number of arguments, too.
diag::Checked<BoundCall> bind_call(const syntax::CallExpr& call, const Library& library,
                                   const functions::Table& builtin, diag::Diagnostics& diags);

// The values of a function's parameters and locals during one call.
struct LibraryFrame {
  const LibraryFunction& function;
  std::vector<value::Value> parameters;  // by position, a variadic one last
  std::vector<value::Value> locals;      // by slot, those settled so far
};

// Evaluates names that were bound without an error.
class LibraryScope final : public syntax::Scope {
 public:
  LibraryScope(const Library& library, const functions::Table& builtin,
               const LibraryFrame* frame = nullptr, const value::Value* self = nullptr)
      : library_(library), builtin_(builtin), frame_(frame), self_(self), types_(library) {}

  std::optional<Resolved> resolve(const syntax::Traversal& traversal,
                                  diag::Diagnostics& diags) const override;
  const syntax::Function* function(std::string_view name) const override;
  bool is_interrupted() const override { return builtin_.is_interrupted(); }
  const syntax::ImportedSymbols* symbols() const override { return &types_; }

 private:
  // Templates cannot call functions of libraries here: the order in which functions are settled
  // follows from calls that are written out.
  class Types final : public syntax::ImportedSymbols {
   public:
    explicit Types(const Library& library) : library_(library) {}
    const syntax::Function* function(std::string_view) const override { return nullptr; }
    bool named_type(const syntax::CallExpr& call, syntax::TypeConstraint& out,
                    diag::Diagnostics& diags) const override;

   private:
    const Library& library_;
  };

  LibraryContext context() const;

  const Library& library_;
  const functions::Table& builtin_;
  const LibraryFrame* frame_;
  const value::Value* self_;  // of the rules of a type
  Types types_;
};

}  // namespace tofu::symbols

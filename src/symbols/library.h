// A symbol library: types, values and functions that modules and other libraries
// import.
//
// Made from parsed files by declare_library(), which evaluates nothing but
// constants, and settled by compile_library() (library_compile.h) once the
// libraries it imports are settled themselves. Afterwards nothing changes: values
// are computed, functions can be called, and the library may be shared by any
// number of modules and threads.
//
// Invalid symbols keep their place, to avoid follow-up errors: a type becomes `any`, a value and
// what a function returns become unknown.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/named.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "symbols/symbols_import.h"
#include "syntax/condition.h"
#include "syntax/function.h"
#include "syntax/parser.h"
#include "syntax/type_expr.h"
#include "value/value.h"

namespace tofu::symbols {

class Library;

// A `symbols` block, in a module or in a library.
struct LibraryImport {
  std::string name;
  diag::SourceRange name_range;
  std::string source = {};           // normalized; empty after an error
  std::string version = {};          // the constraint; empty if there is none
  const Library* library = nullptr;  // null if it could not be loaded; reported then
};
using LibraryImports = base::Named<LibraryImport>;

// `typedef "name" { type = … }`. Types are aliases: only the structure counts, and the rules.
struct LibraryType {
  std::string name;
  diag::SourceRange range;  // of the block's header
  diag::SourceRange name_range;
  std::string description = {};
  bool is_private = false;             // only this library may use it
  const syntax::Expr* expr = nullptr;  // null after an error
  std::vector<syntax::Condition> validations = {};

  syntax::TypeConstraint constraint = {};  // with the rules of all types that it is made of
  std::size_t size = 0;                    // how many types it is made of, named ones included
  int depth = 0;        // how deep checking its rules is nested; 0 if it has none, at any depth
  bool broken = false;  // a rule is wrong, and that was reported: none of its own is checked
};

// One argument of a `values` block, or a `value` block.
struct LibraryValue {
  std::string name;
  diag::SourceRange range;  // of the argument, or of the block's header
  diag::SourceRange name_range;
  std::string description = {};
  bool is_private = false;
  const syntax::Expr* expr = nullptr;  // null after an error

  value::Value value = value::Value::unknown();
};

struct LibraryParameter {
  std::string name;
  diag::SourceRange range;     // of the block's header
  std::uint32_t position = 0;  // among the fixed ones; a variadic one comes after them
  std::string description;
  const syntax::Expr* type_expr = nullptr;  // null: any
  bool allow_null = true;
  bool allow_unknown = true;  // otherwise the result is unknown if the argument is
  bool is_optional = false;   // a call may leave it out; then it is the default, or null
  const syntax::Expr* default_expr = nullptr;
  std::vector<syntax::Condition> validations;

  syntax::TypeConstraint constraint = {};
  value::Value default_value = value::Value::null();  // of one that may be left out
};

// One argument of a function's `locals` block.
struct LibraryLocal {
  std::string name;
  diag::SourceRange range;  // of the argument
  const syntax::Expr* expr = nullptr;

  std::uint32_t slot = 0;  // in LibraryFunction::local_order
};

// One argument of a function's `examples` block: a call, and what comes of it.
struct LibraryExample {
  std::string name;
  diag::SourceRange range;                          // of the argument
  std::vector<const syntax::Expr*> arguments = {};  // of the call
  const syntax::Expr* result = nullptr;             // null: the call has to fail
  std::optional<std::string> error = {};            // a part of the message with which it fails
  diag::SourceRange place = {};                     // of the result, or of the error
};

struct LibraryFunction {
  std::string name;
  diag::SourceRange range;  // of the block's header
  diag::SourceRange name_range;
  std::string description;
  bool is_private = false;
  const syntax::Expr* type_expr = nullptr;        // null: the result of the expression
  const syntax::Expr* result = nullptr;           // `return`; null after an error
  base::Named<LibraryParameter> parameters = {};  // the fixed ones, in order
  std::optional<LibraryParameter> variadic = {};
  base::Named<LibraryLocal> locals = {};
  base::Named<LibraryExample> examples = {};

  syntax::TypeConstraint result_type = {};
  std::vector<const LibraryLocal*> local_order = {};  // by need
  std::size_t needed_locals = 0;  // so many of them, the first ones, are for the result
  int depth = 0;                  // how deep a call is nested, calls of others included
  bool calls_others = false;      // functions of libraries, that is
  bool broken = false;            // something is wrong and was reported: a call gives unknown
  syntax::Function callable = {};

  // How many arguments a call has at least.
  std::size_t required() const {
    const auto is_optional = [](const LibraryParameter& each) { return each.is_optional; };
    return static_cast<std::size_t>(
        std::ranges::distance(parameters.begin(), std::ranges::find_if(parameters, is_optional)));
  }
  // Null if there is none of that name.
  const LibraryParameter* parameter(std::string_view wanted) const {
    if (variadic && variadic->name == wanted) return &*variadic;
    return parameters.find(wanted);
  }
};

class Library {
 public:
  std::string path;       // clean; the identity of a library
  std::string directory;  // what sources inside are relative to
  base::Named<LibraryType> types;
  base::Named<LibraryValue> values;
  base::Named<LibraryFunction> functions;
  base::Named<SymbolsImport> import_blocks;
  LibraryImports imports;  // what the blocks lead to; filled when libraries are loaded

  // All values that others may use, as one object: what `symbols.lib` alone means.
  value::Value all_values() const;

  // Fills in the enclosing block of every diagnostic whose place is in this library.
  void name_blocks(std::span<diag::Diagnostic> diagnostics) const;

  // Keeps a file alive for as long as the library: everything above points into files.
  const syntax::File& keep(std::unique_ptr<syntax::File> file);
  void keep_literals_forever() const;  // as of a Module

 private:
  std::unordered_map<std::uint32_t, std::unique_ptr<syntax::File>> files_;  // by id
};

// The files of a directory that belong to its library, in the order of names:
// *.sym.hcl and *.sym.hcl.json.
std::vector<std::string> choose_library_files(std::span<const std::string> names);

// Always returns a library with all parts that could be read: look at `diags`.
std::unique_ptr<Library> declare_library(std::vector<std::unique_ptr<syntax::File>> files,
                                         const diag::SourceMap& sources, diag::Diagnostics& diags);

}  // namespace tofu::symbols

// The traversals of one module, each parsed once and tied to what it names.
//
// A binding holds for every place the module is called from: it names rows of the
// module itself by their position in the module, and rows of a called module by
// the call. Traversals are known by their address in the syntax tree.
//
// Threads: bind() while compiling, on one thread; find() from any afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "addrs/reference.h"
#include "config/module.h"
#include "diag/diagnostic.h"
#include "syntax/ast.h"

namespace tofu::eval {

// Why an object waits for another. Reading a data source later, destroying in order,
// targeting and relevance each ask for some of these only.
enum class Why : std::uint8_t {
  Impl,          // it is part of a module, whose start comes first and whose end comes last
  Repetition,    // count, for_each, enabled
  DependsOn,     // said so
  Body,          // its arguments; also the value of a local, an output, an argument of a call
  Conditions,    // validations, preconditions, postconditions, assertions
  Provisioners,  // with their connections
  Lifecycle,     // replace_triggered_by, prevent_destroy
  Provider,      // the configuration of its provider, and the key that chooses it
  Import,        // the import block that says which existing object it is
};

// The dependencies that follow from one reference.
struct Target {
  enum class Of : std::uint8_t {
    Nothing,      // path.module, count.index, or something that does not exist
    Row,          // a row of the same module
    Output,       // one output of a called module
    WholeModule,  // everything in a called module
    Provider      // the configuration of a provider whose function is called
  };
  Of of = Of::Nothing;
  std::uint32_t row = 0;  // position in the module; of a Provider, in Shape::function_providers()
  const config::ModuleCall* call = nullptr;
  std::string_view output;       // in the reference
  std::uint32_t output_use = 0;  // position in Bindings::output_uses()
  Why why = Why::Body;
};

struct Binding {
  std::optional<addrs::Reference> reference;  // absent: `problems` say why
  std::vector<diag::Diagnostic> problems;
  Target target;
};

// An output of a called module that the module names somewhere.
struct OutputUse {
  const config::ModuleCall* call = nullptr;
  std::string_view output;  // in a reference
};

// Positions of a module's objects among its rows.
using RowOf = std::unordered_map<const void*, std::uint32_t>;

class Bindings {
 public:
  // Both outlive it; `rows` is complete.
  Bindings(const config::Module& module, const RowOf& rows) : module_(module), rows_(rows) {}

  // Reserves memory for about so many.
  void expect(std::size_t traversals) { all_.reserve(traversals); }
  const Binding& bind(const syntax::Traversal& traversal);
  // The same without keeping it, for a traversal that is not part of the module.
  void make(const syntax::Traversal& traversal, std::optional<Binding>& made) const;
  // Null if it was never bound.
  const Binding* find(const syntax::Traversal& traversal) const;
  // One for each reference to an output. Which row that is depends on where the module
  // is called from: see ModuleRows.
  const std::vector<OutputUse>& output_uses() const { return output_uses_; }

 private:
  void fill(Binding& binding, const syntax::Traversal& traversal) const;
  Target target_of(const addrs::Subject& subject) const;
  Target row(const void* declaration) const;

  const config::Module& module_;
  const RowOf& rows_;
  std::unordered_map<const syntax::Traversal*, Binding> all_;
  std::vector<OutputUse> output_uses_;
};

}  // namespace tofu::eval

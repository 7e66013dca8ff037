// The values of a module's variables and locals before there is a plan, and of
// expressions made from them, functions, paths, the workspace and symbol libraries.
//
// Each variable and each local is settled when it is first needed, and only once,
// whether it has a value or fails. Locals are followed without recursion, so a chain
// of a million of them is no problem.
//
// Early values (static_eval.h) and the console share this. What sets them apart is
// behind ModuleValues::Source.
//
// Threads: one ModuleValues belongs to one task, because of what it keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "addrs/reference.h"
#include "config/module.h"
#include "config/module_names.h"
#include "config/values.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/eval.h"
#include "value/value.h"

namespace tofu::config {

class ModuleValues {
 public:
  // Who needs a value, such as module.net.source, and where that is.
  struct Asking {
    std::string what;
    std::optional<diag::SourceRange> place;
  };

  // What becomes of an expression that names something without a value. A local fails
  // in any case, and is passed over in silence if only the expression asked for goes on.
  enum class OnFailure : std::uint8_t { Fail, GoOnWithUnknown };

  struct VariableValue {
    std::optional<value::Value> value;  // absent if and only if an error was added
    bool is_explained = false;          // the error need not say who asked
  };

  // A door: where values come from, and what is said of those that do not exist.
  class Source {
   public:
    virtual ~Source() = default;
    // Whether a declared variable may be named at `place`. False if and only if an
    // error was added.
    virtual bool allows(const Variable& variable, diag::SourceRange place,
                        diag::Diagnostics& diags) const = 0;
    // Asked once for each variable.
    virtual VariableValue variable(const Variable& variable, diag::Diagnostics& diags) const = 0;
    // The value of something that only a plan knows, such as a resource. `chain` says
    // who needs it: "module.net.source uses local.x". Nothing if and only if an error was
    // added.
    virtual std::optional<value::Value> planned(const addrs::Reference& reference,
                                                const std::string& chain,
                                                diag::Diagnostics& diags) const = 0;
    // Reports that `asking` needs `what`, such as local.x, which has no value.
    virtual void report_need(const Asking& asking, const std::string& what,
                             diag::Diagnostics& diags) const = 0;
    // How a thing of this module is named in messages: module.net:local.x.
    virtual std::string full_name(std::string_view name) const = 0;
  };

  // Everything outlives this.
  ModuleValues(const ModuleNames& names, const Source& source, OnFailure on_failure)
      : names_(names), module_(names.module()), source_(source), on_failure_(on_failure) {}

  // Nothing if and only if an error was added.
  std::optional<value::Value> evaluate(const syntax::Expr& expr, Asking asking,
                                       diag::Diagnostics& diags);
  // The same for places whose own checks go on after an error: what failed is unknown.
  // Nothing if something that it refers to has no value.
  std::optional<value::Value> evaluate_despite_errors(const syntax::Expr& expr, Asking asking,
                                                      diag::Diagnostics& diags);
  // The value of a declared variable, which `asking` needs. Nothing if and only if an
  // error was added.
  std::optional<value::Value> value_of(const Variable& variable, const Asking& asking,
                                       diag::Diagnostics& diags);
  // Settles every local and reports those that fail.
  void settle_locals(diag::Diagnostics& diags);
  // Whether a local was found to depend on itself.
  bool has_cycle() const { return has_cycle_; }

 private:
  // What is known of a variable or a local.
  struct Slot {
    enum class State : std::uint8_t { New, Open, Known, Failed };
    State state = State::New;
    std::optional<value::Value> value = {};  // of State::Known
    bool is_explained = false;               // see VariableValue
    // What was said of the failure, in log_.
    std::size_t said_from = 0;
    std::size_t said_to = 0;
  };
  // An expression whose references are being settled. The first is the one asked for,
  // each further one a local that the one before it names.
  struct Frame {
    const syntax::Expr* expr = nullptr;
    Slot* slot = nullptr;  // of the local; null for the expression asked for
    Asking asking;
    std::vector<const syntax::Traversal*> names = {};
    std::size_t next = 0;  // the name to settle next
    bool failed = false;
    std::size_t said_from = 0;
  };
  class Scope;

  using Evaluate = std::optional<value::Value> (*)(const syntax::Expr& expr,
                                                   const syntax::Scope* scope,
                                                   diag::Diagnostics& diags);
  std::optional<value::Value> evaluate_by(Evaluate how, const syntax::Expr& expr, Asking asking,
                                          diag::Diagnostics& diags);
  // Settles everything that the frame's expression needs, and whatever that needs.
  // Afterwards the frame is the only one left.
  Frame& settle(Frame first);
  void open(Frame frame);
  void close();
  void check_names(Frame& frame);
  void settle_name(const syntax::Traversal& traversal, Frame& frame);
  void settle_local(const std::string& name, diag::SourceRange place, Frame& frame);
  void settle_variable(const std::string& name, diag::SourceRange place, Frame& frame);
  void settle(const Variable& variable, Slot& slot);
  // The value of a variable that the frame's expression names.
  const std::optional<value::Value>& settled(const Variable& variable, Frame& frame);
  // The frame's expression names `what`, which failed.
  void need_failed(const Slot& slot, const std::string& what, bool was_told, Frame& frame);
  // Says again why something failed; false if that was said often enough.
  bool repeat(const Slot& slot);
  std::string chain() const;
  // Passes on what was said since.
  void pass_on(std::size_t from, diag::Diagnostics& diags) const;

  ModuleNames names_;
  const Module& module_;
  const Source& source_;
  OnFailure on_failure_;
  std::unordered_map<const Variable*, Slot> variables_;
  std::unordered_map<const Local*, Slot> locals_;
  std::vector<Frame> frames_;
  diag::Diagnostics log_;     // everything that was said so far
  std::size_t repeated_ = 0;  // how much of it was said again
  bool has_cycle_ = false;
};

}  // namespace tofu::config

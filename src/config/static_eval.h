// Evaluating what has to be known before anything is planned: module sources and
// versions, library sources, backends, encryption, provider for_each.
//
// Such an expression may use variables, locals, paths, the workspace, functions and symbol
// libraries, and through them only the same again. Anything else is an error that shows the chain
// of references that led to it. A child's variable is the argument of its call, evaluated in the
// parent.
//
// Each variable and each local is settled when it is first needed, and only once,
// whether it has a value or fails. Locals are followed without recursion, so a chain
// of a million of them is no problem.
//
// Threads: one evaluator belongs to one task, because of what it keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "addrs/module.h"
#include "addrs/reference.h"
#include "config/module.h"
#include "config/module_names.h"
#include "config/values.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "symbols/symbol_source.h"
#include "syntax/ast.h"
#include "value/value.h"

namespace tofu::config {

class StaticEvaluator {
 public:
  // The value given to a variable, unconverted; the default if none was given.
  using Given = std::function<diag::Checked<value::Value>(const Variable& variable,
                                                          diag::Diagnostics& diags)>;

  // Everything outlives it; `place` is where the module is.
  StaticEvaluator(const Module& module, const ModuleNames::Place& place, Given given, RunInfo facts,
                  const functions::Table& functions, const symbols::SymbolSource* symbols = nullptr)
      : module_(module),
        path_(place.path),
        directory_(place.directory),
        root_directory_(place.root_directory),
        given_(std::move(given)),
        facts_(early(std::move(facts))),
        names_(module, {path_, directory_, root_directory_}, symbols, facts_, functions) {}
  // Its fields point into each other.
  StaticEvaluator(const StaticEvaluator&) = delete;
  StaticEvaluator& operator=(const StaticEvaluator&) = delete;

  // `asking` names the user of the value, such as module.net.source, and `place` its place.
  diag::Checked<value::Value> evaluate(const syntax::Expr& expr, std::string asking,
                                       diag::SourceRange place, diag::Diagnostics& diags);
  // The same, for places that cannot take a secret: sensitive, ephemeral and
  // unknown values are errors.
  diag::Checked<value::Value> evaluate_plain(const syntax::Expr& expr, const std::string& asking,
                                             diag::SourceRange place, diag::Diagnostics& diags);

  // The same as evaluate() for places whose own checks go on after an error: what
  // failed is unknown. Nothing if something that it refers to has no value.
  std::optional<value::Value> evaluate_despite_errors(const syntax::Expr& expr, std::string asking,
                                                      diag::SourceRange place,
                                                      diag::Diagnostics& diags);

  // The value of a variable of this module. `place` is the place that needs it, such as the call of
  // the module; the root is called nowhere.
  diag::Checked<value::Value> value_of(const Variable& variable,
                                       std::optional<diag::SourceRange> place,
                                       diag::Diagnostics& diags);

  const Module& module() const { return module_; }

 private:
  // Whether this is an apply is not known yet.
  static RunInfo early(RunInfo facts) {
    facts.applying = std::nullopt;
    return facts;
  }
  // The user of a value, such as module.net.source, and its place.
  struct Asking {
    std::string what;
    std::optional<diag::SourceRange> place;
  };
  // The evaluation status of a variable or a local.
  struct Slot {
    enum class State : std::uint8_t { New, Open, Known, Failed };
    State state = State::New;
    std::optional<value::Value> value = {};  // of State::Known
    bool is_explained = false;               // the error need not name the user
    // The range of log_ that reports the failure.
    std::size_t log_begin = 0;
    std::size_t log_end = 0;
  };
  // An expression whose references are being settled. The first is the requested one, each further
  // one a local that the one before it names.
  struct Frame {
    const syntax::Expr* expr = nullptr;
    Slot* slot = nullptr;  // of the local; null for the requested expression
    Asking asking;
    std::vector<const syntax::Traversal*> names = {};
    std::size_t next = 0;  // the name to settle next
    bool failed = false;
    std::size_t log_begin = 0;
  };
  class Scope;

  using Evaluate = std::optional<value::Value> (*)(const syntax::Expr& expr,
                                                   const syntax::Scope* scope,
                                                   diag::Diagnostics& diags);
  std::optional<value::Value> evaluate_by(Evaluate how, const syntax::Expr& expr, Asking asking,
                                          diag::Diagnostics& diags);

  // Settles all direct and indirect dependencies of the frame's expression. Afterwards the frame is
  // the only one left.
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
  void need_failed(const Slot& slot, const std::string& what, bool was_reported, Frame& frame);
  // Says again why something failed; false if that was said often enough.
  bool repeat(const Slot& slot);
  std::string chain() const;
  // Passes on the diagnostics that log_ has after `from`.
  void pass_on(std::size_t from, diag::Diagnostics& diags) const;

  // False if the variable cannot be named at `place`, which is reported.
  bool allows(const Variable& variable, diag::SourceRange place);
  void refuse_planned(const addrs::Reference& reference);
  void report_need(const Asking& asking, const std::string& what);
  // How a thing of this module is named in messages: module.net:local.x.
  std::string full_name(std::string_view name) const;

  const Module& module_;
  addrs::ModulePath path_;
  std::string directory_;
  std::string root_directory_;
  Given given_;
  RunInfo facts_;
  ModuleNames names_;
  std::unordered_map<const Variable*, Slot> variables_;
  std::unordered_map<const Local*, Slot> locals_;
  std::vector<Frame> frames_;
  diag::Diagnostics log_;     // everything that was said so far
  std::size_t repeated_ = 0;  // how much of it was said again
};

// The value a variable has when given `v`: defaults of optional attributes applied, converted, null
// replaced where it is not allowed, marked as declared. `module` is the one that declares it, and
// `place` where problems are reported.
diag::Checked<value::Value> settle_variable(const Variable& variable, value::Value v,
                                            const addrs::ModulePath& module,
                                            std::optional<diag::SourceRange> place,
                                            diag::Diagnostics& diags);

}  // namespace tofu::config

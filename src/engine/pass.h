// One pass over a program: every object evaluated in every instance of its module, after
// all that it waits for.
//
// What planning, applying and refreshing have in common. They differ in what becomes of
// resources, and say so by overriding resource().
//
// References were checked when the program was validated; here they are only evaluated,
// unless a pass says that its program was not.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "engine/async.h"
#include "engine/cells.h"
#include "engine/check_results.h"
#include "engine/ephemerals.h"
#include "engine/executor.h"
#include "engine/provider_functions.h"
#include "engine/provider_pool.h"
#include "engine/run.h"
#include "engine/ticker.h"
#include "engine/walk.h"
#include "eval/conditions.h"
#include "eval/deprecation.h"
#include "eval/shape.h"
#include "schema/marks.h"

namespace tofu::engine {

class Pass {
 public:
  explicit Pass(const RunInputs& inputs);
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;
  virtual ~Pass() = default;

 protected:
  // What became of a resource row; the rest of the rows are the pass's own affair.
  virtual Async<bool> resource(eval::ObjectId row, diag::Diagnostics& diags) = 0;
  // The state whose objects the run is about.
  virtual const state::State& objects() const = 0;
  // An import block; nothing unless overridden.
  virtual void import(eval::ObjectId, diag::Diagnostics&) {}
  // A root output with its final value; nothing unless overridden.
  virtual void root_output(const config::Output&, const value::Value&) {}

  // Whether validating checked all names. Otherwise those of an expression are checked
  // before it is evaluated.
  virtual bool is_validated() const { return true; }

  // What is visited besides the rows, if there is anything: things numbered after them.
  virtual const eval::Waits& graph() const { return inputs_.program.waits; }
  virtual Async<bool> other_node(std::uint32_t, diag::Diagnostics&) { co_return true; }
  virtual Walk::Turn turn_of(std::uint32_t) const { return Walk::Turn::AtOnce; }
  // Whether providers are used after the rows were visited, too. What they were configured
  // with stays open then until close_all().
  virtual bool uses_providers_later() const { return false; }

  // Gives what was reported about a row the names of the blocks that it is about.
  void name_blocks(eval::ObjectId row, diag::Diagnostics& diags) const;

  // Visits every row that takes part. What was reported, in the order of the program, is
  // added to `diags`.
  void run(diag::Diagnostics& diags);

  // Rows that are left alone: they count as ended, with unknown values.
  void leave_out(std::vector<bool> rows);
  bool is_left_out(eval::ObjectId row) const { return !left_out_.empty() && left_out_[row.index]; }

  const eval::Program& program() const { return inputs_.program; }
  bool is_stopped() const { return inputs_.stop.stop_requested(); }

  eval::Names names(config::ModuleId module, eval::ModuleInstanceId instance) const {
    return eval::Names(evaluation_, eval::Standing(module, instance));
  }

  eval::Names names_at(eval::Standing standing) const {
    return eval::Names(evaluation_, std::move(standing));
  }

  // Lets whoever started the run look at its values; after the last row.
  void let_inspect(diag::Diagnostics& diags) const {
    if (inputs_.inspect) inputs_.inspect(names({}, {}), diags);
  }

  // Calls `work` for each of `count` positions, some of them side by side. Their
  // diagnostics are added in order.
  using Work = std::function<Async<void>(std::size_t position, diag::Diagnostics& diags)>;
  enum class OnStop : std::uint8_t { Leave, GoOn };
  Async<void> for_each(std::size_t count, Work work, diag::Diagnostics& diags,
                       OnStop on_stop = OnStop::Leave);

  // Asks a provider, when it may be asked.
  template <class Answer, class Call>
  Async<Answer> ask(Call call) {
    const Gate::Place place = co_await calls_.enter();
    co_return co_await asking<Answer>(executor_, std::move(call));
  }
  // The same, for what is asked once for each instance. Nobody counts calls that answer at once,
  // if no more threads can make them than may be made: counting takes threads longer than some
  // of these calls do, since each has to fetch the number from the other's processor.
  template <class Answer, class Call>
  Async<Answer> ask(const ConfiguredProvider& whom, Call call) {
    if (!whom.provider->answers_at_once() || executor_.threads() > inputs_.parallelism) {
      co_return co_await ask<Answer>(std::move(call));
    }
    co_return co_await asking<Answer>(executor_, std::move(call));
  }

  // Evaluates rules and reports those that do not hold, with this severity. False if one
  // of them keeps the object from being used.
  struct Rules {
    const std::vector<config::Condition>& conditions;
    addrs::CheckRuleKind kind;
    addrs::Checkable address;
    diag::Severity severity = diag::Severity::Error;
  };
  bool judge(const Rules& rules, const eval::Names& names, diag::Diagnostics& diags);
  // Keeps what became of the rules of an object, and says in `diags` whose they are. False
  // if one of them does not hold.
  bool note_rules(const addrs::Checkable& address, const std::vector<eval::RuleResult>& results,
                  diag::Diagnostics& diags);

  // Reads a data source; `config` is its evaluated block. Nothing if and only if an error
  // was added.
  struct Source {
    addrs::AbsResourceInstance address;
    const config::Resource& config;
    const schema::ResourceSchema& schema;
    ConfiguredProvider& provider;
    value::Value provider_meta = {};
  };
  Async<std::optional<value::Value>> read_data(Source source, schema::Unmarked config,
                                               diag::Diagnostics& diags);
  // Opens an instance of an ephemeral resource, likewise. It is closed when all that uses the
  // row has ended, however that ended.
  Async<std::optional<value::Value>> open_ephemeral(eval::ObjectId row, Source source,
                                                    schema::Unmarked config,
                                                    diag::Diagnostics& diags);
  // Closes what is still open. After an interrupt, too.
  Async<void> close_all(diag::Diagnostics& diags);
  bool has_ephemerals() const { return has_ephemerals_; }

  // The provider configurations that something needs, by row. Others are left alone.
  const std::vector<bool>& used_providers();

  // Tells now and then that this goes on, until the ticker is told that it has ended.
  Ticker::Id tick(plans::Subject subject, plans::Action action, plans::ObjectLabel label);

  // A data source that could not be read and does not stop the run: its arguments, and null
  // for all that it would have said.
  static value::Value without_result(const schema::ResourceSchema& schema,
                                     const schema::Unmarked& arguments);

  // Null if the provider has no such resource, or is not there.
  const schema::ResourceSchema* find_schema(const addrs::Provider& provider,
                                            const addrs::Resource& resource) const;
  // The same of a resource block, which was looked up once.
  const schema::ResourceSchema* schema_of(eval::ObjectId resource) const {
    return program().row(resource).schema;
  }
  // What objects of the resource are like; anything if there is no schema.
  static value::Type type_of(const schema::ResourceSchema* schema);
  // The value of an object that nobody needs to ask a provider about; unknown if it does
  // not fit the schema.
  value::Value stored_value(const state::Object& object, const schema::ResourceSchema& schema);
  struct BlockFacts {
    explicit BlockFacts(const schema::Block& block);
    schema::SchemaMarks marks;     // what the schema makes sensitive
    schema::Selection write_only;  // what it makes write-only
  };
  const BlockFacts& facts_of(const schema::Block& block);
  const schema::SchemaMarks& schema_marks(const schema::Block& block);
  const schema::Selection& write_only(const schema::Block& block);

  // The provider that a resource has, for the instance that `names` is about. Null if
  // and only if an error was added.
  ConfiguredProvider* provider_of(eval::ObjectId resource, const eval::Names& names,
                                  diag::Diagnostics& diags);
  // The one that an object of the state has. Opened if nothing in the configuration
  // needed it so far. Null if an error was added, or was before: it could not be configured.
  Async<ConfiguredProvider*> provider_for_state(const addrs::AbsProviderInstance& address,
                                                addrs::AbsResourceInstance of,
                                                diag::Diagnostics& diags);
  // What the module that something is in tells its provider besides; null if it tells nothing.
  // Nothing if and only if an error was added.
  std::optional<value::Value> provider_meta(const addrs::AbsResourceInstance& address,
                                            const ConfiguredProvider& provider,
                                            diag::Diagnostics& diags);
  addrs::AbsProviderConfig address_of_provider(eval::ObjectId resource) const;

  addrs::AbsResource address_of(eval::ObjectId resource, eval::ModuleInstanceId module) const;
  const config::Resource& resource_at(eval::ObjectId row) const {
    return *std::get<const config::Resource*>(program().object(row).declaration);
  }

  const RunInputs& inputs_;
  Executor executor_;
  Gate calls_;
  Gate opening_;  // of providers that only objects of the state have
  Cells cells_;
  CheckResults checks_;
  ProviderPool providers_;
  Ticker ticker_;

 private:
  Async<bool> visit(std::uint32_t row);
  void keep_found(eval::ObjectId row, diag::Diagnostics diags);
  bool let_go(std::uint32_t node, Walk& walk);
  Async<void> close_row(eval::ObjectId row, diag::Diagnostics& diags);
  Async<void> close_row_and_pass_on(eval::ObjectId row, Walk& walk);
  bool is_read_well(const Source& source, const value::Value& object,
                    diag::Diagnostics& diags) const;
  Async<void> visit_kind(eval::ObjectId row, diag::Diagnostics& diags);
  void module_start(const eval::Object& object, diag::Diagnostics& diags);
  std::optional<value::Value> evaluate(const syntax::Expr& expr, const eval::Names& scope,
                                       diag::Diagnostics& diags) const;
  void argument(eval::ObjectId row, diag::Diagnostics& diags);
  void warn_of_deprecated(const config::Variable& variable, config::ModuleId user,
                          diag::SourceRange place, diag::Diagnostics& diags);
  void variable(eval::ObjectId row, diag::Diagnostics& diags);
  void local(eval::ObjectId row, diag::Diagnostics& diags);
  void output(eval::ObjectId row, diag::Diagnostics& diags);
  void check(eval::ObjectId row, diag::Diagnostics& diags);
  Async<void> provider(eval::ObjectId row, diag::Diagnostics& diags);
  Async<ConfiguredProvider*> when_configured(ConfiguredProvider& provider);
  Async<bool> configure(ConfiguredProvider& configured, value::Value config,
                        const syntax::Body* body, diag::Diagnostics& diags);
  value::Value root_argument(const config::Variable& variable, diag::Diagnostics& diags);
  ConfiguredProvider* find_provider(eval::ObjectId resource, const eval::Names& names,
                                    diag::Diagnostics& diags);
  eval::Names names_around(const eval::Names& names, config::ModuleId module) const;
  // Whoever stands in for the provider of one resource, or the provider itself.
  ConfiguredProvider* substitute(const addrs::ConfigResource& resource, ConfiguredProvider& real);
  void find_substituted();
  void find_declared_facts();
  // A function of the provider with this configuration. Null if there is none.
  const syntax::Function* provider_function(eval::ObjectId config, const std::string& name,
                                            const syntax::Function* listed);

  eval::Deprecations deprecations_;
  eval::Evaluation evaluation_;
  std::vector<bool> left_out_;
  std::vector<bool> substituted_;  // by row: what modules have that are not evaluated
  std::mutex substitutes_mutex_;   // for substitutes_
  std::map<std::pair<addrs::ConfigResource, ConfiguredProvider*>,
           std::unique_ptr<ConfiguredProvider>>
      substitutes_;  // null: there is none
  ProviderFunctions functions_;
  std::vector<bool> used_providers_;  // empty before it is first asked for
  // By row of a configuration without for_each, once its row has ended: null if it failed.
  std::vector<ConfiguredProvider*> configured_;
  std::vector<diag::Diagnostics> found_;  // by row, then by what is visited besides
  std::mutex deprecations_mutex_;         // for those of the inputs
  using FactsByBlock = std::map<const schema::Block*, BlockFacts>;
  FactsByBlock declared_facts_;  // of what the program declares: all there before the walk
  std::mutex facts_mutex_;       // for other_facts_
  FactsByBlock other_facts_;
  std::mutex metas_mutex_;  // for metas_
  std::map<const config::ProviderMeta*, value::Value> metas_;
  bool has_ephemerals_ = false;
  struct Open {
    std::string address;
    Ephemerals::Id id;
  };
  std::mutex open_mutex_;  // for open_
  std::map<eval::ObjectId, std::vector<Open>> open_;
  Ephemerals ephemerals_;  // last, because it closes what is open
};

// What would be an error elsewhere, but not where it is part of a check.
void add_as_warnings(const diag::Diagnostics& problems, const addrs::AbsCheck& check,
                     diag::Diagnostics& diags);

// Adds a provider's problems, at their places in `body` if there is one.
void report(const std::vector<providers::Problem>& problems, const syntax::Body* body,
            const std::string& address, diag::Diagnostics& diags);

}  // namespace tofu::engine

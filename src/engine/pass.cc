#include "engine/pass.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <utility>

#include "base/overloaded.h"
#include "engine/program_rows.h"
#include "eval/expressions.h"
#include "eval/outputs.h"
#include "eval/validate.h"
#include "eval/variables.h"
#include "schema/checks.h"
#include "syntax/eval.h"

namespace tofu::engine {

namespace {

using eval::ModuleInstanceId;
using eval::ObjectId;
using eval::ObjectKind;
using value::Value;

// Also when something is thrown: whoever waits would wait for ever.
struct CountDown {
  Latch* latch;
  ~CountDown() {
    if (latch != nullptr) latch->count_down();
  }
};

}  // namespace

void report(const std::vector<providers::Problem>& problems, const syntax::Body* body,
            const std::string& address, diag::Diagnostics& diags) {
  for (const providers::Problem& problem : problems) {
    diag::Diagnostic made;
    made.severity = problem.severity;
    made.summary = problem.summary;
    made.detail = problem.detail;
    made.address = address;
    if (body != nullptr) made.subject = schema::place_of(*body, problem.attribute);
    diags.add(std::move(made));
  }
}

void add_as_warnings(const diag::Diagnostics& problems, const addrs::AbsCheck& check,
                     diag::Diagnostics& diags) {
  for (diag::Diagnostic one : problems.items()) {
    one.rule_of = addrs::to_string(addrs::Checkable(check));
    one.keep_apart = true;  // each check has something else to say
    one.softened = one.severity == diag::Severity::Error;
    one.severity = diag::Severity::Warning;
    diags.add(std::move(one));
  }
}

Pass::Pass(const RunInputs& inputs)
    : inputs_(inputs),
      executor_(inputs.threads, inputs.shuffle),
      calls_(executor_, std::max(1U, inputs.parallelism)),
      opening_(executor_, 1),
      cells_(inputs.program),
      checks_(*inputs.program.tree),
      providers_(inputs.providers, inputs.substitutes, executor_),
      ticker_(inputs.events),
      deprecations_(*inputs.program.tree, eval::DeprecationLevel::None),
      evaluation_{inputs.program, cells_, inputs.functions, inputs.facts, deprecations_},
      configured_(inputs.program.objects.size()),
      found_(inputs.program.objects.size()),
      ephemerals_(inputs.events, ticker_) {
  for (const config::TreeNode& node : inputs.program.tree->nodes) {
    has_ephemerals_ = has_ephemerals_ || !node.module->ephemeral_resources.empty();
  }
  if (inputs.substitutes != nullptr) find_substituted();
  cells_.set_functions(
      [this](ObjectId config, const std::string& name, const syntax::Function* listed) {
        return provider_function(config, name, listed);
      });
}

// Of a module that is substituted, and of those it calls, nothing exists. Values in them are
// evaluated as usual, as far as they can be.
void Pass::find_substituted() {
  std::vector<bool> modules(program().tree->nodes.size());
  bool any = false;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    const config::TreeNode& node = program().tree->nodes[i];
    modules[i] = (node.parent && modules[node.parent->index]) ||
                 inputs_.substitutes->outputs_of(node.path) != nullptr;
    any = any || modules[i];
  }
  if (!any) return;
  substituted_.resize(program().objects.size());
  for (std::size_t i = 0; i < substituted_.size(); ++i) {
    const eval::Object& object = program().objects[i];
    substituted_[i] = modules[object.module.index] &&
                      (object.kind == ObjectKind::Resource || object.kind == ObjectKind::Check);
  }
}

void Pass::leave_out(std::vector<bool> rows) {
  if (rows.empty()) rows = substituted_;
  for (std::size_t i = 0; i < substituted_.size(); ++i) rows[i] = rows[i] || substituted_[i];
  left_out_ = std::move(rows);
}

const std::vector<bool>& Pass::used_providers() {
  if (!used_providers_.empty()) return used_providers_;
  used_providers_.resize(program().objects.size());
  for (std::size_t row = 0; row < program().provider_configs.size(); ++row) {
    const bool exists = substituted_.empty() || !substituted_[row];
    const auto& config = program().provider_configs[row];
    if (config && exists) used_providers_[config->index] = true;
  }
  for (const eval::ModuleRows& module : program().modules) {
    for (const ObjectId config : module.function_providers) used_providers_[config.index] = true;
  }
  const addrs::AbsProviderConfig* last = nullptr;
  for (const state::Resource* resource : objects().resources()) {
    if (last == &resource->provider()) continue;
    last = &resource->provider();
    if (const auto config = provider_row(program(), *last)) used_providers_[config->index] = true;
  }
  return used_providers_;
}

void Pass::run(diag::Diagnostics& diags) {
  const std::stop_callback on_stop(inputs_.stop, [this] { providers_.stop(); });
  (void)used_providers();
  find_declared_facts();
  found_.resize(graph().size());
  std::optional<Walk> walk;
  Walk::Release release;
  if (has_ephemerals_) release = [&](std::uint32_t node) { return let_go(node, *walk); };
  walk.emplace(
      graph(), executor_, [this](std::uint32_t row) { return visit(row); }, std::move(release),
      [this](std::uint32_t node) { return turn_of(node); },
      std::max(1U, inputs_.parallelism) + executor_.threads());
  walk->start();
  executor_.run();
  for (diag::Diagnostics& found : found_) diags.take(std::move(found));
}

Async<bool> Pass::visit(std::uint32_t index) {
  const ObjectId row{index};
  if (index >= program().objects.size()) {
    if (is_stopped()) co_return false;
    co_return co_await other_node(index, found_[index]);
  }
  if (is_left_out(row)) {
    // Which instances a module has is good to know, but not worth a word here.
    diag::Diagnostics unreported;
    const eval::Object& object = program().object(row);
    if (object.kind == ObjectKind::ModuleStart) module_start(object, unreported);
    co_return true;
  }
  if (is_stopped()) co_return false;
  diag::Diagnostics diags;
  co_await visit_kind(row, diags);
  const bool went_well = !diags.has_errors();
  keep_found(row, std::move(diags));
  co_return went_well;
}

void Pass::keep_found(ObjectId row, diag::Diagnostics diags) {
  if (diags.empty()) return;
  name_blocks(row, diags);
  found_[row.index].take(std::move(diags));
}

void Pass::name_blocks(ObjectId row, diag::Diagnostics& diags) const {
  const config::TreeNode& node = program().node(program().object(row).module);
  node.module->name_blocks(diags.items_from(0));
  if (node.parent) program().node(*node.parent).module->name_blocks(diags.items_from(0));
}

Async<void> Pass::visit_kind(ObjectId row, diag::Diagnostics& diags) {
  const eval::Object& object = program().object(row);
  switch (object.kind) {
    case ObjectKind::ModuleStart: module_start(object, diags); break;
    case ObjectKind::Argument: argument(row, diags); break;
    case ObjectKind::Variable: variable(row, diags); break;
    case ObjectKind::Local: local(row, diags); break;
    case ObjectKind::Output: output(row, diags); break;
    case ObjectKind::Check: check(row, diags); break;
    case ObjectKind::Provider: co_await provider(row, diags); break;
    case ObjectKind::Resource: {
      cells_.open(row);
      const bool went_well = co_await resource(row, diags);
      if (!went_well && !diags.has_errors()) diags.error("A resource failed without a word");
      break;
    }
    case ObjectKind::Import: import(row, diags); break;
    case ObjectKind::ModuleEnd: break;
  }
}

void Pass::module_start(const eval::Object& object, diag::Diagnostics& diags) {
  const config::TreeNode& node = program().node(object.module);
  std::vector<Expansion> expansions;
  if (node.parent) {
    const std::size_t callers = cells_.instances(*node.parent).size();
    for (std::uint32_t i = 0; i < callers; ++i) {
      auto expansion = engine::expand(node.call->repetition, names(*node.parent, {i}), diags);
      if (!expansion) return;
      expansions.push_back(std::move(*expansion));
    }
  }
  cells_.expand(object.module, std::move(expansions));
}

std::optional<Value> Pass::evaluate(const syntax::Expr& expr, const eval::Names& scope,
                                    diag::Diagnostics& diags) const {
  if (is_validated()) return syntax::evaluate(expr, &scope, diags);
  return eval::evaluate_to_pass_on(expr, scope, diags);
}

Value Pass::root_argument(const config::Variable& variable, diag::Diagnostics& diags) {
  const auto given = inputs_.variables.find(variable.name);
  if (given != inputs_.variables.end()) return given->second;
  if (variable.default_value) return *variable.default_value;
  diags.error("No value for required variable")
      .detail(
          fmt::format("The root module needs a value for the variable {:?}, and none was given.",
                      variable.name))
      .at(variable.range);
  return Value::unknown();
}

void Pass::argument(ObjectId row, diag::Diagnostics& diags) {
  const eval::Object& object = program().object(row);
  const config::Variable& variable = *std::get<const config::Variable*>(object.declaration);
  const config::TreeNode& node = program().node(object.module);
  cells_.open(row);
  const std::size_t instances = cells_.instances(object.module).size();
  for (std::uint32_t i = 0; i < instances; ++i) {
    std::optional<Value> given;
    if (!node.parent) {
      given = root_argument(variable, diags);
      if (diags.has_errors()) return;
    } else if (object.argument != nullptr) {
      const ModuleInstanceRow& instance = cells_.instance(object.module, {i});
      eval::Standing standing(*node.parent, instance.parent);
      instance.call->place(standing, instance.position);
      const eval::Names scope(evaluation_, std::move(standing));
      given = evaluate(*object.argument, scope, diags);
    } else {
      given = variable.default_value;
    }
    if (!given) return;
    const auto place = object.argument != nullptr ? object.argument->range : variable.range;
    if (variable.deprecated && object.argument != nullptr && eval::is_certainly_given(*given)) {
      warn_of_deprecated(variable, *node.parent, place, diags);
    }
    auto settled = eval::settle_argument(variable, std::move(*given), node.path, place, diags);
    if (!settled) return;
    cells_.set(row, {i}, std::move(*settled));
  }
}

void Pass::warn_of_deprecated(const config::Variable& variable, config::ModuleId user,
                              diag::SourceRange place, diag::Diagnostics& diags) {
  if (inputs_.deprecations == nullptr) return;
  const std::lock_guard lock(deprecations_mutex_);
  inputs_.deprecations->warn_of(variable, user, place, diags);
}

void Pass::variable(ObjectId row, diag::Diagnostics& diags) {
  const eval::Object& object = program().object(row);
  const config::Variable& variable = *std::get<const config::Variable*>(object.declaration);
  const eval::ModuleRows& rows = program().modules[object.module.index];
  const ObjectId argument{rows.first.index + rows.shape->argument_row_of(&variable)};
  cells_.open(row);
  const std::size_t instances = cells_.instances(object.module).size();
  for (std::uint32_t i = 0; i < instances; ++i) {
    Value given = cells_.of({i}, argument);
    if (!variable.validations.empty()) {
      const eval::Names scope =
          names_at(eval::standing_to_validate(variable, given, eval::Standing(object.module, {i})));
      const addrs::AbsInputVariable address{cells_.instance(object.module, {i}).address,
                                            {variable.name}};
      const auto results = eval::evaluate_validations(variable, object.argument, scope,
                                                      eval::UnknownMessage::Refused, diags);
      note_rules(address, results, diags);
    }
    cells_.set(row, {i}, std::move(given));
  }
  checks_.expanded(addrs::ConfigInputVariable{program().node(object.module).path, {variable.name}});
}

void Pass::local(ObjectId row, diag::Diagnostics& diags) {
  const eval::Object& object = program().object(row);
  const config::Local& local = *std::get<const config::Local*>(object.declaration);
  cells_.open(row);
  const std::size_t instances = cells_.instances(object.module).size();
  for (std::uint32_t i = 0; i < instances; ++i) {
    const eval::Names scope = names(object.module, {i});
    auto v = evaluate(*local.expr, scope, diags);
    if (v) cells_.set(row, {i}, std::move(*v));
  }
}

void Pass::output(ObjectId row, diag::Diagnostics& diags) {
  const eval::Object& object = program().object(row);
  const config::Output& output = *std::get<const config::Output*>(object.declaration);
  const addrs::ModulePath& path = program().node(object.module).path;
  const bool is_root = path.is_root();
  const auto* given =
      inputs_.substitutes == nullptr ? nullptr : inputs_.substitutes->outputs_of(path);
  cells_.open(row);
  const std::size_t instances = cells_.instances(object.module).size();
  for (std::uint32_t i = 0; i < instances; ++i) {
    const eval::Names scope = names(object.module, {i});
    const addrs::AbsOutputValue address{cells_.instance(object.module, {i}).address, {output.name}};
    if (given != nullptr) {
      const auto found = given->find(output.name);
      Value v = found == given->end() ? Value::null() : found->second;
      if (output.is_sensitive()) v = v.with_marks(value::Marks::sensitive());
      cells_.set(row, {i}, std::move(v));
      continue;
    }
    eval::OutputResult result = eval::evaluate_output(output, scope, diag::Severity::Error, diags);
    if (!output.preconditions.empty()) note_rules(address, result.preconditions, diags);
    if (!result.value) continue;
    Value& v = *result.value;
    if (is_root) root_output(output, v);
    cells_.set(row, {i}, std::move(v));
  }
  checks_.expanded(addrs::ConfigOutputValue{program().node(object.module).path, {output.name}});
}

void Pass::check(ObjectId row, diag::Diagnostics& diags) {
  const eval::Object& object = program().object(row);
  const config::Check& check = *std::get<const config::Check*>(object.declaration);
  const std::size_t instances = cells_.instances(object.module).size();
  for (std::uint32_t i = 0; i < instances; ++i) {
    eval::Standing standing(object.module, {i});
    standing.check = &check;
    const addrs::AbsCheck address{cells_.instance(object.module, {i}).address, {check.name}};
    // Where its data source cannot be read, nothing more can be said.
    if (checks_.is_failing(address)) continue;
    judge({check.asserts, addrs::CheckRuleKind::CheckAssertion, address, diag::Severity::Warning},
          eval::Names(evaluation_, std::move(standing)), diags);
  }
  checks_.expanded(addrs::ConfigCheck{program().node(object.module).path, {check.name}});
}

Async<void> Pass::for_each(std::size_t count, Work work, diag::Diagnostics& diags, OnStop on_stop) {
  if (count == 1) {
    diag::Diagnostics own;
    if (!is_stopped() || on_stop != OnStop::Leave) co_await work(0, own);
    co_return diags.take(std::move(own));
  }
  struct Reported {
    std::size_t position;
    diag::Diagnostics diags;
  };
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::vector<Reported> reported;
  const auto take_turns = [&](Latch* latch) -> Async<void> {
    const CountDown at_the_end{latch};
    while (true) {
      const std::size_t position = next.fetch_add(1, std::memory_order_relaxed);
      if (position >= count || (is_stopped() && on_stop == OnStop::Leave)) break;
      diag::Diagnostics own;
      co_await work(position, own);
      if (own.empty()) continue;
      const std::lock_guard lock(mutex);
      reported.push_back({position, std::move(own)});
    }
  };
  const std::size_t side_by_side =
      std::min<std::size_t>(count, inputs_.parallelism + executor_.threads());
  if (side_by_side <= 1) {
    co_await take_turns(nullptr);
  } else {
    Latch latch(executor_, side_by_side);
    for (std::size_t i = 0; i < side_by_side; ++i) executor_.start(take_turns(&latch));
    co_await latch;
  }
  std::ranges::sort(reported, {}, &Reported::position);
  for (Reported& one : reported) diags.take(std::move(one.diags));
}

addrs::AbsResource Pass::address_of(ObjectId row, ModuleInstanceId module) const {
  return {cells_.instance(program().object(row).module, module).address,
          resource_at(row).address()};
}

}  // namespace tofu::engine

#include "engine/inspection.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/program_rows.h"
#include "engine/provider_rows.h"
#include "engine/reading.h"
#include "engine/row_walk.h"
#include "engine/run_context.h"
#include "eval/expressions.h"
#include "eval/variables.h"

namespace tofu::engine {

namespace {

using eval::ModuleInstanceId;
using eval::ObjectId;
using eval::ObjectKind;
using value::Value;

RunInputs with_unset_variables(RunInputs inputs) {
  for (const config::Variable& variable : inputs.program.tree->root().module->variables) {
    if (!variable.is_required()) continue;
    inputs.variables.try_emplace(variable.name, eval::unknown_value(variable).unmarked());
  }
  return inputs;
}

// A state file may say anything; no resource has more instances than this.
constexpr std::int64_t kMaxInstances = 1 << 24;

// The instances that a block has in the state. Keys of the other kind are left over from
// another configuration.
Expansion stored_instances(const config::Repetition& repetition, const state::Resource& stored) {
  std::vector<Value> names;
  std::size_t count = 0;
  bool has_single = false;
  stored.for_each([&](const state::Instance& instance) {
    const addrs::InstanceKey& key = instance.key();
    if (key.is_none()) {
      has_single = true;
    } else if (key.text() != nullptr) {
      names.push_back(Value::string(*key.text()));
    } else if (*key.number() >= 0 && *key.number() < kMaxInstances) {
      count = std::max(count, static_cast<std::size_t>(*key.number()) + 1);
    }
  });
  if (repetition.count != nullptr) return Expansion::counted(count);
  if (repetition.for_each != nullptr)
    return Expansion::over(Value::set(value::Type::string(), std::move(names)));
  if (repetition.enabled != nullptr) return Expansion::enabled(has_single);
  return {};
}

// The rows that have no value.
std::vector<bool> rows_without_value(const eval::Program& program) {
  std::vector<bool> rows(program.objects.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ObjectKind kind = program.objects[i].kind;
    rows[i] =
        kind == ObjectKind::Provider || kind == ObjectKind::Check || kind == ObjectKind::Import;
  }
  return rows;
}

// Gives resources the values that the state has of them.
class StoredValues final : public RowVisitor {
 public:
  // Both outlive it.
  StoredValues(RunContext& run, const state::State& state) : run_(run), state_(state) {}

  tasks::Async<bool> resource(ObjectId row, diag::Diagnostics& diags) override;
  void import(ObjectId, diag::Diagnostics&) override {}  // has no value

 private:
  void put(ObjectId row, ModuleInstanceId module);
  Value no_object(const config::Resource& config, const schema::ResourceSchema& schema);

  RunContext& run_;
  const state::State& state_;
};

tasks::Async<bool> StoredValues::resource(ObjectId row, diag::Diagnostics& /*diags*/) {
  const std::size_t instances = run_.cells.instances(run_.program.object(row).module).size();
  for (std::uint32_t i = 0; i < instances; ++i) put(row, {i});
  co_return true;
}

void StoredValues::put(ObjectId row, ModuleInstanceId module) {
  const config::Resource& config = run_.resource(row);
  const schema::ResourceSchema* schema = run_.program.row(row).schema;
  if (schema == nullptr) return;
  const state::Resource* stored = state_.resource(run_.address(row, module));
  const config::Repetition& repetition = config.repetition;
  // It is not known how many there are.
  const bool is_repeated = repetition.count != nullptr || repetition.for_each != nullptr;
  if (stored == nullptr && is_repeated) return;
  ResourceCell& cell = run_.cells.open_resource(
      row, module, stored == nullptr ? Expansion() : stored_instances(repetition, *stored));
  for (std::size_t i = 0; i < cell.values.size(); ++i) {
    const state::Instance* instance =
        stored == nullptr ? nullptr : stored->find(cell.expansion.key(i));
    const state::Object* object = instance == nullptr ? nullptr : instance->current();
    cell.values[i] = object == nullptr ? no_object(config, *schema)
                                       : run_.schemas.stored_value(*object, *schema);
  }
}

Value StoredValues::no_object(const config::Resource& config,
                              const schema::ResourceSchema& schema) {
  Value v = run_.schemas.marks(schema.block).apply(Value::unknown(schema.block.implied_type()));
  if (config.mode != addrs::ResourceMode::Ephemeral) return v;
  return v.with_marks(value::Marks::ephemeral());
}

}  // namespace

struct Inspection::Impl {
  Impl(RunInputs run_inputs, const state::State& state)
      : inputs(with_unset_variables(std::move(run_inputs))), providers(run, rows, state) {}

  const RunInputs inputs;
  RunContext run{inputs};
  const ActiveRows rows{run.program, inputs.substitutes, rows_without_value(run.program)};
  ProviderRows providers;  // none is configured
  EphemeralResources ephemerals{run};
};

Inspection::Inspection(RunInputs inputs, const state::State& state, diag::Diagnostics& diags)
    : impl_(std::make_unique<Impl>(std::move(inputs), state)) {
  StoredValues resources(impl_->run, state);
  RowEvaluator evaluator(impl_->run, {.is_validated = false});
  RowWalk walk({impl_->run, impl_->rows, evaluator, impl_->providers, impl_->ephemerals},
               {.graph = impl_->run.program.waits, .visitor = resources});
  walk.run(diags);
}

Inspection::~Inspection() = default;

eval::ModuleScope Inspection::names() const {
  return impl_->run.scope(config::ModuleId{}, eval::ModuleInstanceId{});
}

diag::Checked<Value> Inspection::evaluate(const syntax::Expr& expr,
                                          diag::Diagnostics& diags) const {
  return eval::evaluate(expr, names(), diags);
}

}  // namespace tofu::engine

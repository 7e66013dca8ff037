#include "engine/inspection.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/pass.h"
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
constexpr std::int64_t kMostInstances = 1 << 24;

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
    } else if (*key.number() >= 0 && *key.number() < kMostInstances) {
      count = std::max(count, static_cast<std::size_t>(*key.number()) + 1);
    }
  });
  if (repetition.count != nullptr) return Expansion::counted(count);
  if (repetition.for_each != nullptr)
    return Expansion::over(Value::set(value::Type::string(), std::move(names)));
  if (repetition.enabled != nullptr) return Expansion::enabled(has_single);
  return {};
}

}  // namespace

class Inspection::Pass final : public engine::Pass {
 public:
  Pass(const RunInputs& inputs, const state::State& state) : engine::Pass(inputs), state_(state) {
    std::vector<bool> rows(program().objects.size());
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = has_no_value(program().objects[i].kind);
    leave_out(std::move(rows));
  }

  using engine::Pass::run;

  eval::Names root_names() const { return names(config::ModuleId{}, {}); }

 private:
  static bool has_no_value(ObjectKind kind) {
    return kind == ObjectKind::Provider || kind == ObjectKind::Check || kind == ObjectKind::Import;
  }

  const state::State& objects() const override { return state_; }
  bool is_validated() const override { return false; }

  Async<bool> resource(ObjectId row, diag::Diagnostics&) override {
    const std::size_t instances = cells_.instances(program().object(row).module).size();
    for (std::uint32_t i = 0; i < instances; ++i) put(row, {i});
    co_return true;
  }

  void put(ObjectId row, ModuleInstanceId module) {
    const config::Resource& config = resource_at(row);
    const schema::ResourceSchema* schema = schema_of(row);
    if (schema == nullptr) return;
    const state::Resource* stored = state_.resource(address_of(row, module));
    const config::Repetition& repetition = config.repetition;
    // It is not known how many there are.
    const bool is_repeated = repetition.count != nullptr || repetition.for_each != nullptr;
    if (stored == nullptr && is_repeated) return;
    ResourceCell& cell = cells_.open_resource(
        row, module, stored == nullptr ? Expansion() : stored_instances(repetition, *stored));
    for (std::size_t i = 0; i < cell.values.size(); ++i) {
      const state::Instance* instance =
          stored == nullptr ? nullptr : stored->find(cell.expansion.key(i));
      const state::Object* object = instance == nullptr ? nullptr : instance->current();
      cell.values[i] =
          object == nullptr ? no_object(config, *schema) : stored_value(*object, *schema);
    }
  }

  Value no_object(const config::Resource& config, const schema::ResourceSchema& schema) {
    Value v = schema_marks(schema.block).apply(Value::unknown(schema.block.implied_type()));
    if (config.mode != addrs::ResourceMode::Ephemeral) return v;
    return v.with_marks(value::Marks::ephemeral());
  }

  const state::State& state_;
};

Inspection::Inspection(RunInputs inputs, const state::State& state, diag::Diagnostics& diags)
    : inputs_(with_unset_variables(std::move(inputs))),
      pass_(std::make_unique<Pass>(inputs_, state)) {
  pass_->run(diags);
}

Inspection::~Inspection() = default;

eval::Names Inspection::names() const { return pass_->root_names(); }

std::optional<Value> Inspection::evaluate(const syntax::Expr& expr,
                                          diag::Diagnostics& diags) const {
  return eval::evaluate(expr, pass_->root_names(), diags);
}

}  // namespace tofu::engine

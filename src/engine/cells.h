// The values of a program's objects while it runs: each is written once by the task it
// belongs to, and read by those that wait for it.
//
// The objects of a module have one cell per instance of the module; a ModuleInstanceId
// is a position among the instances of its own module. A resource's cell has one value
// per instance, and the value of the whole, which is built when it is first asked for
// and then shared.
//
// Threads: an object's cells are written before its row is said to have ended and only
// read afterwards, so nothing is locked.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "addrs/instance_key.h"
#include "addrs/module.h"
#include "base/once.h"
#include "config/objects.h"
#include "engine/expansion.h"
#include "eval/module_scope.h"
#include "eval/program.h"
#include "value/value.h"

namespace tofu::engine {

struct ModuleInstanceRow {
  eval::ModuleInstanceId parent;    // among the instances of the calling module
  std::uint32_t position = 0;       // in the expansion of the call there
  const Expansion* call = nullptr;  // that expansion; null for the root
  addrs::ModuleInstance address;
};

// Instances of a resource as expressions see them.
struct VisibleInstances {
  Expansion expansion;
  std::vector<value::Value> values;  // by position
};

struct ResourceCell {
  Expansion expansion;
  std::vector<value::Value> values;  // by position
  // What expressions see where not everything that is declared exists or is going to:
  // when nothing is planned, or only a part.
  std::optional<VisibleInstances> seen;

  mutable base::Once built;
  mutable value::Value whole;
};

struct ExistingInstance {
  addrs::InstanceKey key;
  value::Value value;
};

// What is seen of a resource of which these instances exist, whose keys need not be the
// declared ones. A gap in a sequence, and a single object that is not there, is unknown, of
// this type.
VisibleInstances see_existing(const config::Repetition& repetition,
                              std::vector<ExistingInstance> instances, const value::Type& type);

class Cells final : public eval::Values {
 public:
  explicit Cells(const eval::Program& program);

  // The instances of a module, once its start has ended.
  const std::vector<ModuleInstanceRow>& instances(config::ModuleId module) const {
    return modules_[module.index].rows;
  }
  const ModuleInstanceRow& instance(config::ModuleId module, eval::ModuleInstanceId id) const {
    return modules_[module.index].rows[id.index];
  }
  // The instance with this address; nothing if there is none.
  std::optional<eval::ModuleInstanceId> find(const addrs::ModuleInstance& address) const;

  // Whether it is known which instances the module has.
  bool is_expanded(config::ModuleId module) const { return modules_[module.index].is_expanded; }
  // The limit that all expansions of the run share.
  InstanceBudget& budget() { return budget_; }
  // Where the expansions of a call go, one for each instance of the caller, in order.
  void expand(config::ModuleId module, std::vector<Expansion> expansions);

  // Creates the values of an object, unknown so far.
  void open(eval::ObjectId object);
  // Whether that was done: the object's row was visited.
  bool is_open(eval::ObjectId object) const { return !objects_[object.index].values.empty(); }
  void set(eval::ObjectId object, eval::ModuleInstanceId module, value::Value v);
  // Whether an output has got a value: it has none if it failed, or what it needs did.
  bool is_set(eval::ObjectId output, eval::ModuleInstanceId module) const;
  ResourceCell& open_resource(eval::ObjectId object, eval::ModuleInstanceId module,
                              Expansion expansion);
  // Null if it has none (yet).
  const ResourceCell* resource(eval::ObjectId object, eval::ModuleInstanceId module) const;

  value::Value of(eval::ModuleInstanceId module, eval::ObjectId object) const override;
  std::optional<value::Value> of_instance(eval::ModuleInstanceId module, eval::ObjectId resource,
                                          const value::Value& key) const override;
  value::Value of_call(eval::ModuleInstanceId caller, config::ModuleId called) const override;
  std::optional<value::Value> of_output(eval::ModuleInstanceId caller, eval::ObjectId output,
                                        const value::Value* key) const override;
  const syntax::Function* provider_function(std::optional<eval::ObjectId> config,
                                            const addrs::ProviderFunction& function,
                                            const syntax::Function* listed) const override {
    return config && find_function_ ? find_function_(*config, function.function, listed) : listed;
  }

  // Who knows the providers' functions; without it there are those of their schemas.
  using FindFunction = std::function<const syntax::Function*(
      eval::ObjectId config, const std::string& name, const syntax::Function* listed)>;
  void set_functions(FindFunction find) { find_function_ = std::move(find); }

 private:
  // What a module is in the eyes of one instance of its caller.
  struct Call {
    Expansion expansion;
    std::uint32_t first = 0;  // its first instance
    mutable base::Once built;
    mutable value::Value whole;
  };
  struct ModuleCells {
    bool is_expanded = false;
    std::vector<ModuleInstanceRow> rows;
    std::vector<std::unique_ptr<Call>> calls;  // by instance of the caller
  };
  struct ObjectCells {
    std::vector<value::Value> values;  // by instance of the module
    std::vector<bool> are_set;         // of an output, likewise
    std::vector<std::unique_ptr<ResourceCell>> resources;
  };

  value::Value outputs_of(config::ModuleId module, std::uint32_t instance) const;

  InstanceBudget budget_;
  const eval::Program& program_;
  FindFunction find_function_;
  std::vector<ModuleCells> modules_;
  std::vector<ObjectCells> objects_;
};

}  // namespace tofu::engine

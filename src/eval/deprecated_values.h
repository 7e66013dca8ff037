// Values of a program's objects with the marks of deprecated outputs, and of what providers have
// deprecated in resources, on them.
//
// validate() knows modules as unknown values of their types only, and an unknown list of objects
// cannot say that one attribute of its elements is deprecated. So all deprecation warnings use
// these values instead: a module is an object of unknown outputs, a repeated one has one instance
// that stands for all; and resources likewise. They decide nothing else, so marks never change
// which configurations are valid.
#pragma once

#include <map>
#include <optional>

#include "eval/module_scope.h"

namespace tofu::eval {

class DeprecatedValues final : public Values {
 public:
  // `plain` answers for everything that has no marks. All outlive it.
  DeprecatedValues(const Program& program, const Values& plain, const Deprecations& deprecations)
      : program_(program), plain_(plain), deprecations_(deprecations) {}

  // Finds deprecated parts in the schemas of the program's resources and adds them to
  // `deprecations`.
  void find_parts(Deprecations& deprecations);
  // One instance of a resource; nothing if nothing of it is deprecated.
  std::optional<value::Value> one_instance(ObjectId resource) const;

  // The value that a local, a variable or an output passes on; nothing if it has no marks left.
  void keep(ObjectId object, std::optional<value::Value> v);

  value::Value of(ModuleInstanceId module, ObjectId object) const override;
  std::optional<value::Value> of_instance(ModuleInstanceId module, ObjectId resource,
                                          const value::Value& key) const override;
  value::Value of_call(ModuleInstanceId caller, config::ModuleId called) const override;
  std::optional<value::Value> of_output(ModuleInstanceId caller, ObjectId output,
                                        const value::Value* key) const override;
  const syntax::Function* provider_function(std::optional<ObjectId> config,
                                            const addrs::ProviderFunction& function,
                                            const syntax::Function* listed) const override {
    return plain_.provider_function(config, function, listed);
  }

 private:
  value::Marks marks_of(ObjectId output) const;

  const Program& program_;
  const Values& plain_;
  const Deprecations& deprecations_;
  std::map<ObjectId, value::Value> kept_;
  std::map<ObjectId, value::Value> instances_;  // one of each resource that has marks
};

}  // namespace tofu::eval

// Carries out conversion plans on values.
//
// Marks are taken off before a value is looked at and put back on the result;
// nulls and unknowns become nulls and unknowns of the target type. One runner
// serves many values, so that their common types are planned once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "value/convert_plan.h"
#include "value/failure.h"
#include "value/path.h"
#include "value/value.h"

namespace tofu::value {

class Runner {
 public:
  explicit Runner(Planner& planner) : planner_(planner) {}

  PathResult<Value> convert(const Value& v, Type to);

 private:
  // Each gives nothing if a part refused; failure_ then says which and why.
  using Outcome = std::optional<Value>;
  Outcome run(Plan& plan, const Value& v);
  Outcome run_known(Plan& plan, const Plain& v);
  Outcome run_late(const Plan& plan, const Plain& v);
  Outcome object_to_object(const Plan& plan, const Plain& v);
  Outcome map_to_object(const Plan& plan, const Plain& v);
  Outcome tuple_to_tuple(const Plan& plan, const Plain& v);
  Outcome sequence_to_list(const Plan& plan, const Plain& v);
  Outcome sequence_to_set(const Plan& plan, const Plain& v);
  Outcome tuple_to_list(const Plan& plan, const Plain& v);
  Outcome tuple_to_set(const Plan& plan, const Plain& v);
  Outcome map_to_map(const Plan& plan, const Plain& v);
  Outcome object_to_map(const Plan& plan, const Plain& v);

  // The items of `v`, each by its plan (all by plan.element if it has one).
  std::optional<std::vector<Value>> run_items(const Plan& plan, const Plain& v);
  // Converts items of `v` that came out with different types to a common one.
  bool unify_items(const Plain& v, std::vector<Value>& items, Safety safety);
  Outcome finish_map(const Plan& plan, const Plain& v, std::vector<Value> items, Type member,
                     Safety unify_safety);
  Type resolved(Plan& plan, Type from);
  // The part at position `i` of `v` has failed.
  std::nullopt_t fail_at(const Plain& v, std::size_t i);

  Planner& planner_;
  Failure failure_;
};

}  // namespace tofu::value

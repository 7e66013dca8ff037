#include "schema/findings.h"

namespace tofu::schema {

void Findings::note(std::string text, std::vector<value::PathStep> further) {
  value::PathError& problem = problems_.emplace_back();
  problem.path = path();
  for (value::PathStep& step : further) problem.path.steps.push_back(std::move(step));
  problem.what = std::move(text);
}

value::Path Findings::path() const {
  value::Path made;
  made.steps.reserve(steps_.size());
  for (const Step& step : steps_) {
    if (step.name != nullptr) {
      made.steps.emplace_back(value::AttributeStep{*step.name});
    } else {
      made.steps.emplace_back(value::IndexStep{step.key});
    }
  }
  return made;
}

}  // namespace tofu::schema

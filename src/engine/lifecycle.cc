#include "engine/lifecycle.h"

#include <fmt/format.h>
#include <utility>

#include "eval/lifecycle.h"
#include "syntax/eval.h"
#include "value/convert.h"

namespace tofu::engine {

using value::Type;

bool keeps_objects(const config::Resource& resource) {
  if (resource.destroy == nullptr) return false;
  diag::Diagnostics reported;  // when the configuration was validated
  const auto given = syntax::evaluate(*resource.destroy, nullptr, reported);
  if (!given) return false;
  const auto truth = value::convert(given->unmarked(), Type::boolean());
  return truth && !truth->is_null() && truth->is_known() && !truth->unmarked().as_bool();
}

void check_prevent_destroy(const config::Resource& resource,
                           const addrs::AbsResourceInstance& address, plans::Action action,
                           const eval::Names& names, diag::Diagnostics& diags) {
  if (resource.prevent_destroy == nullptr) return;
  const auto truth = eval::evaluate_prevent_destroy(resource, names, diags);
  if (!truth) return;
  const auto refuse = [&](std::string why) {
    diags.error("Invalid value for prevent_destroy")
        .detail(std::move(why))
        .at(resource.prevent_destroy->range);
  };
  const bool destroys = action == plans::Action::Delete ||
                        action == plans::Action::CreateThenDelete ||
                        action == plans::Action::DeleteThenCreate;
  if (!destroys) return;
  if (truth->is_unknown()) {
    return refuse(
        fmt::format("For {}, the value is known only after something else was applied. "
                    "To go on without it, exclude the resource with -exclude.",
                    address.to_string()));
  }
  if (truth->is_null()) {
    return refuse(fmt::format("For {}, the value is null. Write false to allow destroying.",
                              address.to_string()));
  }
  if (!truth->unmarked().as_bool()) return;
  diags.error("Resource instance cannot be destroyed")
      .detail(fmt::format(
          "{} has prevent_destroy set, and the plan would destroy it. Remove prevent_destroy, or "
          "exclude the resource from this plan with -exclude.",
          address.to_string()))
      .at(resource.range);
}

}  // namespace tofu::engine

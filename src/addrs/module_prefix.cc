#include "addrs/module_prefix.h"

#include <fmt/format.h>
#include <string>
#include <utility>

namespace tofu::addrs {

namespace {

std::nullopt_t invalid(diag::Diagnostics& diags, diag::SourceRange place, std::string detail) {
  diags.error("Invalid address").detail(std::move(detail)).at(place);
  return std::nullopt;
}

}  // namespace

diag::Checked<ModulePrefix> parse_module_prefix(Steps steps, Keys keys, diag::Diagnostics& diags) {
  ModuleInstance module;
  while (!steps.empty()) {
    if (!steps.is_name(0)) {
      return invalid(diags, steps.range(0),
                     "The address of a module can only be followed by a dot and a name.");
    }
    if (steps.name(0) != "module") break;
    if (steps.size() < 2 || !steps.is_name(1)) {
      return invalid(diags, steps.range(steps.size() < 2 ? 0 : 1),
                     "The prefix \"module.\" must be followed by the name of a module call.");
    }
    ModuleStep step{std::string(steps.name(1))};
    steps = steps.after(2);
    if (!steps.empty() && steps.key(0) != nullptr) {
      if (keys == Keys::Refused) {
        return invalid(diags, steps.range(0),
                       "An instance key is not allowed here: write the address of the whole "
                       "module, such as module.a, not of one of its instances.");
      }
      auto key = parse_instance_key(*steps.key(0));
      if (!key) {
        return invalid(
            diags, steps.range(0),
            fmt::format("This cannot be the key of a module instance: {}.", key.error().what));
      }
      step.key = std::move(*key);
      steps = steps.after(1);
    }
    module.steps.push_back(std::move(step));
  }
  return ModulePrefix{std::move(module), steps};
}

}  // namespace tofu::addrs

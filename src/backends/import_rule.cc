#include "backends/import_rule.h"

#include <fmt/format.h>

namespace tofu::backends {

std::optional<std::string> refused_import(const state::State& incoming,
                                          const state::State* existing) {
  if (existing == nullptr || existing->is_empty()) return std::nullopt;
  if (incoming.lineage.empty() || existing->lineage.empty()) return std::nullopt;
  if (incoming.lineage != existing->lineage) {
    return fmt::format("its lineage is \"{}\", and that of the state in use \"{}\"",
                       incoming.lineage, existing->lineage);
  }
  if (incoming.serial > existing->serial) return std::nullopt;
  if (incoming.serial < existing->serial) {
    return fmt::format("its serial {} is older than {}, that of the state in use", incoming.serial,
                       existing->serial);
  }
  if (state::same_content(incoming, *existing)) return std::nullopt;
  return fmt::format("its serial {} is that of the state in use, but its content differs",
                     incoming.serial);
}

diag::Checked<void> raise_serial(state::State& state, diag::Diagnostics& diags) {
  if (const auto next = state::next_serial(state.serial)) {
    state.serial = *next;
    return true;
  }
  diags.error("State serial cannot be raised")
      .detail(fmt::format(
          "The state in use has the serial {}, which is the largest possible, so no newer state "
          "can "
          "follow it. Save it with \"tofu state pull\", give it a smaller \"serial\" and another "
          "\"lineage\" in the file, and store it with \"tofu state push -force\".",
          state.serial));
  return false;
}

}  // namespace tofu::backends

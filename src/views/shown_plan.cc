#include "views/shown_plan.h"

#include <algorithm>

#include "views/diff_text.h"
#include "views/paint.h"

namespace tofu::views {

using plans::Action;
using plans::ResourceChange;

std::vector<std::uint32_t> ShownPlan::changes() const {
  std::vector<std::uint32_t> shown = plans::display_order(plan_.addresses, plan_.changes);
  std::erase_if(shown, [&](std::uint32_t i) {
    const ResourceChange& change = plan_.changes[i];
    const auto mode = plan_.addresses[change.resource].resource.mode;
    if (mode == addrs::ResourceMode::Ephemeral) return true;
    if (change.action == Action::Delete && mode != addrs::ResourceMode::Managed) return true;
    return change.action == Action::NoOp && change.previous() == nullptr &&
           change.importing() == nullptr;
  });
  return shown;
}

std::vector<const plans::OutputChange*> ShownPlan::outputs() const {
  std::vector<const plans::OutputChange*> sorted;
  for (const plans::OutputChange& output : plan_.outputs) sorted.push_back(&output);
  std::ranges::sort(sorted, {},
                    [](const auto* output) -> const std::string& { return output->name; });
  return sorted;
}

std::optional<PathFilter> ShownPlan::relevant(const ResourceChange& change) {
  if (plan_.mode == plans::Mode::RefreshOnly) return PathFilter::all();
  if (relevant_paths_.empty()) {
    for (const plans::RelevantAttribute& each : plan_.relevant)
      relevant_paths_[each.resource.to_string()].push_back(each.attribute);
  }
  const auto at =
      relevant_paths_.find(plan_.addresses.instance(change.resource, change.key).to_string());
  if (at == relevant_paths_.end()) return std::nullopt;
  return PathFilter::of(at->second, true);
}

bool ShownPlan::changes_nothing() {
  for (const ResourceChange& change : plan_.changes) {
    if (change.previous() != nullptr) return false;
    const auto mode = plan_.addresses[change.resource].resource.mode;
    if (mode == addrs::ResourceMode::Ephemeral) continue;
    if (mode == addrs::ResourceMode::Data && change.action == Action::Delete) continue;
    base::Arena arena;
    if (ChangeDiff(arena, change, schema_of(change)).diff().action != Action::NoOp) return false;
  }
  return std::ranges::all_of(plan_.outputs, [](const plans::OutputChange& output) {
    base::Arena arena;
    return ChangeDiff(arena, output).diff().action == Action::NoOp;
  });
}

bool ShownPlan::for_each_drift(
    const std::function<void()>& begin,
    const std::function<void(const ResourceChange&, const Diff&)>& show) {
  const bool refresh_only = plan_.mode == plans::Mode::RefreshOnly;
  bool begun = false;
  for (const std::uint32_t i : plans::display_order(plan_.addresses, plan_.drift)) {
    const ResourceChange& change = plan_.drift[i];
    // Objects that were only moved are among the planned changes.
    if (change.action == Action::NoOp && !refresh_only) continue;
    const auto paths = relevant(change);
    if (!paths) continue;
    base::Arena arena;
    const ChangeDiff diff(arena, change, schema_of(change), *paths, copies_);
    if (diff.diff().action == Action::NoOp && !refresh_only) continue;
    if (!begun && !refresh_only && changes_nothing()) return false;
    if (!begun) begin();
    begun = true;
    if (change.action == Action::NoOp && change.previous() == nullptr) continue;
    show(change, diff.diff());
  }
  return begun;
}

void append_change_text(std::string& out, const plans::Addresses& addresses,
                        const ResourceChange& change, const Diff& diff, ChangeCause cause,
                        const ChangeTextOptions& options) {
  const Paint paint(options.color);
  const plans::ResourceRow& row = addresses[change.resource];
  DiffTextOptions style{.color = options.color, .show_sensitive = options.show_sensitive};
  // An object that is only forgotten does not change, and an imported one is
  // new to the reader.
  style.hide_symbols = style.hide_null_suffix = change.action == Action::Forget;
  style.show_unchanged = change.importing() != nullptr;
  append_change_header(out, addresses, change, cause, paint);
  append_action_symbol(out, change.action, paint);
  out += row.resource.mode == addrs::ResourceMode::Managed ? " resource \"" : " data \"";
  out += row.resource.type;
  out += "\" \"";
  out += row.resource.name;
  out += "\" ";
  append_diff_text(out, diff, style);
  out += '\n';
}

}  // namespace tofu::views

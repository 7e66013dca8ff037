#include "views/plan_text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <functional>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "base/counted.h"
#include "base/unicode.h"
#include "diag/wrap.h"
#include "views/change_diff.h"
#include "views/change_overview.h"
#include "views/diff_text.h"
#include "views/ordered_texts.h"
#include "views/paint.h"
#include "views/shown_keys.h"
#include "views/shown_plan.h"
#include "views/summary_text.h"

namespace tofu::views {

namespace {

using plans::Action;
using plans::Mode;
using plans::ResourceChange;

class PlanWriter {
 public:
  PlanWriter(const plans::Plan& plan, const schema::ProviderSchemas& schemas,
             const PlanTextOptions& options, const TextOut& out, std::function<void()> meanwhile)
      : plan_(plan),
        shown_(plan, schemas),
        options_(options),
        paint_(options.color),
        out_(out),
        meanwhile_(std::move(meanwhile)) {}

  void write() {
    write_all();
    write_deferrals();
    if (plan_.reads) {
      out_("\n");
      sentence(reads_text(*plan_.reads));
    }
    if (meanwhile_) meanwhile_();  // no change was written beside it
  }

 private:
  void write_all() {
    const bool drifted = write_drift();
    const std::vector<std::uint32_t> shown = shown_.changes();
    const std::string outputs = outputs_text();
    if (shown.empty() && outputs.empty()) return write_no_changes(drifted);
    if (drifted) write_rule();
    write_legend(shown);
    if (!shown.empty()) write_changes(shown);
    if (!outputs.empty()) write_outputs(outputs, has_actions(shown));
    out_(change_overview(plan_, shown, paint_));
  }

  // The last column stays free, as in OpenTofu: programs look for its lines as
  // they are broken there.
  void sentence(const std::string& text) { out_(diag::wrap_text(text, options_.width - 1) + "\n"); }

  void write_rule() {
    std::string rule;
    for (int i = 0; i < std::max(options_.width, 1); ++i) rule += "─";
    out_("\n" + paint_.gray(rule) + "\n");
  }

  bool has_actions(const std::vector<std::uint32_t>& shown) const {
    return std::ranges::any_of(
        shown, [&](std::uint32_t i) { return plan_.changes[i].action != Action::NoOp; });
  }

  void append_text(std::string& out, const ResourceChange& change, const Diff& diff,
                   ChangeCause cause) const {
    out += '\n';
    append_change_text(out, plan_.addresses, change, diff, cause,
                       {.color = options_.color, .show_sensitive = options_.show_sensitive});
  }

  void write_changes(const std::vector<std::uint32_t>& shown) {
    out_(plan_.errored ? "\nOpenTofu planned these actions before it ran into a problem:\n"
                       : "\nOpenTofu will perform the following actions:\n");
    write_in_order(
        shown,
        [&](std::uint32_t i, base::Arena& arena, std::string& text) {
          const ResourceChange& change = plan_.changes[i];
          const ChangeDiff diff(arena, change, shown_.schema_of(change));
          append_text(text, change, diff.diff(), ChangeCause::Planned);
        },
        out_, std::exchange(meanwhile_, {}));
    plans::ChangeCounts counts;
    for (const std::uint32_t i : shown) {
      const ResourceChange& change = plan_.changes[i];
      if (change.importing() != nullptr) ++counts.import;
      counts.count(change.action);
    }
    const std::string line = plan_summary(counts);
    const std::size_t colon = line.find(':') + 1;
    out_("\n" + paint_.bold(line.substr(0, colon)) + line.substr(colon) + "\n");
  }

  void write_legend(const std::vector<std::uint32_t>& shown) {
    if (!has_actions(shown)) return;
    out_("\n");
    sentence(
        "OpenTofu used the selected providers to generate the following execution plan. Each "
        "action is marked with a symbol:");
    struct Row {
      Action action;
      std::string_view meaning;
    };
    constexpr std::array<Row, 8> kRows{{
        {Action::Create, "create"},
        {Action::Update, "update in-place (current -> planned)"},
        {Action::Delete, "destroy"},
        {Action::DeleteThenCreate, "destroy and then create replacement"},
        {Action::CreateThenDelete, "create replacement and then destroy"},
        {Action::Read, "read (data resources)"},
        {Action::ForgetThenCreate, "forget and then create replacement"},
        {Action::Forget, "forget"},
    }};
    std::array<bool, plans::kActionCount> used{};
    for (const std::uint32_t i : shown) {
      used[static_cast<std::size_t>(plan_.changes[i].action)] = true;
    }
    for (const Row& row : kRows) {
      if (!used[static_cast<std::size_t>(row.action)]) continue;
      // As in OpenTofu, this one stands at the margin here.
      const std::string symbol = action_symbol(row.action, paint_);
      const std::size_t indent = row.action == Action::ForgetThenCreate ? 2 : 0;
      out_(symbol.substr(indent) + " " + std::string(row.meaning) + "\n");
    }
  }

  std::string outputs_text() const {
    const std::vector<const plans::OutputChange*> sorted = shown_.outputs();
    std::vector<std::string_view> names;
    for (const auto* output : sorted) names.push_back(output->name);
    const ShownKeys keys(names, attribute_name);
    std::string text;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      base::Arena arena;
      const ChangeDiff change(arena, *sorted[i]);
      if (change.diff().action == Action::NoOp) continue;
      text += action_symbol(change.diff().action, paint_) + " ";
      append_padded(text, keys[i], keys.width());
      text += " = ";
      append_diff_text(text, change.diff(),
                       {.color = options_.color, .show_sensitive = options_.show_sensitive});
      text += '\n';
    }
    return text;
  }

  void write_deferrals() {
    if (plan_.deferrals.empty()) return;
    out_("\n" + paint_.bold("Deferred: " + base::counted(plan_.deferrals.size(), "resource")) +
         "\n\n");
    sentence("These resources are not part of this plan. Apply it, then plan again:");
    for (const plans::Deferral& deferral : plan_.deferrals) {
      out_(fmt::format("  - {} ({})\n", deferral.resource.to_string(),
                       deferral_text(deferral.reason)));
    }
  }

  void write_outputs(const std::string& outputs, bool with_actions) {
    out_("\nChanges to Outputs:\n" + outputs);
    if (with_actions) return;
    out_("\n");
    sentence(
        "You can apply this plan to save these new output values to the OpenTofu state, without "
        "changing any real infrastructure.");
  }

  // Whether there was anything to tell.
  bool write_drift() {
    const bool told = shown_.for_each_drift([&] { write_drift_opening(); },
                                            [&](const ResourceChange& change, const Diff& diff) {
                                              std::string text;
                                              append_text(text, change, diff, ChangeCause::Drift);
                                              out_(text);
                                            });
    if (told) write_drift_closing();
    return told;
  }

  void write_drift_opening() {
    out_("\n" + paint_.bold_cyan("Note:") +
         paint_.bold(" Objects have changed outside of OpenTofu") + "\n\n");
    sentence(
        "These changes were made outside of OpenTofu since the last \"tofu apply\", and this plan "
        "may depend on them:");
  }

  void write_drift_closing() {
    out_("\n");
    if (plan_.mode == Mode::RefreshOnly) {
      sentence(
          "This is a refresh-only plan: nothing is done to undo these changes. If they are what "
          "you "
          "expected, apply the plan to record them in the state; no remote object changes.");
    } else {
      sentence(
          "Unless you have made equivalent changes to your configuration, or ignored the "
          "attributes with ignore_changes, the following plan may undo these changes or respond "
          "to them.");
    }
  }

  void no_changes(std::string_view rest, const std::string& explanation) {
    out_("\n" + paint_.bold_green("No changes.") + paint_.bold(" " + std::string(rest)) + "\n\n");
    sentence(explanation);
  }

  void write_no_changes(bool drifted) {
    if (plan_.errored) {
      if (drifted) write_rule();
      out_("\n" + paint_.bold_red("Planning failed.") +
           paint_.bold(" OpenTofu ran into an error before the plan was complete.") + "\n\n");
      return;
    }
    switch (plan_.mode) {
      case Mode::RefreshOnly:
        if (drifted) return;
        return no_changes("Your infrastructure still matches the configuration.",
                          "The remote objects are as the last changes left them.");
      case Mode::Destroy:
        if (drifted) write_rule();
        return no_changes("No objects need to be destroyed.",
                          "Either nothing was created yet, or all of it was already deleted "
                          "outside of OpenTofu.");
      case Mode::Normal:
        if (drifted) write_rule();
        if (!plan_.deferrals.empty()) {
          return no_changes("All resources that can be planned now match the configuration.",
                            "The resources below cannot be planned yet, and nothing is left to "
                            "apply that would change that.");
        }
        return no_changes("Your infrastructure matches the configuration.", nothing_to_do(drifted));
    }
  }

  std::string nothing_to_do(bool drifted) const {
    if (!drifted && plan_.reads) {
      return "The configuration matches the state, and the objects that were read; nothing to do.";
    }
    if (!drifted) return "All resources match the configuration; nothing to do.";
    if (plan_.applyable) {
      return "The configuration already matches the changes above. Applying this plan records them "
             "in the state and changes no real infrastructure.";
    }
    return std::string(
               "The configuration already matches the changes above. To record them in the state, "
               "create and apply a refresh-only plan") +
           (options_.in_automation ? "." : ":\n  tofu apply -refresh-only");
  }

  const plans::Plan& plan_;
  ShownPlan shown_;
  const PlanTextOptions& options_;
  Paint paint_;
  const TextOut& out_;
  std::function<void()> meanwhile_;  // empty once it was done
};

}  // namespace

void write_plan_text(const plans::Plan& plan, const schema::ProviderSchemas& schemas,
                     const PlanTextOptions& options, const TextOut& out,
                     const std::function<void()>& meanwhile) {
  PlanWriter(plan, schemas, options, out, meanwhile).write();
}

std::string plan_text(const plans::Plan& plan, const schema::ProviderSchemas& schemas,
                      const PlanTextOptions& options) {
  std::string text;
  write_plan_text(plan, schemas, options, [&](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace tofu::views

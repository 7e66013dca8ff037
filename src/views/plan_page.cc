#include "views/plan_page.h"

#include <optional>
#include <unordered_map>

#include "addrs/check_rule.h"
#include "addrs/resource.h"
#include "base/json_writer.h"
#include "views/change_diff.h"
#include "views/diff_text.h"
#include "views/paint.h"
#include "views/path_filter.h"
#include "views/secret_copies.h"
#include "views/shown_plan.h"
#include "views/summary_text.h"

namespace tofu::views {

// The files of plan_page/.
extern const std::string_view kPlanPageBody;
extern const std::string_view kPlanPageScript;
extern const std::string_view kPlanPageStyle;

namespace {

using plans::Action;
using plans::ResourceChange;

// How the script names an action.
std::string_view page_name(Action action) {
  switch (action) {
    case Action::NoOp: return "none";
    case Action::Create: return "create";
    case Action::Read: return "read";
    case Action::Update: return "update";
    case Action::DeleteThenCreate:
    case Action::CreateThenDelete:
    case Action::ForgetThenCreate: return "replace";
    case Action::Delete: return "delete";
    case Action::Forget: return "forget";
  }
  return "none";
}

class PageData {
 public:
  PageData(const plans::Plan& plan, const schema::ProviderSchemas& schemas,
           const PlanPageInput& input, const TextOut& out)
      : plan_(plan), shown_(plan, schemas, &copies_), input_(input), out_(out), json_(text_) {
    for (std::uint32_t i = 0; i < input.graph.names.size(); ++i) {
      if (!input.graph.names[i].empty()) nodes_.emplace(input.graph.names[i], i);
    }
  }

  void write() {
    learn_secrets();
    json_.begin_object();
    write_details();
    write_changes();
    write_drift();
    write_outputs();
    write_notices();
    write_graph();
    json_.end_object();
    flush();
  }

 private:
  // Pages are handed around, so they do not show copies of sensitive values either.
  void learn_secrets() {
    const auto learn = [&](const ResourceChange& change) {
      if (!change.before.deep_marks().is_sensitive() && !change.after.deep_marks().is_sensitive())
        return;
      base::Arena arena;
      const ChangeDiff diff(arena, change, shown_.schema_of(change));
      copies_.learn(diff.before());
      copies_.learn(diff.after());
    };
    for (const ResourceChange& change : plan_.changes) learn(change);
    for (const ResourceChange& change : plan_.drift) learn(change);
    for (const plans::OutputChange& output : plan_.outputs) {
      base::Arena arena;
      const ChangeDiff diff(arena, output);
      copies_.learn(diff.before());
      copies_.learn(diff.after());
    }
  }

  void flush() {
    out_(text_);
    text_.clear();
  }

  void write_details() {
    json_.field("version", input_.version);
    json_.field("workspace", input_.workspace);
    json_.field("made", plan_.timestamp);
    json_.field("errored", plan_.errored);
    json_.field("mode", plan_.mode == plans::Mode::Destroy       ? "destroy"
                        : plan_.mode == plans::Mode::RefreshOnly ? "refresh-only"
                                                                 : "normal");
    std::string summary =
        plan_.applyable ? plan_summary(plans::count_changes(plan_)) : "No changes.";
    if (plan_.reads) summary += " " + reads_text(*plan_.reads);
    json_.field("summary", summary);
  }

  void write_change(const ResourceChange& change, const Diff& diff, ChangeCause cause) {
    const plans::ResourceRow& row = plan_.addresses[change.resource];
    std::string address = plan_.addresses.instance(change.resource, change.key).to_string();
    if (!change.deposed().empty()) {
      address += " (deposed object " + std::string(change.deposed()) + ")";
    }
    const addrs::ModuleInstance& module = plan_.addresses[row.module];
    json_.begin_object();
    json_.field("address", address);
    json_.field("module", module.to_string());
    json_.field("action", change.importing() != nullptr && change.action == Action::NoOp
                              ? "import"
                              : page_name(change.action));
    if (const auto node = node_of(module, row.resource)) json_.field("node", *node);
    std::string text;
    append_change_text(text, plan_.addresses, change, diff, cause, {});
    json_.field("text", text);
    json_.end_object();
    flush();
  }

  std::optional<std::uint32_t> node_of(const addrs::ModuleInstance& module,
                                       const addrs::Resource& resource) const {
    const auto at = nodes_.find(addrs::ConfigResource{module.path(), resource}.to_string());
    if (at == nodes_.end()) return std::nullopt;
    return at->second;
  }

  void write_changes() {
    json_.key("changes");
    json_.begin_array();
    for (const std::uint32_t i : shown_.changes()) {
      const ResourceChange& change = plan_.changes[i];
      base::Arena arena;
      const ChangeDiff diff(arena, change, shown_.schema_of(change), PathFilter::all(), &copies_);
      write_change(change, diff.diff(), ChangeCause::Planned);
    }
    json_.end_array();
  }

  void write_drift() {
    json_.key("drift");
    json_.begin_array();
    shown_.for_each_drift([] {},
                          [&](const ResourceChange& change, const Diff& diff) {
                            write_change(change, diff, ChangeCause::Drift);
                          });
    json_.end_array();
  }

  void write_outputs() {
    json_.key("outputs");
    json_.begin_array();
    for (const plans::OutputChange* output : shown_.outputs()) {
      base::Arena arena;
      const ChangeDiff change(arena, *output, &copies_);
      if (change.diff().action == Action::NoOp) continue;
      std::string text = action_symbol(change.diff().action, Paint(false)) + " ";
      text += attribute_name(output->name) + " = ";
      append_diff_text(text, change.diff(), {});
      json_.begin_object();
      json_.field("address", output->name);
      json_.field("action", page_name(change.diff().action));
      json_.field("text", text + "\n");
      json_.end_object();
    }
    json_.end_array();
  }

  void write_notice(bool is_error, std::string_view summary, std::string_view detail,
                    std::string_view place) {
    json_.begin_object();
    json_.field("error", is_error);
    json_.field("summary", summary);
    json_.field("detail", detail);
    json_.field("place", place);
    json_.end_object();
  }

  void write_notices() {
    json_.key("notices");
    json_.begin_array();
    for (const PageNotice& notice : input_.notices) {
      write_notice(notice.is_error, notice.summary, notice.detail, notice.place);
    }
    // Those that this run reported itself are among the notices already.
    if (input_.notices.empty()) write_failed_checks();
    json_.end_array();
  }

  void write_failed_checks() {
    for (const plans::CheckedObject& object : plan_.checks) {
      for (const plans::CheckedInstance& instance : object.instances) {
        for (const std::string& problem : instance.problems) {
          write_notice(false, "A condition does not hold", problem,
                       addrs::to_string(instance.address));
        }
      }
    }
  }

  void write_graph() {
    json_.key("graph");
    json_.begin_object();
    json_.key("names");
    json_.begin_array();
    for (const std::string& name : input_.graph.names) json_.string(name);
    json_.end_array();
    json_.key("waits");
    json_.begin_array();
    for (std::uint32_t i = 0; i < input_.graph.waits.size(); ++i) {
      json_.begin_array();
      for (const std::uint32_t wait : input_.graph.waits.of(i)) json_.number(wait);
      json_.end_array();
    }
    json_.end_array();
    json_.end_object();
  }

  const plans::Plan& plan_;
  SecretCopies copies_;
  ShownPlan shown_;
  const PlanPageInput& input_;
  const TextOut& out_;
  std::string text_;
  base::JsonWriter json_;
  std::unordered_map<std::string_view, std::uint32_t> nodes_;  // by name
};

}  // namespace

void write_plan_page(const plans::Plan& plan, const schema::ProviderSchemas& schemas,
                     const PlanPageInput& input, const TextOut& out) {
  out("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
      "<title>Plan</title>\n<style>\n");
  out(kPlanPageStyle);
  out("</style>\n</head>\n<body>\n");
  out(kPlanPageBody);
  // The writer escapes `<`, so nothing in the data ends the element.
  out("<script type=\"application/json\" id=\"plan\">");
  PageData(plan, schemas, input, out).write();
  out("</script>\n<script>\n");
  out(kPlanPageScript);
  out("</script>\n</body>\n</html>\n");
}

}  // namespace tofu::views

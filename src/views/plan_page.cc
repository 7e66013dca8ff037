#include "views/plan_page.h"

#include <optional>
#include <unordered_map>

#include "addrs/check_rule.h"
#include "addrs/resource.h"
#include "base/json_writer.h"
#include "views/change_diff.h"
#include "views/diff_text.h"
#include "views/paint.h"
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
           const PlanPageFacts& facts, const TextOut& out)
      : plan_(plan), shown_(plan, schemas), facts_(facts), out_(out), json_(text_) {
    for (std::uint32_t i = 0; i < facts.graph.names.size(); ++i) {
      if (!facts.graph.names[i].empty()) nodes_.emplace(facts.graph.names[i], i);
    }
  }

  void write() {
    json_.begin_object();
    write_facts();
    write_changes();
    write_drift();
    write_outputs();
    write_notices();
    write_graph();
    json_.end_object();
    flush();
  }

 private:
  void flush() {
    out_(text_);
    text_.clear();
  }

  void write_facts() {
    json_.field("version", facts_.version);
    json_.field("workspace", facts_.workspace);
    json_.field("made", plan_.timestamp);
    json_.field("errored", plan_.errored);
    json_.field("mode", plan_.mode == plans::Mode::Destroy       ? "destroy"
                        : plan_.mode == plans::Mode::RefreshOnly ? "refresh-only"
                                                                 : "normal");
    json_.field("summary",
                plan_.applyable ? plan_summary(plans::count_changes(plan_)) : "No changes.");
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
      write_change(change, ChangeDiff(arena, change, shown_.schema_of(change)).diff(),
                   ChangeCause::Planned);
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
      const ChangeDiff change(arena, *output);
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
    for (const PageNotice& notice : facts_.notices) {
      write_notice(notice.is_error, notice.summary, notice.detail, notice.place);
    }
    // Those that this run reported itself are among the notices already.
    if (facts_.notices.empty()) write_failed_checks();
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
    for (const std::string& name : facts_.graph.names) json_.string(name);
    json_.end_array();
    json_.key("waits");
    json_.begin_array();
    for (std::uint32_t i = 0; i < facts_.graph.waits.size(); ++i) {
      json_.begin_array();
      for (const std::uint32_t wait : facts_.graph.waits.of(i)) json_.number(wait);
      json_.end_array();
    }
    json_.end_array();
    json_.end_object();
  }

  const plans::Plan& plan_;
  ShownPlan shown_;
  const PlanPageFacts& facts_;
  const TextOut& out_;
  std::string text_;
  base::JsonWriter json_;
  std::unordered_map<std::string_view, std::uint32_t> nodes_;  // by name
};

}  // namespace

void write_plan_page(const plans::Plan& plan, const schema::ProviderSchemas& schemas,
                     const PlanPageFacts& facts, const TextOut& out) {
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
  PageData(plan, schemas, facts, out).write();
  out("</script>\n<script>\n");
  out(kPlanPageScript);
  out("</script>\n</body>\n</html>\n");
}

}  // namespace tofu::views

#include "documents/plan_json.h"

#include <algorithm>
#include <variant>
#include <vector>

#include "base/arena.h"
#include "base/json_writer.h"
#include "base/overloaded.h"
#include "documents/checks_json.h"
#include "documents/module_values.h"
#include "documents/plain_json.h"
#include "documents/resource_json.h"
#include "documents/state_json.h"
#include "plans/action.h"
#include "schema/selection.h"
#include "value/json.h"
#include "views/change_diff.h"

namespace tofu::documents {

namespace {

using plans::Action;
using plans::OutputChange;
using plans::ResourceChange;

constexpr std::size_t kPieceSize = 1 << 16;

void write_path(base::JsonWriter& json, const value::Path& path) {
  json.begin_array();
  for (const value::PathStep& step : path.steps) {
    std::visit(base::Overloaded{
                   [&](const value::AttributeStep& s) { json.string(s.name); },
                   [&](const value::IndexStep& s) {
                     base::Arena arena;
                     write_known(json, views::plain_value(arena, s.key));
                   },
               },
               step);
  }
  json.end_array();
}

void write_actions(base::JsonWriter& json, Action action) {
  json.key("actions");
  json.begin_array();
  for (const std::string_view name : plans::names_of(action)) json.string(name);
  json.end_array();
}

// Before and after, and what is unknown of after. A resource of which all is
// known has an empty object for that, an output `false`.
void write_values(base::JsonWriter& json, const views::PlainValue& before,
                  const views::PlainValue& after, bool is_resource) {
  json.key("before");
  write_known(json, before);
  if (!after.unknown) {
    json.key("after");
    write_known(json, after);
  }
  json.key("after_unknown");
  if (has_unknown(after)) {
    write_unknown(json, after);
  } else if (is_resource) {
    json.begin_object();
    json.end_object();
  } else {
    json.boolean(false);
  }
}

class PlanJson {
 public:
  PlanJson(const plans::Plan& plan, const schema::ProviderSchemas& schemas,
           const PlanJsonParts& parts, const views::TextOut& out)
      : plan_(plan),
        provider_schemas_(schemas),
        schemas_(plan.addresses, schemas),
        parts_(parts),
        out_(out),
        json_(text_) {}

  void write() {
    json_.begin_object();
    json_.field("format_version", "1.2");
    json_.field("terraform_version", parts_.version);
    write_variables();
    write_planned_values();
    write_drift();
    write_changes("resource_changes", plan_.changes);
    write_output_changes();
    if (parts_.prior != nullptr && !parts_.prior->empty()) {
      json_.key("prior_state");
      write_state_json(json_, *parts_.prior, provider_schemas_, [this] { flush(kPieceSize); });
    }
    if (!parts_.configuration.empty()) {
      json_.key("configuration");
      json_.raw(parts_.configuration);
    }
    write_relevant_attributes();
    if (!plan_.checks.empty()) {
      json_.key("checks");
      write_checks(json_, plan_.checks);
    }
    json_.field("timestamp", plan_.timestamp);
    json_.field("errored", plan_.errored);
    if (!plan_.deferrals.empty()) {
      json_.key("deferred_changes");
      write_deferrals(json_, plan_.deferrals);
      json_.field("complete", false);
    }
    if (plan_.reads) {
      json_.key("minimal_refresh");
      json_.begin_object();
      json_.field("read", plan_.reads->read);
      json_.field("not_read", plan_.reads->not_read);
      json_.end_object();
    }
    json_.end_object();
    flush(0);
  }

 private:
  // Hands on what was written, once there is enough of it.
  void flush(std::size_t at_least) {
    if (text_.size() < at_least) return;
    out_(text_);
    text_.clear();
  }

  void write_variables() {
    if (plan_.variables.empty()) return;
    std::vector<const plans::VariableValue*> sorted;
    for (const auto& variable : plan_.variables) sorted.push_back(&variable);
    std::ranges::sort(sorted, {}, [](const auto* v) -> const std::string& { return v->name; });
    json_.key("variables");
    json_.begin_object();
    for (const auto* variable : sorted) {
      base::Arena arena;
      json_.key(variable->name);
      json_.begin_object();
      json_.key("value");
      write_known(json_, views::plain_value(arena, variable->value));
      json_.end_object();
    }
    json_.end_object();
  }

  std::vector<const OutputChange*> sorted_outputs() const {
    std::vector<const OutputChange*> sorted;
    for (const OutputChange& output : plan_.outputs) sorted.push_back(&output);
    std::ranges::sort(sorted, {}, [](const auto* o) -> const std::string& { return o->name; });
    return sorted;
  }

  void write_planned_values() {
    json_.key("planned_values");
    json_.begin_object();
    write_planned_outputs();
    std::vector<std::pair<std::string, std::uint32_t>> rows;  // by address
    for (std::uint32_t i = 0; i < plan_.changes.size(); ++i) {
      const ResourceChange& change = plan_.changes[i];
      if (!change.deposed().empty() || change.action == Action::Delete) continue;
      if (plan_.addresses[change.resource].resource.mode == addrs::ResourceMode::Ephemeral)
        continue;
      rows.emplace_back(plan_.addresses.instance(change.resource, change.key).to_string(), i);
    }
    std::ranges::sort(rows);
    ModuleValues modules;
    for (const auto& [address, i] : rows)
      modules.add(plan_.addresses[plan_.addresses[plan_.changes[i].resource].module], i);
    json_.key("root_module");
    modules.write(json_, [&](std::uint32_t i) { write_planned_resource(plan_.changes[i]); });
    json_.end_object();
  }

  void write_planned_outputs() {
    const auto outputs = sorted_outputs();
    const auto goes = [](const OutputChange* output) { return output->action == Action::Delete; };
    if (std::ranges::all_of(outputs, goes)) return;
    json_.key("outputs");
    json_.begin_object();
    for (const OutputChange* output : outputs) {
      if (goes(output)) continue;
      base::Arena arena;
      json_.key(output->name);
      json_.begin_object();
      json_.field("sensitive", output->sensitive);
      if (output->after.wholly_known()) {
        json_.key("type");
        json_.raw(value::type_to_json(output->after.type()));
        json_.key("value");
        write_known(json_, views::plain_value(arena, output->after));
      }
      json_.end_object();
    }
    json_.end_object();
  }

  void write_place(const ResourceChange& change) {
    const plans::ResourceRow& row = plan_.addresses[change.resource];
    json_.field("mode", mode_name(row.resource.mode));
    json_.field("type", row.resource.type);
    json_.field("name", row.resource.name);
    write_key(json_, "index", change.key);
    json_.field("provider_name", row.provider.to_string());
  }

  // Of an object that replaces another one, OpenTofu does not say here what the schema makes
  // sensitive, unless the other one is tainted. The changes say it.
  static value::Value planned_value(const ResourceChange& change,
                                    const schema::ResourceSchema* schema) {
    const bool is_planned_again = plans::is_replace(change.action) &&
                                  change.reason != plans::ActionReason::ReplaceBecauseTainted;
    if (schema == nullptr || !is_planned_again) return change.after;
    return schema::sensitive_attributes(schema->block)
        .changed(change.after, [](const value::Value& v) -> value::Value { return v.unmarked(); });
  }

  void write_planned_resource(const ResourceChange& change) {
    base::Arena arena;
    const schema::ResourceSchema* schema = schemas_.find(change.resource);
    const views::PlainValue after = views::plain_value(arena, planned_value(change, schema));
    json_.begin_object();
    json_.field("address", plan_.addresses.instance(change.resource, change.key).to_string());
    write_place(change);
    json_.field("schema_version", schema != nullptr ? schema->version : std::uint64_t{0});
    if (has_known_members(after)) {
      json_.key("values");
      write_known(json_, after);
    }
    json_.key("sensitive_values");
    write_sensitive(json_, after);
    if (change.details && !change.details->identity_after.is_null()) {
      write_identity(json_, "identity", change.details->identity_after);
      json_.field("identity_schema_version", change.details->identity_version);
    }
    json_.end_object();
    flush(kPieceSize);
  }

  void write_drift() {
    // Objects that were only moved are among the planned changes.
    std::vector<std::uint32_t> rows = plans::display_order(plan_.addresses, plan_.drift);
    if (plan_.mode != plans::Mode::RefreshOnly) {
      std::erase_if(rows, [&](std::uint32_t i) { return plan_.drift[i].action == Action::NoOp; });
    }
    write_rows("resource_drift", plan_.drift, rows);
  }

  void write_changes(std::string_view field, const std::vector<ResourceChange>& changes) {
    std::vector<std::uint32_t> rows = plans::display_order(plan_.addresses, changes);
    std::erase_if(rows, [&](std::uint32_t i) {
      return changes[i].action == Action::Delete &&
             plan_.addresses[changes[i].resource].resource.mode == addrs::ResourceMode::Data;
    });
    write_rows(field, changes, rows);
  }

  void write_rows(std::string_view field, const std::vector<ResourceChange>& changes,
                  const std::vector<std::uint32_t>& rows) {
    if (rows.empty()) return;
    json_.key(field);
    json_.begin_array();
    for (const std::uint32_t i : rows) {
      write_change(changes[i]);
      flush(kPieceSize);
    }
    json_.end_array();
  }

  void write_change(const ResourceChange& change) {
    const plans::ResourceRow& row = plan_.addresses[change.resource];
    json_.begin_object();
    json_.field("address", plan_.addresses.instance(change.resource, change.key).to_string());
    if (change.previous() != nullptr)
      json_.field("previous_address", change.previous()->to_string());
    const addrs::ModuleInstance& module = plan_.addresses[row.module];
    if (!module.is_root()) json_.field("module_address", module.to_string());
    write_place(change);
    if (!change.deposed().empty()) json_.field("deposed", change.deposed());
    json_.key("change");
    write_change_values(change);
    if (change.reason != plans::ActionReason::None)
      json_.field("action_reason", plans::name_of(change.reason));
    json_.end_object();
  }

  void write_change_values(const ResourceChange& change) {
    base::Arena arena;
    const schema::ResourceSchema* schema = schemas_.find(change.resource);
    const auto plain = [&](const value::Value& v) {
      return schema != nullptr ? views::plain_value(arena, v, schema->block)
                               : views::plain_value(arena, v);
    };
    // Values of an ephemeral resource are never stored.
    const bool has_values =
        plan_.addresses[change.resource].resource.mode != addrs::ResourceMode::Ephemeral;
    const views::PlainValue before = has_values ? plain(change.before) : views::PlainValue{};
    const views::PlainValue after = has_values ? plain(change.after) : views::PlainValue{};
    json_.begin_object();
    write_actions(json_, change.action);
    write_values(json_, before, after, true);
    json_.key("before_sensitive");
    write_sensitive(json_, before);
    json_.key("after_sensitive");
    write_sensitive(json_, after);
    if (change.details) write_details(*change.details);
    json_.end_object();
  }

  void write_details(const plans::ChangeDetails& details) {
    if (!details.replace_paths.empty()) {
      json_.key("replace_paths");
      json_.begin_array();
      for (const value::Path& path : details.replace_paths) write_path(json_, path);
      json_.end_array();
    }
    if (details.importing) {
      json_.key("importing");
      json_.begin_object();
      if (!details.importing->id.empty()) {
        json_.field("id", details.importing->id);
      } else {
        write_identity(json_, "identity", details.importing->identity);
      }
      json_.end_object();
    }
    if (!details.generated_config.empty())
      json_.field("generated_config", details.generated_config);
    write_identity(json_, "before_identity", details.identity_before);
    write_identity(json_, "after_identity", details.identity_after);
  }

  void write_output_changes() {
    if (plan_.outputs.empty()) return;
    json_.key("output_changes");
    json_.begin_object();
    for (const OutputChange* output : sorted_outputs()) {
      base::Arena arena;
      json_.key(output->name);
      json_.begin_object();
      write_actions(json_, output->action);
      write_values(json_, views::plain_value(arena, output->before),
                   views::plain_value(arena, output->after), false);
      json_.field("before_sensitive", output->sensitive);
      json_.field("after_sensitive", output->sensitive);
      json_.end_object();
      flush(kPieceSize);
    }
    json_.end_object();
  }

  void write_relevant_attributes() {
    if (plan_.relevant.empty()) return;
    std::vector<std::pair<std::string, const value::Path*>> rows;
    for (const plans::RelevantAttribute& relevant : plan_.relevant)
      rows.emplace_back(relevant.resource.to_string(), &relevant.attribute);
    std::ranges::stable_sort(rows, {},
                             [](const auto& row) -> const std::string& { return row.first; });
    json_.key("relevant_attributes");
    json_.begin_array();
    for (const auto& [address, path] : rows) {
      json_.begin_object();
      json_.field("resource", address);
      json_.key("attribute");
      write_path(json_, *path);
      json_.end_object();
    }
    json_.end_array();
  }

  const plans::Plan& plan_;
  const schema::ProviderSchemas& provider_schemas_;
  views::SchemaLookup schemas_;
  const PlanJsonParts& parts_;
  const views::TextOut& out_;
  std::string text_;
  base::JsonWriter json_;
};

}  // namespace

void write_plan_json(const plans::Plan& plan, const schema::ProviderSchemas& schemas,
                     const PlanJsonParts& parts, const views::TextOut& out) {
  PlanJson(plan, schemas, parts, out).write();
}

}  // namespace tofu::documents

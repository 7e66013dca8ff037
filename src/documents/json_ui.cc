#include "documents/json_ui.h"

#include <algorithm>
#include <fmt/format.h>
#include <variant>
#include <vector>

#include "base/arena.h"
#include "base/check.h"
#include "base/counted.h"
#include "base/json_writer.h"
#include "base/overloaded.h"
#include "diag/render_json.h"
#include "diag/wrap.h"
#include "documents/plain_json.h"
#include "documents/resource_json.h"
#include "value/json.h"
#include "views/apply_progress.h"
#include "views/provision_lines.h"
#include "views/summary_text.h"

namespace tofu::documents {

namespace {

using plans::Action;
using plans::ObjectLabel;

struct Verbs {
  std::string_view name;     // create
  std::string_view begins;   // Creating
  std::string_view goes_on;  // creating
  std::string_view noun;     // Creation
};

Verbs verbs_of(Action action) {
  switch (action) {
    case Action::NoOp: return {"noop", "Applying", "applying", "Apply"};
    case Action::Create: return {"create", "Creating", "creating", "Creation"};
    case Action::Read: return {"read", "Refreshing", "refreshing", "Refresh"};
    case Action::Update: return {"update", "Modifying", "modifying", "Modifications"};
    case Action::DeleteThenCreate:
    case Action::CreateThenDelete: return {"replace", "Replacing", "replacing", "Replacement"};
    // The format has no word for it; OpenTofu has this one.
    case Action::ForgetThenCreate: return {"noop", "Applying", "applying", "Apply"};
    case Action::Delete: return {"delete", "Destroying", "destroying", "Destruction"};
    case Action::Forget: return {"remove", "Removing", "removing", "Removal"};
  }
  base::broken_promise("an action out of range");
}

// The stream has shorter names for reasons of replacements than plans have.
std::string_view reason_name(plans::ActionReason reason) {
  if (reason == plans::ActionReason::ReplaceBecauseTainted) return "tainted";
  if (reason == plans::ActionReason::ReplaceByRequest) return "requested";
  if (reason == plans::ActionReason::ReplaceByTriggers) return "replace_triggered_by";
  if (reason == plans::ActionReason::ReplaceBecauseCannotUpdate) return "cannot_update";
  return plans::name_of(reason);
}

void write_label(base::JsonWriter& json, const ObjectLabel& label) {
  if (!label.key.empty()) json.field("id_key", label.key);
  if (!label.value.empty()) json.field("id_value", label.value);
}

// A value of the language inside a message. OpenTofu makes these by another way
// than the messages, which escapes <, > and &.
template <class Write>
void write_embedded(base::JsonWriter& json, Write&& write) {
  std::string text;
  base::JsonWriter inner(text);
  write(inner);
  json.raw(text);
}

void write_resource(base::JsonWriter& json, std::string_view field,
                    const addrs::AbsResourceInstance& address) {
  const addrs::Resource& resource = address.object.resource;
  json.key(field);
  json.begin_object();
  json.field("addr", address.to_string());
  json.field("module", address.module.to_string());
  json.field("resource", address.object.to_string());
  json.field("implied_provider", resource.implied_provider());
  json.field("resource_type", resource.type);
  json.field("resource_name", resource.name);
  json.key("resource_key");
  if (address.object.key.is_none()) {
    json.null();
  } else {
    base::Arena arena;
    const value::Value key = address.object.key.value();
    write_embedded(
        json, [&](base::JsonWriter& inner) { write_known(inner, views::plain_value(arena, key)); });
  }
  json.end_object();
}

class Messages {
 public:
  Messages(std::string_view timestamp, const diag::SourceMap& sources)
      : timestamp_(timestamp), sources_(sources) {}

  std::string operator()(const plans::RefreshStart& e) const {
    return hook("refresh_start", e.subject, ": Refreshing state..." + views::label_text(e.label),
                [&](base::JsonWriter& json) { write_label(json, e.label); });
  }
  std::string operator()(const plans::RefreshComplete& e) const {
    return hook("refresh_complete", e.subject, ": Refresh complete" + views::label_text(e.label),
                [&](base::JsonWriter& json) { write_label(json, e.label); });
  }
  std::string operator()(const plans::ApplyStart& e) const {
    if (e.action == Action::NoOp) return "";
    const Verbs verbs = verbs_of(e.action);
    return hook("apply_start", e.subject,
                fmt::format(": {}...{}", verbs.begins, views::label_text(e.label)),
                [&](base::JsonWriter& json) {
                  json.field("action", verbs.name);
                  write_label(json, e.label);
                });
  }
  std::string operator()(const plans::ApplyProgress& e) const {
    if (e.action == Action::NoOp) return "";
    const Verbs verbs = verbs_of(e.action);
    return hook(
        "apply_progress", e.subject,
        fmt::format(": Still {}... [{} elapsed]", verbs.goes_on, views::duration_text(e.elapsed)),
        [&](base::JsonWriter& json) {
          json.field("action", verbs.name);
          json.field("elapsed_seconds", e.elapsed.count());
        });
  }
  std::string operator()(const plans::ApplyComplete& e) const {
    if (e.action == Action::NoOp) return "";
    const Verbs verbs = verbs_of(e.action);
    return hook("apply_complete", e.subject,
                fmt::format(": {} complete after {}{}", verbs.noun, views::duration_text(e.elapsed),
                            views::label_text(e.label)),
                [&](base::JsonWriter& json) {
                  json.field("action", verbs.name);
                  write_label(json, e.label);
                  json.field("elapsed_seconds", e.elapsed.count());
                });
  }
  std::string operator()(const plans::ApplyErrored& e) const {
    // OpenTofu has no message for the end of a read that failed: its diagnostic follows.
    if (e.action == Action::NoOp || e.action == Action::Read) return "";
    const Verbs verbs = verbs_of(e.action);
    return hook("apply_errored", e.subject,
                fmt::format(": {} errored after {}", verbs.noun, views::duration_text(e.elapsed)),
                [&](base::JsonWriter& json) {
                  json.field("action", verbs.name);
                  json.field("elapsed_seconds", e.elapsed.count());
                });
  }
  std::string operator()(const plans::ProvisionStart& e) const {
    return hook("provision_start", e.subject,
                fmt::format(": Provisioning with '{}'...", e.provisioner),
                [&](base::JsonWriter& json) { json.field("provisioner", e.provisioner); });
  }
  std::string operator()(const plans::ProvisionOutput& e) const {
    std::string text;
    for (const std::string_view line : views::provision_lines(e.text)) {
      text += hook("provision_progress", e.subject, fmt::format(": ({}): {}", e.provisioner, line),
                   [&](base::JsonWriter& json) {
                     json.field("provisioner", e.provisioner);
                     json.field("output", line);
                   });
    }
    return text;
  }
  std::string operator()(const plans::ProvisionComplete& e) const {
    return hook(
        e.errored ? "provision_errored" : "provision_complete", e.subject,
        fmt::format(": ({}) Provisioning {}", e.provisioner, e.errored ? "errored" : "complete"),
        [&](base::JsonWriter& json) { json.field("provisioner", e.provisioner); });
  }
  std::string operator()(const plans::EphemeralStart& e) const {
    return ephemeral("ephemeral_action_started", e.subject,
                     std::string(step_words(e.step).first) + "...");
  }
  std::string operator()(const plans::EphemeralComplete& e) const {
    return ephemeral("ephemeral_action_complete", e.subject,
                     std::string(step_words(e.step).second) + " complete");
  }
  std::string operator()(const plans::DriftFound& e) const {
    return change("resource_drift", e.change, ": Drift detected (", ")");
  }
  std::string operator()(const plans::ChangePlanned& e) const {
    return change("planned_change", e.change, ": Plan to ", "");
  }
  std::string operator()(const plans::ChangeSummary& e) const {
    return message("info", views::summary_text(e), [&](base::JsonWriter& json) {
      json.key("changes");
      json.begin_object();
      json.field("add", e.counts.add);
      json.field("change", e.counts.change);
      json.field("import", e.counts.import);
      json.field("remove", e.counts.destroy);
      json.field("forget", e.counts.forget);
      json.field("operation", e.operation == plans::Operation::Plan    ? "plan"
                              : e.operation == plans::Operation::Apply ? "apply"
                                                                       : "destroy");
      json.end_object();
      json.field("type", "change_summary");
    });
  }
  std::string operator()(const plans::ResourcesDeferred& e) const {
    return message("info", "Deferred: " + base::counted(e.deferrals.size(), "resource"),
                   [&](base::JsonWriter& json) {
                     json.key("deferred_changes");
                     write_deferrals(json, e.deferrals);
                     json.field("type", "deferred_changes");
                   });
  }
  std::string operator()(const plans::ReadsCounted& e) const {
    return message("info", views::reads_text(e.reads), [&](base::JsonWriter& json) {
      json.key("minimal_refresh");
      json.begin_object();
      json.field("read", e.reads.read);
      json.field("not_read", e.reads.not_read);
      json.end_object();
      json.field("type", "minimal_refresh");
    });
  }
  std::string operator()(const plans::OutputsPlanned& e) const {
    return outputs(e.outputs, [](base::JsonWriter& json, const plans::OutputPlanned& output) {
      json.field("sensitive", output.sensitive);
      json.field("action", verbs_of(output.action).name);
    });
  }
  std::string operator()(const plans::OutputsSaved& e) const {
    return outputs(e.outputs, [](base::JsonWriter& json, const plans::OutputSaved& output) {
      base::Arena arena;
      json.field("sensitive", output.sensitive);
      if (!output.deprecated.empty()) json.field("deprecated", output.deprecated);
      json.key("type");
      json.raw(value::type_to_json(output.value.type()));
      if (output.sensitive) return;
      json.key("value");
      write_embedded(json, [&](base::JsonWriter& inner) {
        write_known(inner, views::plain_value(arena, output.value));
      });
    });
  }
  std::string operator()(const plans::DiagnosticFound& e) const {
    const bool is_error = e.diagnostic.severity == diag::Severity::Error;
    return message(is_error ? "error" : "warn",
                   (is_error ? "Error: " : "Warning: ") + e.diagnostic.summary,
                   [&](base::JsonWriter& json) {
                     json.key("diagnostic");
                     diag::write_json(json, e.diagnostic, sources_);
                     json.field("type", "diagnostic");
                   });
  }
  std::string operator()(const plans::Message& e) const {
    return message("info", e.text, [](base::JsonWriter& json) { json.field("type", "log"); });
  }
  std::string operator()(const plans::EphemeralProgress&) const { return ""; }
  std::string operator()(const plans::EphemeralDeferred&) const { return ""; }
  std::string operator()(const plans::ImportProgress&) const { return ""; }

 private:
  template <class Fields>
  std::string message(std::string_view level, std::string_view text, Fields&& fields) const {
    std::string line;
    base::JsonWriter json(line, {}, false);
    json.begin_object();
    json.field("@level", level);
    json.field("@message", text);
    json.field("@module", "tofu.ui");
    json.field("@timestamp", timestamp_);
    fields(json);
    json.end_object();
    return diag::json_safe_for_terminal(line) + "\n";
  }

  // About an object; `words` follow its address.
  template <class Fields>
  std::string hook(std::string_view type, const plans::Subject& subject, const std::string& words,
                   Fields&& fields) const {
    return message("info", subject.address.to_string() + words, [&](base::JsonWriter& json) {
      json.key("hook");
      json.begin_object();
      write_resource(json, "resource", subject.address);
      fields(json);
      json.end_object();
      json.field("type", type);
    });
  }

  static std::pair<std::string_view, std::string_view> step_words(plans::EphemeralStep step) {
    switch (step) {
      case plans::EphemeralStep::Open: return {"Opening", "Open"};
      case plans::EphemeralStep::Renew: return {"Renewing", "Renew"};
      case plans::EphemeralStep::Close: return {"Closing", "Close"};
    }
    base::broken_promise("a step out of range");
  }

  std::string ephemeral(std::string_view type, const plans::Subject& subject,
                        const std::string& words) const {
    return hook(type, subject, ": " + words,
                [&](base::JsonWriter& json) { json.field("Msg", words); });
  }

  std::string change(std::string_view type, const plans::ChangeNotice& notice,
                     std::string_view before, std::string_view after) const {
    std::string_view action = verbs_of(notice.action).name;
    // A move or an import without other changes has a word of its own.
    const bool is_noop = action == "noop";
    if (is_noop && notice.importing) action = "import";
    if (is_noop && notice.previous) action = "move";
    const std::string text =
        fmt::format("{}{}{}{}", notice.address.to_string(), before, action, after);
    return message("info", text, [&](base::JsonWriter& json) {
      json.key("change");
      json.begin_object();
      write_resource(json, "resource", notice.address);
      if (notice.previous) write_resource(json, "previous_resource", *notice.previous);
      json.field("action", action);
      if (notice.reason != plans::ActionReason::None)
        json.field("reason", reason_name(notice.reason));
      if (notice.importing) write_importing(json, *notice.importing);
      if (!notice.generated_config.empty()) json.field("generated_config", notice.generated_config);
      json.end_object();
      json.field("type", type);
    });
  }

  static void write_importing(base::JsonWriter& json, const plans::Importing& from) {
    json.key("importing");
    json.begin_object();
    if (!from.id.empty()) {
      json.field("id", from.id);
    } else {
      write_identity(json, "identity", from.identity);
    }
    json.end_object();
  }

  template <class Output, class Write>
  std::string outputs(const std::vector<Output>& outputs, Write&& write) const {
    std::vector<const Output*> sorted;
    for (const Output& output : outputs) sorted.push_back(&output);
    std::ranges::sort(sorted, {}, [](const Output* o) -> const std::string& { return o->name; });
    return message("info", fmt::format("Outputs: {}", outputs.size()), [&](base::JsonWriter& json) {
      json.key("outputs");
      json.begin_object();
      for (const Output* output : sorted) {
        json.key(output->name);
        json.begin_object();
        write(json, *output);
        json.end_object();
      }
      json.end_object();
      json.field("type", "outputs");
    });
  }

  std::string_view timestamp_;
  const diag::SourceMap& sources_;
};

}  // namespace

std::string json_ui_text(const plans::Event& event, std::string_view timestamp,
                         const diag::SourceMap& sources) {
  return std::visit(Messages(timestamp, sources), event);
}

}  // namespace tofu::documents

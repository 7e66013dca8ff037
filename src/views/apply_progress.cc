#include "views/apply_progress.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/overloaded.h"
#include "base/unicode.h"
#include "diag/wrap.h"
#include "views/paint.h"
#include "views/provision_lines.h"
#include "views/summary_text.h"
#include "views/value_text.h"

namespace tofu::views {

using diag::safe_for_terminal;

namespace {

using plans::Action;
using plans::EphemeralStep;
using plans::ImportStep;
using plans::ObjectLabel;
using plans::Subject;

constexpr std::size_t kMaxIdLength = 80;

// The words for an action on one object: replacements come as their two halves.
struct Verbs {
  std::string_view begins;     // Creating
  std::string_view goes_on;    // creating
  std::string_view completed;  // Creation
};

Verbs verbs_of(Action action) {
  switch (action) {
    case Action::Create: return {"Creating", "creating", "Creation"};
    case Action::Update: return {"Modifying", "modifying", "Modifications"};
    case Action::Delete: return {"Destroying", "destroying", "Destruction"};
    case Action::Read: return {"Reading", "reading", "Read"};
    case Action::NoOp:
    case Action::DeleteThenCreate:
    case Action::CreateThenDelete:
    case Action::ForgetThenCreate:
    case Action::Forget: return {};
  }
  base::broken_promise("an action out of range");
}

Verbs verbs_of(EphemeralStep step) {
  switch (step) {
    case EphemeralStep::Open: return {"Opening", "opening", "Open"};
    case EphemeralStep::Renew: return {"Renewing", "renewing", "Renew"};
    case EphemeralStep::Close: return {"Closing", "closing", "Close"};
  }
  base::broken_promise("a step out of range");
}

// The middle of a long ID is omitted, so that a line stays one line.
std::string shortened(const std::string& id) {
  std::vector<std::string_view> characters;
  for (std::string_view rest = id; !rest.empty();) {
    const std::size_t length = base::decode_utf8(rest).length;
    characters.push_back(rest.substr(0, length));
    rest.remove_prefix(length);
  }
  if (characters.size() <= kMaxIdLength) return id;
  constexpr std::size_t kLeft = kMaxIdLength / 2 - 1;
  constexpr std::size_t kRight = kMaxIdLength - kLeft - 3;
  std::string out;
  for (std::size_t i = 0; i < kLeft; ++i) out += characters[i];
  out += "...";
  for (std::size_t i = characters.size() - kRight; i < characters.size(); ++i) out += characters[i];
  return out;
}

std::string with_deposed(const Subject& subject) {
  std::string text = subject.address.to_string();
  if (!subject.deposed.empty()) text += " (deposed object " + subject.deposed + ")";
  return text;
}

std::string import_source(const plans::Importing& from) {
  if (!from.id.empty()) return fmt::format(" [id={}]", from.id);
  return label_text(plans::any_label_of(from.identity));
}

class Progress {
 public:
  explicit Progress(const ProgressOptions& options) : options_(options), paint_(options.color) {}

  std::string operator()(const plans::RefreshStart& e) const {
    return line(with_deposed(e.subject) + ": Refreshing state..." + label_text(e.label));
  }
  std::string operator()(const plans::ApplyStart& e) const {
    const Verbs verbs = verbs_of(e.action);
    if (verbs.begins.empty()) return "";
    return line(
        fmt::format("{}: {}...{}", with_deposed(e.subject), verbs.begins, label_text(e.label)));
  }
  std::string operator()(const plans::ApplyProgress& e) const {
    const Verbs verbs = verbs_of(e.action);
    if (verbs.begins.empty()) return "";
    const std::string label =
        e.label.empty() ? "" : fmt::format("{}={}, ", e.label.key, shortened(e.label.value));
    return line(fmt::format("{}: Still {}... [{}{} elapsed]", e.subject.address.to_string(),
                            verbs.goes_on, label, duration_text(e.elapsed)));
  }
  std::string operator()(const plans::ApplyComplete& e) const {
    const Verbs verbs = verbs_of(e.action);
    if (verbs.begins.empty()) return "";
    // The key of a deposed object is not repeated here.
    return line(fmt::format("{}: {} complete after {}{}", e.subject.address.to_string(),
                            verbs.completed, duration_text(e.elapsed), label_text(e.label)));
  }
  std::string operator()(const plans::ProvisionStart& e) const {
    return line(
        fmt::format("{}: Provisioning with '{}'...", e.subject.address.to_string(), e.provisioner));
  }
  std::string operator()(const plans::ProvisionOutput& e) const {
    if (options_.concise) return "";
    const std::string opening =
        paint_.bold(fmt::format("{} ({}):", e.subject.address.to_string(), e.provisioner));
    std::string text;
    for (const std::string_view each : provision_lines(e.text)) {
      text += opening + " ";
      text += each;
      text += '\n';
    }
    return text;
  }
  std::string operator()(const plans::EphemeralStart& e) const {
    return line(fmt::format("{}: {}...", e.subject.address.to_string(), verbs_of(e.step).begins));
  }
  std::string operator()(const plans::EphemeralProgress& e) const {
    return line(fmt::format("{}: Still {}... [{} elapsed]", e.subject.address.to_string(),
                            verbs_of(e.step).goes_on, duration_text(e.elapsed)));
  }
  std::string operator()(const plans::EphemeralComplete& e) const {
    return line(fmt::format("{}: {} complete after {}", e.subject.address.to_string(),
                            verbs_of(e.step).completed, duration_text(e.elapsed)));
  }
  std::string operator()(const plans::EphemeralDeferred& e) const {
    return line(fmt::format("{}: Deferred due to {}", e.subject.address.to_string(),
                            e.reason == plans::DeferReason::UnknownConfig
                                ? "unknown configuration"
                                : "pending dependencies"));
  }
  std::string operator()(const plans::ImportProgress& e) const {
    const std::string_view words = e.step == ImportStep::Preparing   ? "Preparing import..."
                                   : e.step == ImportStep::Importing ? "Importing..."
                                                                     : "Import complete";
    return line(
        fmt::format("{}: {}{}", e.subject.address.to_string(), words, import_source(e.from)));
  }
  std::string operator()(const plans::ChangeSummary& e) const {
    if (e.operation == plans::Operation::Plan) return "";  // the end of the plan's own text
    // Services that run this program look for the words at the beginning of a line.
    return paint_.bold_green("\n" + summary_text(e) + "\n");
  }
  std::string operator()(const plans::OutputsSaved& e) const {
    if (e.outputs.empty()) return "";
    std::vector<const plans::OutputSaved*> sorted;
    for (const plans::OutputSaved& output : e.outputs) sorted.push_back(&output);
    std::ranges::sort(sorted, {}, [](const auto* o) -> const std::string& { return o->name; });
    std::string text = paint_.bold_green("\nOutputs:\n\n");
    for (const plans::OutputSaved* output : sorted) {
      const bool hide = output->sensitive && !options_.show_sensitive;
      text += safe_for_terminal(output->name) + " = " +
              (hide ? "<sensitive>" : value_text(output->value.deep_unmarked())) + "\n";
    }
    return text;
  }
  std::string operator()(const plans::Message& e) const { return e.text + "\n"; }

  std::string operator()(const plans::RefreshComplete&) const { return ""; }
  std::string operator()(const plans::ReadsCounted&) const { return ""; }
  std::string operator()(const plans::ResourcesDeferred&) const { return ""; }
  std::string operator()(const plans::ApplyErrored&) const { return ""; }
  std::string operator()(const plans::ProvisionComplete&) const { return ""; }
  std::string operator()(const plans::DriftFound&) const { return ""; }
  std::string operator()(const plans::ChangePlanned&) const { return ""; }
  std::string operator()(const plans::OutputsPlanned&) const { return ""; }
  std::string operator()(const plans::DiagnosticFound&) const { return ""; }

 private:
  std::string line(const std::string& text) const {
    return options_.concise ? "" : paint_.bold(safe_for_terminal(text)) + "\n";
  }

  const ProgressOptions& options_;
  Paint paint_;
};

}  // namespace

std::string label_text(const ObjectLabel& label) {
  return label.empty() ? "" : fmt::format(" [{}={}]", label.key, label.value);
}

std::string duration_text(std::chrono::seconds elapsed) {
  const auto seconds = elapsed.count();
  if (seconds < 60) return fmt::format("{}s", seconds);
  if (seconds < 3600) return fmt::format("{}m{}s", seconds / 60, seconds % 60);
  return fmt::format("{}h{}m{}s", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

std::string progress_text(const plans::Event& event, const ProgressOptions& options) {
  return std::visit(Progress(options), event);
}

}  // namespace tofu::views

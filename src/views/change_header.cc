#include "views/change_header.h"

#include <cstddef>
#include <string_view>

#include "base/check.h"
#include "base/json_writer.h"
#include "diag/wrap.h"
#include "value/json.h"

namespace tofu::views {

namespace {

using plans::Action;
using plans::ActionReason;
using plans::ResourceChange;

// A key as JSON has it, which is how OpenTofu prints it here.
std::string key_json(const addrs::InstanceKey& key) {
  const auto json = value::to_json(key.value());
  return json ? diag::safe_for_terminal(*json) : "";
}

constexpr std::size_t kUsualLine = 80;

struct Header {
  const plans::Addresses& addresses;
  const ResourceChange& change;
  ChangeCause cause;
  const Paint& paint;

  std::string address() const {
    std::string text;
    append_address(text, addresses, change.resource, change.key);
    return text;
  }
  std::string shown_address() const {
    std::string text;
    append_shown_address(text);
    return text;
  }
  void append_shown_address(std::string& text) const {
    append_address(text, addresses, change.resource, change.key);
    if (change.deposed().empty()) return;
    text.append(" (deposed object ").append(change.deposed()).append(")");
  }

  std::string left_over() const {
    if (change.deposed().empty()) return "";
    return "\n  # (left over from a partially-failed replacement of this instance)";
  }

  std::string wrong_repetition() const {
    if (change.key.is_none()) return "resource uses count or for_each";
    return change.key.number() != nullptr ? "resource does not use count"
                                          : "resource does not use for_each";
  }

  // Why something is read or goes; empty if there is nothing to say.
  std::string reason() const {
    const plans::ResourceRow& row = addresses[change.resource];
    switch (change.reason) {
      case ActionReason::ReadBecauseConfigUnknown: return "config refers to values not yet known";
      case ActionReason::ReadBecauseDependencyPending:
        return "depends on a resource or a module with changes pending";
      case ActionReason::ReadBecauseCheckNested:
        return "config will be reloaded to verify a check block";
      case ActionReason::DeleteBecauseNoResourceConfig:
        return "because " + row.resource.type + "." + row.resource.name +
               " is not in configuration";
      case ActionReason::DeleteBecauseNoMoveTarget:
        return "because " + (change.previous() != nullptr ? change.previous()->to_string() : "") +
               " was moved to " + address() + ", which is not in configuration";
      case ActionReason::DeleteBecauseNoModule:
        return "because " + addresses[row.module].to_string() + " is not in configuration";
      case ActionReason::DeleteBecauseWrongRepetition: return "because " + wrong_repetition();
      case ActionReason::DeleteBecauseCountIndex:
        return "because index [" + key_json(change.key) + "] is out of range for count";
      case ActionReason::DeleteBecauseEnabledFalse: return "because enabled is false";
      case ActionReason::DeleteBecauseEachKey:
        return "because key [" + key_json(change.key) + "] is not in for_each map";
      case ActionReason::None:
      case ActionReason::ReplaceBecauseTainted:
      case ActionReason::ReplaceByRequest:
      case ActionReason::ReplaceByTriggers:
      case ActionReason::ReplaceBecauseCannotUpdate:
      case ActionReason::ForgotBecauseLifecycleDestroyInConfig:
      case ActionReason::ForgotBecauseLifecycleDestroyInState: return "";
    }
    base::broken_promise("a reason out of range");
  }

  std::string reason_line() const {
    const std::string text = reason();
    return text.empty() ? "" : "\n  # (" + text + ")";
  }

  std::string replacement() const {
    const std::string replaced = paint.bold_red("replaced");
    if (change.reason == ActionReason::ReplaceBecauseTainted)
      return " is tainted, so it must be " + replaced;
    if (change.reason == ActionReason::ReplaceByRequest)
      return " will be " + replaced + ", as requested";
    if (change.reason == ActionReason::ReplaceByTriggers)
      return " will be " + replaced + " due to changes in replace_triggered_by";
    return " must be " + replaced;
  }

  std::string removal() const {
    std::string text = cause == ChangeCause::Drift ? " has been deleted"
                                                   : " will be " + paint.bold_red("destroyed");
    return text + reason_line() + left_over();
  }

  std::string forgetting() const {
    std::string text =
        " will be removed from the OpenTofu state " + paint.bold_red("but will not be destroyed");
    const std::string setting = paint.bold("lifecycle.destroy = false");
    if (change.reason == ActionReason::ForgotBecauseLifecycleDestroyInState) {
      text += " \n (because " + setting +
              " was configured before this resource was removed from the configuration)";
    } else if (change.reason == ActionReason::ForgotBecauseLifecycleDestroyInConfig) {
      text += " \n (because " + setting + " is set in the configuration)";
    }
    return text + left_over();
  }

  std::string unchanged() const {
    if (change.previous() != nullptr) {
      return paint.bold("  # " + change.previous()->to_string()) + " has moved to " +
             paint.bold(shown_address());
    }
    std::string text = paint.bold("  # " + shown_address()) + " will be imported";
    if (change.details && !change.details->generated_config.empty())
      text += "\n  # (config will be generated)";
    return text;
  }

  // The text for a change, behind the address.
  std::string happening() const {
    switch (change.action) {
      case Action::Create: return " will be created";
      case Action::Read: return " will be read during apply" + reason_line();
      case Action::Update:
        return cause == ChangeCause::Drift ? " has changed" : " will be updated in-place";
      case Action::DeleteThenCreate:
      case Action::CreateThenDelete: return replacement();
      case Action::ForgetThenCreate:
        return replacement() + " - " + paint.yellow("older instance will not be destroyed ") + "(" +
               paint.bold("lifecycle.destroy = false") + ")" + left_over();
      case Action::Delete: return removal();
      case Action::Forget: return forgetting();
      case Action::NoOp: break;
    }
    base::broken_promise("an action out of range");
  }

  // Where an imported object comes from.
  std::string import_note() const {
    const plans::Importing& from = *change.importing();
    if (!from.id.empty())
      return "  # (imported from \"" + diag::safe_for_terminal(from.id) + "\")\n";
    if (from.identity.is_null()) return "  # (will be imported first)\n";
    const auto json = value::to_json(from.identity.deep_unmarked());
    if (!json) return "  # (will be imported first)\n";
    std::string laid_out;
    base::JsonWriter(laid_out, "  ").raw(diag::safe_for_terminal(*json));
    std::string text = "  # imported using resource identity: ";
    for (const char c : laid_out) {
      text += c;
      if (c == '\n') text += "  # ";
    }
    return text + "\n";
  }

  void append_to(std::string& out) const {
    if (change.action == Action::NoOp) {
      out += unchanged();
    } else {
      std::string line;
      line.reserve(kUsualLine);
      line += "  # ";
      append_shown_address(line);
      paint.append_bold(out, line);
      out += happening();
    }
    out += '\n';
    if (change.previous() != nullptr && change.action != Action::NoOp)
      out += "  # (moved from " + change.previous()->to_string() + ")\n";
    if (change.importing() != nullptr) {
      out += import_note();
      if (change.action == Action::CreateThenDelete || change.action == Action::DeleteThenCreate)
        out += "  # " + paint.yellow("Warning: this will destroy the imported resource") + "\n";
    }
  }
};

}  // namespace

void append_change_header(std::string& out, const plans::Addresses& addresses,
                          const ResourceChange& change, ChangeCause cause, const Paint& paint) {
  Header{addresses, change, cause, paint}.append_to(out);
}

void append_address(std::string& out, const plans::Addresses& addresses, plans::ResourceId resource,
                    const addrs::InstanceKey& key) {
  const plans::ResourceRow& row = addresses[resource];
  if (const addrs::ModuleInstance& module = addresses[row.module]; !module.is_root()) {
    out += module.to_string();
    out += '.';
  }
  row.resource.append_to(out);
  if (!key.is_none()) out += key.to_string();
}

}  // namespace tofu::views

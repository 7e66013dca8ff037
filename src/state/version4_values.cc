// Outputs and check results of state files of version 4.

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "addrs/parse.h"
#include "addrs/text.h"
#include "base/unicode.h"
#include "state/version4_reader.h"
#include "value/json.h"

namespace tofu::state {

namespace {

std::optional<CheckKind> check_kind(std::string_view word) {
  if (word == "resource") return CheckKind::Resource;
  if (word == "output") return CheckKind::Output;
  if (word == "check") return CheckKind::Check;
  if (word == "var") return CheckKind::Variable;
  return std::nullopt;
}

std::string_view keyword(CheckKind kind) {
  switch (kind) {
    case CheckKind::Resource: return "resource";
    case CheckKind::Output: return "output";
    case CheckKind::Check: return "check";
    case CheckKind::Variable: return "var";
  }
  base::broken_promise("check kind out of range");
}

// A status that we do not know is that of a later version, and means nothing to us.
CheckStatus check_status(std::string_view word) {
  if (word == "pass") return CheckStatus::Pass;
  if (word == "fail") return CheckStatus::Fail;
  return word == "error" ? CheckStatus::Error : CheckStatus::Unknown;
}

}  // namespace

void Version4Reader::read_outputs() {
  fields_.members("outputs", [&](std::string_view name) { read_output(std::string(name)); });
}

void Version4Reader::read_output(const std::string& name) {
  Output output;
  std::string_view value;
  std::string_view type;
  UnknownMembers unknown;
  fields_.members("outputs", [&](std::string_view member) {
    if (is_field(member, "value")) {
      value = fields_.raw();
    } else if (is_field(member, "type")) {
      type = fields_.raw();
    } else if (is_field(member, "sensitive")) {
      fields_.boolean("sensitive", output.sensitive);
    } else if (is_field(member, "deprecated")) {
      fields_.text("deprecated", output.deprecated);
    } else {
      unknown.keep(member, fields_.raw());
    }
  });
  const auto parsed_type = value::parse_json_type(type);
  if (!parsed_type) {
    diags_.error("Invalid type of an output in state")
        .detail(fmt::format("The type of the output {} in the state file cannot be read: {}.",
                            base::quote_go(name), parsed_type.error().what));
    return;
  }
  auto parsed = value::parse_json(value, *parsed_type);
  if (auto problem = parsed ? value::json_problem(*parsed) : std::nullopt) {
    parsed = std::move(*problem);
  }
  if (!parsed) {
    diags_.error("Invalid value of an output in state")
        .detail(fmt::format("The value of the output {} in the state file does not have the type "
                            "that the file gives: {}.",
                            base::quote_go(name),
                            output.sensitive ? "the value is sensitive" : parsed.error().what));
    return;
  }
  output.value = std::move(*parsed);
  state_.outputs.insert_or_assign(name, std::move(output));
  if (std::string text = unknown.text(); !text.empty()) {
    state_.unknown_of_outputs.insert_or_assign(name, std::move(text));
  } else {
    state_.unknown_of_outputs.erase(name);  // of another output of that name
  }
}

void Version4Reader::read_checks() {
  fields_.items("check_results", [&] { read_check(); });
}

void Version4Reader::read_check() {
  struct Named {
    std::string address, status;
    std::vector<std::string> failures;
  };
  std::string kind_word;
  Named whole;
  std::vector<Named> objects;
  fields_.members("check_results", [&](std::string_view name) {
    if (is_field(name, "object_kind")) {
      fields_.text("object_kind", kind_word);
    } else if (is_field(name, "config_addr")) {
      fields_.text("config_addr", whole.address);
    } else if (is_field(name, "status")) {
      fields_.text("status", whole.status);
    } else if (is_field(name, "objects")) {
      fields_.items("objects", [&] {
        Named& object = objects.emplace_back();
        fields_.members("objects", [&](std::string_view member) {
          if (is_field(member, "object_addr")) {
            fields_.text("object_addr", object.address);
          } else if (is_field(member, "status")) {
            fields_.text("status", object.status);
          } else if (is_field(member, "failure_messages")) {
            fields_.items("failure_messages", [&] {
              fields_.text("failure_messages", object.failures.emplace_back());
            });
          } else {
            fields_.skip();
          }
        });
      });
    } else {
      fields_.skip();
    }
  });

  const auto kind = check_kind(kind_word);
  if (!kind) return;  // of a later version: nothing is lost that the next run does not find again
  auto address = check_address(*kind, whole.address, false);
  if (!address) return;
  CheckResult result{*kind, std::move(*address), check_status(whole.status)};
  for (Named& object : objects) {
    auto object_address = check_address(*kind, object.address, true);
    if (!object_address) continue;
    CheckedObject checked{std::move(*object_address), check_status(object.status),
                          std::move(object.failures)};
    const auto same = std::ranges::find(result.objects, checked.address, &CheckedObject::address);
    if (same != result.objects.end()) {
      *same = std::move(checked);
    } else {
      result.objects.push_back(std::move(checked));
    }
  }
  const auto same = std::ranges::find_if(state_.checks, [&](const CheckResult& other) {
    return other.kind == result.kind && other.address == result.address;
  });
  if (same != state_.checks.end()) {
    *same = std::move(result);
  } else {
    state_.checks.push_back(std::move(result));
  }
}

// The address in canonical form. Without keys it stands for the configuration.
std::optional<std::string> Version4Reader::check_address(CheckKind kind, const std::string& text,
                                                         bool with_keys) {
  diag::Diagnostics inner;
  std::optional<std::string> canonical;
  std::string without_keys;
  const auto invalid = [&](std::string_view why) {
    inner.error("Invalid address in state")
        .detail(fmt::format("{} {}.", base::quote_go(text), why));
  };
  if (kind == CheckKind::Resource) {
    if (const auto found = addrs::parse_text(text, addrs::parse_abs_resource_instance, inner)) {
      canonical = found->to_string();
      without_keys = addrs::config_of(*found).to_string();
    }
  } else {
    // module.a.output.name: what is before the keyword is a module.
    const std::size_t dot = text.rfind('.');
    const std::string_view name =
        dot == std::string::npos ? "" : std::string_view(text).substr(dot + 1);
    std::string_view before = std::string_view(text).substr(0, text.size() - name.size());
    const std::string expected = fmt::format("{}.", keyword(kind));
    if (!base::is_identifier(name) || !before.ends_with(expected)) {
      invalid(fmt::format("is not the address of a thing of the kind {}", keyword(kind)));
    } else {
      before.remove_suffix(expected.size());
      if (before.empty()) {
        canonical = without_keys = text;
      } else if (!before.ends_with('.')) {
        invalid("has no dot before the keyword");
      } else if (const auto parent = addrs::parse_text(before.substr(0, before.size() - 1),
                                                       addrs::parse_module_instance, inner)) {
        canonical = fmt::format("{}.{}{}", parent->to_string(), expected, name);
        without_keys = fmt::format("{}.{}{}", parent->path().to_string(), expected, name);
      }
    }
  }
  if (canonical && !with_keys && *canonical != without_keys) {
    invalid("has instance keys, but is an address in the configuration");
    canonical.reset();
  }
  take(std::move(inner), "a check result");
  return canonical;
}

}  // namespace tofu::state

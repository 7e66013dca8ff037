#include "state/object_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "addrs/parse.h"
#include "addrs/text.h"
#include "base/check.h"
#include "base/json_layout.h"
#include "base/json_text.h"
#include "value/json.h"
#include "value/json_scanner.h"

namespace tofu::state {

namespace {

using base::Error;
using value::JsonScanner;

// One step: {"type":"get_attr","value":"tags"} or {"type":"index","value":{…}}.
base::Result<value::PathStep> parse_step(std::string_view text, JsonScanner& scanner) {
  std::string type;
  std::string_view json;
  if (!scanner.expect('{')) return scanner.error();
  for (bool first = true;; first = false) {
    const auto more = scanner.more('}', first);
    if (!more) return scanner.error();
    if (!*more) break;
    const auto name = scanner.member_name();
    if (!name) return scanner.error();
    const bool is_type = *name == "type";
    const bool is_value = *name == "value";
    const std::size_t start = scanner.offset();
    const std::size_t end = base::json_value_end(text, start);
    if (is_value) json = text.substr(start, end - start);
    if (is_type && text[start] == '"') {
      type = *scanner.string();
    } else if (is_type && text[start] != 'n') {
      return Error{"the type of a step is not a string"};
    }
    scanner.seek(end);
  }
  if (type == "index") {
    auto key = value::parse_json(json, value::Type::dynamic());
    if (!key) return Error{"the key of an index step cannot be read: " + key.error().what};
    if (const auto problem = value::json_problem(*key)) {
      return Error{"the key of an index step cannot be kept: " + problem->what};
    }
    return value::PathStep(value::IndexStep{std::move(*key)});
  }
  if (type != "get_attr") {
    return Error{fmt::format("\"{}\" is not a type of step", type)};
  }
  if (json == "null") return value::PathStep(value::AttributeStep{});
  if (json.empty() || json.front() != '"') return Error{"the name of an attribute is not a string"};
  JsonScanner name(json);
  return value::PathStep(value::AttributeStep{std::string(*name.string())});
}

}  // namespace

base::Result<std::vector<value::Path>> parse_sensitive_paths(std::string_view json) {
  std::vector<value::Path> paths;
  if (json == "[]" || json == "null" || json.empty()) return paths;
  JsonScanner scanner(json);
  if (!scanner.expect('[')) return Error{"a list of paths is required"};
  for (bool first = true; scanner.more(']', first).value_or(false); first = false) {
    value::Path path;
    if (scanner.peek() == 'n') {
      scanner.seek(base::json_value_end(json, scanner.offset()));
    } else if (!scanner.expect('[')) {
      return Error{"a path is a list of steps"};
    } else {
      for (bool first_step = true; scanner.more(']', first_step).value_or(false);
           first_step = false) {
        auto step = parse_step(json, scanner);
        if (!step) return std::move(step).error();
        path.steps.push_back(std::move(*step));
      }
    }
    paths.push_back(std::move(path));
  }
  return paths;
}

std::string sensitive_paths_json(const std::vector<value::Path>& paths) {
  std::string json = "[";
  for (const value::Path& path : paths) {
    json += json.size() > 1 ? ",[" : "[";
    for (bool first = true; const value::PathStep& step : path.steps) {
      if (!std::exchange(first, false)) json += ',';
      if (const auto* attribute = std::get_if<value::AttributeStep>(&step)) {
        json += "{\"type\":\"get_attr\",\"value\":";
        base::append_json_string(json, attribute->name);
      } else {
        const auto key =
            value::to_json(std::get<value::IndexStep>(step).key, value::Type::dynamic());
        TOFU_CHECK(key.ok(), "the key of a path is known and has no marks");
        json += "{\"type\":\"index\",\"value\":" + *key;
      }
      json += '}';
    }
    json += ']';
  }
  return json + "]";
}

base::Result<std::vector<std::string>> parse_json_strings(std::string_view json) {
  std::vector<std::string> texts;
  if (json == "null") return texts;
  JsonScanner scanner(json);
  if (!scanner.expect('[')) return Error{"a list of strings is required"};
  for (bool first = true; scanner.more(']', first).value_or(false); first = false) {
    if (scanner.peek() == 'n') {
      scanner.seek(base::json_value_end(json, scanner.offset()));
      texts.emplace_back();
    } else if (scanner.peek() == '"') {
      texts.emplace_back(*scanner.string());
    } else {
      return Error{"every item of the list must be a string"};
    }
  }
  return texts;
}

diag::Checked<std::vector<addrs::ConfigResource>> parse_dependencies(
    const std::vector<std::string>& addresses, diag::Diagnostics& diags) {
  std::vector<addrs::ConfigResource> resources;
  resources.reserve(addresses.size());
  for (const std::string& address : addresses) {
    const auto resource = addrs::parse_text(address, addrs::parse_abs_resource, diags);
    if (resource) resources.push_back(addrs::config_of(*resource));
  }
  if (resources.size() != addresses.size()) return std::nullopt;
  return resources;
}

std::string dependencies_json(const std::vector<addrs::ConfigResource>& dependencies) {
  if (dependencies.empty()) return {};
  std::string json = "[";
  for (const addrs::ConfigResource& resource : dependencies) {
    if (json.size() > 1) json += ',';
    base::append_json_string(json, resource.to_string());
  }
  return json + "]";
}

std::string id_of(const Object& object) {
  const ObjectFields fields = object.fields();
  if (fields.attributes_flat) {
    const auto found = fields.attributes_flat->find("id");
    return found == fields.attributes_flat->end() ? "" : found->second;
  }
  value::JsonScanner scanner(fields.attributes);
  if (scanner.peek() != '{' || !scanner.expect('{')) return "";
  for (bool first = true; scanner.more('}', first).value_or(false); first = false) {
    const auto name = scanner.member_name();
    if (!name) return "";
    if (*name == "id" && scanner.peek() == '"') return std::string(scanner.string().value_or(""));
    if (!scanner.skip_value()) return "";
  }
  return "";
}

}  // namespace tofu::state

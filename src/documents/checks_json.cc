#include "documents/checks_json.h"

#include <algorithm>
#include <string>
#include <variant>

#include "base/overloaded.h"
#include "documents/resource_json.h"

namespace tofu::documents {

namespace {

void write_module(base::JsonWriter& json, const std::string& module) {
  if (!module.empty()) json.field("module", module);
}

void write_named(base::JsonWriter& json, std::string_view kind, const addrs::ModulePath& module,
                 const std::string& name) {
  json.field("kind", kind);
  write_module(json, module.to_string());
  json.field("name", name);
}

void write_address(base::JsonWriter& json, const addrs::ConfigCheckable& address) {
  json.begin_object();
  std::visit(
      base::Overloaded{
          [&](const addrs::ConfigResource& a) {
            json.field("kind", "resource");
            json.field("mode", mode_name(a.object.mode));
            write_module(json, a.module.to_string());
            json.field("name", a.object.name);
          },
          [&](const addrs::ConfigOutputValue& a) {
            write_named(json, "output_value", a.module, a.object.name);
          },
          [&](const addrs::ConfigCheck& a) { write_named(json, "check", a.module, a.object.name); },
          [&](const addrs::ConfigInputVariable& a) {
            write_named(json, "var", a.module, a.object.name);
          },
      },
      address);
  json.field("to_display", addrs::to_string(address));
  if (const auto* resource = std::get_if<addrs::ConfigResource>(&address))
    json.field("type", resource->object.type);
  json.end_object();
}

void write_address(base::JsonWriter& json, const addrs::Checkable& address) {
  json.begin_object();
  if (const auto* resource = std::get_if<addrs::AbsResourceInstance>(&address))
    write_key(json, "instance_key", resource->object.key);
  write_module(json, std::visit([](const auto& a) { return a.module.to_string(); }, address));
  json.field("to_display", addrs::to_string(address));
  json.end_object();
}

void write_instance(base::JsonWriter& json, const plans::CheckedInstance& instance) {
  json.begin_object();
  json.key("address");
  write_address(json, instance.address);
  json.field("status", plans::name_of(instance.status));
  if (!instance.problems.empty()) {
    std::vector<std::string> problems = instance.problems;
    std::ranges::sort(problems);
    json.key("problems");
    json.begin_array();
    for (const std::string& problem : problems) {
      json.begin_object();
      json.field("message", problem);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
}

template <class Row>
std::vector<const Row*> by_address(const std::vector<Row>& rows) {
  std::vector<const Row*> sorted;
  for (const Row& row : rows) sorted.push_back(&row);
  std::ranges::stable_sort(sorted, {},
                           [](const Row* row) { return addrs::to_string(row->address); });
  return sorted;
}

}  // namespace

void write_checks(base::JsonWriter& json, const std::vector<plans::CheckedObject>& checks) {
  json.begin_array();
  for (const plans::CheckedObject* object : by_address(checks)) {
    json.begin_object();
    json.key("address");
    write_address(json, object->address);
    json.field("status", plans::name_of(object->status));
    if (!object->instances.empty()) {
      json.key("instances");
      json.begin_array();
      for (const plans::CheckedInstance* instance : by_address(object->instances))
        write_instance(json, *instance);
      json.end_array();
    }
    json.end_object();
  }
  json.end_array();
}

}  // namespace tofu::documents

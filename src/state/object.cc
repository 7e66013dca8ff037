#include "state/object.h"

#include <charconv>
#include <fmt/format.h>
#include <utility>

#include "base/base64.h"
#include "base/check.h"
#include "base/json_layout.h"
#include "base/json_text.h"
#include "state/object_text.h"
#include "value/json_scanner.h"

namespace tofu::state {

namespace {

// Calls `on(name, value)` for each member of an object's text. The names are plain words,
// since we wrote them, up to the first member that is unknown: `on` has to end there.
template <class On>
void for_each_member(std::string_view text, On&& on) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t name_end = text.find('"', at + 1);
    const std::string_view name = text.substr(at + 1, name_end - at - 1);
    const std::size_t end = base::json_value_end(text, name_end + 2);
    if (!on(name, text.substr(name_end + 2, end - name_end - 2))) return;
    at = end + 1;  // behind the comma
  }
}

std::uint64_t to_number(std::string_view digits) {
  std::uint64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

ObjectMembers take_apart(std::string_view text) {
  ObjectMembers members;
  for_each_member(text, [&](std::string_view name, std::string_view json) {
    if (name == "schema_version") {
      members.schema_version = to_number(json);
    } else if (name == "attributes") {
      members.attributes = json;
    } else if (name == "attributes_flat") {
      members.attributes_flat = json;
    } else if (name == "sensitive_attributes") {
      members.sensitive_attributes = json;
    } else if (name == "private") {
      members.private_data = json;
    } else if (name == "dependencies") {
      members.dependencies = json;
    } else if (name == "create_before_destroy") {
      members.create_before_destroy = true;
    } else if (name == "skip_destroy") {
      members.skip_destroy = true;
    } else if (name == "identity") {
      members.identity = json;
    } else if (name == "identity_schema_version") {
      members.identity_schema_version = to_number(json);
    } else {
      members.unknown = text.substr(static_cast<std::size_t>(name.data() - text.data()) - 1);
      return false;
    }
    return true;
  });
  return members;
}

std::map<std::string, std::string> parse_flat(std::string_view json) {
  std::map<std::string, std::string> flat;
  value::JsonScanner scanner(json);
  scanner.expect('{');
  for (bool first = true; scanner.more('}', first).value_or(false); first = false) {
    const auto name = scanner.member_name();
    TOFU_CHECK(name.has_value(), "an object's text is well-formed");
    std::string key(*name);
    const auto text = scanner.string();
    TOFU_CHECK(text.has_value(), "flat attributes are strings");
    flat.insert_or_assign(std::move(key), std::string(*text));
  }
  return flat;
}

std::vector<addrs::ConfigResource> to_resources(std::string_view json) {
  if (json.empty()) return {};
  const auto addresses = parse_json_strings(json);
  diag::Diagnostics unused;
  auto resources = parse_dependencies(addresses.value(), unused);
  TOFU_CHECK(resources.has_value(), "dependencies were checked when the object was made");
  return std::move(*resources);
}

std::string flat_json(const std::map<std::string, std::string>& flat) {
  std::string json = "{";
  for (const auto& [name, text] : flat) {
    if (json.size() > 1) json += ',';
    base::append_json_string(json, name);
    json += ':';
    base::append_json_string(json, text);
  }
  return json + "}";
}

std::string compact(std::string_view json) {
  std::string text;
  TOFU_CHECK(base::append_compact_json(text, json).ok(), "an object is made of well-formed JSON");
  return text;
}

}  // namespace

void append_members(std::string& out, const ObjectMembers& members) {
  const std::string version = std::to_string(members.schema_version);
  std::string identity_version;
  if (members.identity_schema_version) {
    identity_version = std::to_string(*members.identity_schema_version);
  }
  struct Member {
    std::string_view name;
    std::string_view json;
  };
  const Member all[] = {
      {"schema_version", version},
      {"attributes", members.attributes},
      {"attributes_flat", members.attributes_flat},
      {"sensitive_attributes", members.sensitive_attributes},
      {"private", members.private_data},
      {"dependencies", members.dependencies},
      {"create_before_destroy", members.create_before_destroy ? "true" : ""},
      {"skip_destroy", members.skip_destroy ? "true" : ""},
      {"identity", members.identity},
      {"identity_schema_version", identity_version},
  };
  std::size_t size = out.size();
  for (const Member& one : all) {
    if (!one.json.empty()) size += one.name.size() + one.json.size() + 4;
  }
  if (!members.unknown.empty()) size += members.unknown.size() + 1;
  out.reserve(size);  // growing would copy large attributes
  for (const Member& one : all) {
    if (one.json.empty()) continue;
    out += one.name == all[0].name ? "\"" : ",\"";
    out += one.name;
    out += "\":";
    out += one.json;
  }
  if (members.unknown.empty()) return;
  out += ',';
  out += members.unknown;
}

Object::Object(const ObjectFields& fields, JsonForm form) : status_(fields.status) {
  ObjectMembers members{.schema_version = fields.schema_version,
                        .create_before_destroy = fields.create_before_destroy,
                        .skip_destroy = fields.skip_destroy,
                        .identity_schema_version = fields.identity_schema_version,
                        .unknown = fields.unknown};
  std::string attributes;
  std::string flat;
  if (!fields.attributes_flat) {
    if (form == JsonForm::Any) attributes = compact(fields.attributes);
    members.attributes = fields.attributes;
    if (form == JsonForm::Any) members.attributes = attributes;
  } else if (!fields.attributes_flat->empty()) {
    members.attributes_flat = flat = flat_json(*fields.attributes_flat);
  }
  const std::string sensitive = sensitive_paths_json(fields.sensitive_paths);
  const std::string dependencies = dependencies_json(fields.dependencies);
  const std::string private_data =
      fields.private_data.empty() ? std::string()
                                  : fmt::format("\"{}\"", base::base64_encode(fields.private_data));
  std::string identity = fields.identity;
  if (form == JsonForm::Any && !identity.empty()) identity = compact(identity);
  members.sensitive_attributes = sensitive;
  members.private_data = private_data;
  members.dependencies = dependencies;
  members.identity = identity;

  auto text = std::make_shared<std::string>();
  append_members(*text, members);
  text_ = *text;
  buffer_ = std::move(text);
}

Object Object::with_status(ObjectStatus status) const {
  Object changed = *this;
  changed.status_ = status;
  return changed;
}

Object Object::with_dependencies(const std::vector<addrs::ConfigResource>& dependencies) const {
  ObjectMembers members = take_apart(text_);
  const std::string json = dependencies_json(dependencies);
  members.dependencies = json;
  auto text = std::make_shared<std::string>();
  append_members(*text, members);
  Object changed;
  changed.text_ = *text;
  changed.buffer_ = std::move(text);
  changed.status_ = status_;
  return changed;
}

std::uint64_t Object::schema_version() const {
  std::uint64_t version = 0;
  for_each_member(text_, [&](std::string_view, std::string_view json) {
    version = to_number(json);
    return false;  // it is the first member
  });
  return version;
}

std::string_view Object::attributes() const {
  std::string_view found;
  for_each_member(text_, [&](std::string_view name, std::string_view json) {
    if (name == "attributes") found = json;
    return name == "schema_version";  // attributes come right behind it, or not at all
  });
  return found;
}

std::vector<addrs::ConfigResource> Object::dependencies() const {
  return to_resources(take_apart(text_).dependencies);
}

std::string_view Object::dependencies_text() const { return take_apart(text_).dependencies; }

bool Object::create_before_destroy() const { return take_apart(text_).create_before_destroy; }

std::string_view Object::unknown() const { return take_apart(text_).unknown; }

ObjectFields Object::fields() const {
  ObjectFields fields = fields_but_attributes();
  const ObjectMembers members = take_apart(text_);
  fields.attributes = members.attributes;
  if (members.attributes.empty()) {
    fields.attributes_flat = members.attributes_flat.empty() ? std::map<std::string, std::string>()
                                                             : parse_flat(members.attributes_flat);
  }
  return fields;
}

ObjectFields Object::fields_but_attributes() const {
  const ObjectMembers members = take_apart(text_);
  ObjectFields fields{.status = status_,
                      .schema_version = members.schema_version,
                      .attributes = {},
                      .dependencies = to_resources(members.dependencies),
                      .create_before_destroy = members.create_before_destroy,
                      .skip_destroy = members.skip_destroy,
                      .identity = std::string(members.identity),
                      .identity_schema_version = members.identity_schema_version,
                      .unknown = std::string(members.unknown)};
  auto paths = parse_sensitive_paths(members.sensitive_attributes);
  TOFU_CHECK(paths.ok(), "sensitive paths were checked when the object was made");
  fields.sensitive_paths = std::move(*paths);
  if (!members.private_data.empty()) {
    auto bytes =
        base::base64_decode(members.private_data.substr(1, members.private_data.size() - 2));
    TOFU_CHECK(bytes.ok(), "private data was checked when the object was made");
    fields.private_data = std::move(*bytes);
  }
  return fields;
}

}  // namespace tofu::state

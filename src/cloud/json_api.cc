#include "cloud/json_api.h"

#include <algorithm>
#include <utility>

#include "base/json_writer.h"
#include "net/json_fields.h"
#include "value/json.h"

namespace tofu::cloud {

namespace {

using value::Value;

constexpr std::size_t kMaxErrors = 10;
constexpr std::size_t kMaxErrorLength = 400;

const Value* member(const Value& object, std::string_view name) {
  if (object.kind() != value::Kind::Object) return nullptr;
  const Value* found = object.unmarked().find(name);
  return found == nullptr || found->is_null() ? nullptr : found;
}

Value object_or_empty(const Value& parent, std::string_view name) {
  const Value* found = net::object_at(parent, name);
  return found == nullptr ? Value::object({}) : *found;
}

bool is_list(const Value& v) { return v.kind() == value::Kind::Tuple; }

std::optional<Resource> read_resource(const Value& v) {
  if (v.kind() != value::Kind::Object) return std::nullopt;
  return Resource{net::text_at(v, "type"), net::text_at(v, "id"), object_or_empty(v, "attributes"),
                  object_or_empty(v, "relationships")};
}

bool read_resources(const Value& list, std::vector<Resource>& out) {
  for (const Value& each : list.unmarked().items()) {
    auto resource = read_resource(each);
    if (!resource) return false;
    out.push_back(std::move(*resource));
  }
  return true;
}

std::int64_t whole_number(const Value* v) {
  if (v == nullptr || v->kind() != value::Kind::Number) return 0;
  return v->unmarked().as_number().to_int64().value_or(0);
}

// Servers may say anything.
std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  if (text.size() > kMaxErrorLength) {
    std::size_t end = kMaxErrorLength;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text.resize(end);
    text += "…";
  }
  while (text.ends_with('.') || text.ends_with(' ')) text.pop_back();
  return text;
}

void write_parts(base::JsonWriter& writer, std::string_view key,
                 const std::vector<std::pair<std::string, std::string>>& parts) {
  if (parts.empty()) return;
  writer.key(key);
  writer.begin_object();
  for (const auto& [name, json] : parts) {
    writer.key(name);
    writer.raw(json);
  }
  writer.end_object();
}

void write_named(base::JsonWriter& writer, std::string_view type,
                 const std::vector<std::string>& names) {
  writer.begin_array();
  for (const std::string& name : names) {
    writer.begin_object();
    writer.field("type", type);
    writer.key("attributes");
    writer.begin_object();
    writer.field("name", std::string_view(name));
    writer.end_object();
    writer.end_object();
  }
  writer.end_array();
}

}  // namespace

std::string Resource::text(std::string_view name) const { return net::text_at(attributes, name); }

const Value* Resource::attribute(std::string_view name) const { return member(attributes, name); }

bool Resource::flag(std::string_view name) const {
  const Value* found = attribute(name);
  return found != nullptr && found->kind() == value::Kind::Bool && found->unmarked().as_bool();
}

bool Resource::flag(std::string_view object, std::string_view name) const {
  const Value* parent = attribute(object);
  const Value* found = parent == nullptr ? nullptr : member(*parent, name);
  return found != nullptr && found->kind() == value::Kind::Bool && found->unmarked().as_bool();
}

std::int64_t Resource::number(std::string_view name) const { return whole_number(attribute(name)); }

std::vector<std::string> Resource::texts(std::string_view name) const {
  std::vector<std::string> all;
  const Value* found = attribute(name);
  if (found == nullptr || !is_list(*found)) return all;
  for (const Value& each : found->unmarked().items()) {
    if (each.kind() == value::Kind::String) all.emplace_back(each.unmarked().as_string());
  }
  return all;
}

std::string Resource::related(std::string_view name) const {
  const Value* found = member(relationships, name);
  const Value* data = found == nullptr ? nullptr : member(*found, "data");
  return data == nullptr ? std::string() : net::text_at(*data, "id");
}

std::vector<std::string> Resource::all_related(std::string_view name) const {
  std::vector<std::string> ids;
  const Value* found = member(relationships, name);
  const Value* data = found == nullptr ? nullptr : member(*found, "data");
  if (data == nullptr || !is_list(*data)) return ids;
  for (const Value& each : data->unmarked().items()) {
    std::string found_id = net::text_at(each, "id");
    if (!found_id.empty()) ids.push_back(std::move(found_id));
  }
  return ids;
}

base::Result<Document> read_document(std::string_view json) {
  const auto parsed = net::parse_json_object(json);
  const Value* data = parsed ? member(*parsed, "data") : nullptr;
  if (data == nullptr) return base::Error{"the answer is not a document of JSON:API"};
  Document document;
  bool good = true;
  if (is_list(*data)) {
    good = read_resources(*data, document.data);
  } else if (auto resource = read_resource(*data)) {
    document.data.push_back(std::move(*resource));
  } else {
    good = false;
  }
  if (const Value* included = member(*parsed, "included"); good && included && is_list(*included)) {
    good = read_resources(*included, document.included);
  }
  if (!good) return base::Error{"the answer is not a document of JSON:API"};
  if (const Value* meta = member(*parsed, "meta")) {
    const Value* pages = member(*meta, "pagination");
    if (pages != nullptr) document.next_page = whole_number(member(*pages, "next-page"));
  }
  return document;
}

std::vector<std::string> read_errors(std::string_view json) {
  std::vector<std::string> all;
  const auto parsed = net::parse_json_object(json);
  const Value* errors = parsed ? member(*parsed, "errors") : nullptr;
  if (errors == nullptr || !is_list(*errors)) return all;
  for (const Value& each : errors->unmarked().items()) {
    std::string text;
    if (each.kind() == value::Kind::String) {
      text = each.unmarked().as_string();
    } else {
      text = net::text_at(each, "title");
      const std::string detail = net::text_at(each, "detail");
      if (!detail.empty() && detail != text) text += (text.empty() ? "" : ": ") + detail;
    }
    if (!text.empty()) all.push_back(one_line(std::move(text)));
    if (all.size() == kMaxErrors) break;
  }
  return all;
}

Draft& Draft::set_json(std::string_view name, std::string json) {
  attributes_.emplace_back(name, std::move(json));
  return *this;
}

Draft& Draft::set(std::string_view name, std::string_view text) {
  std::string json;
  base::JsonWriter(json).string(text);
  return set_json(name, std::move(json));
}

Draft& Draft::set(std::string_view name, bool value) {
  return set_json(name, value ? "true" : "false");
}

Draft& Draft::set(std::string_view name, std::int64_t number) {
  return set_json(name, std::to_string(number));
}

Draft& Draft::set(std::string_view name, const std::vector<std::string>& texts) {
  std::string json;
  base::JsonWriter writer(json);
  writer.begin_array();
  for (const std::string& text : texts) writer.string(text);
  writer.end_array();
  return set_json(name, std::move(json));
}

Draft& Draft::relate(std::string_view name, std::string_view type, std::string_view id) {
  std::string json;
  base::JsonWriter writer(json);
  writer.begin_object();
  writer.key("data");
  writer.begin_object();
  writer.field("type", type);
  writer.field("id", id);
  writer.end_object();
  writer.end_object();
  relationships_.emplace_back(name, std::move(json));
  return *this;
}

Draft& Draft::relate_named(std::string_view name, std::string_view type,
                           const std::vector<std::string>& names) {
  relationships_.emplace_back(name, named_list_json(type, names));
  return *this;
}

std::string Draft::json() const {
  std::string json;
  base::JsonWriter writer(json);
  writer.begin_object();
  writer.key("data");
  writer.begin_object();
  writer.field("type", std::string_view(type_));
  write_parts(writer, "attributes", attributes_);
  write_parts(writer, "relationships", relationships_);
  writer.end_object();
  writer.end_object();
  return json;
}

std::string named_list_json(std::string_view type, const std::vector<std::string>& names) {
  std::string json;
  base::JsonWriter writer(json);
  writer.begin_object();
  writer.key("data");
  write_named(writer, type, names);
  writer.end_object();
  return json;
}

}  // namespace tofu::cloud

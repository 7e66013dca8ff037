#include "backends/kinds.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>
#include <vector>
#include <zlib.h>

#include "backends/local.h"
#include "base/unicode.h"

namespace tofu::backends {

namespace {

using value::Value;

const schema::Block& local_schema() {
  static const schema::Block kSchema = [] {
    const auto setting = [](std::string name, std::string description) {
      schema::Attribute attribute;
      attribute.name = std::move(name);
      attribute.type = value::Type::string();
      attribute.description = std::move(description);
      attribute.optional = true;
      return attribute;
    };
    schema::Block block;
    block.attributes = {
        setting("path", "The file of the default workspace's state."),
        setting("workspace_dir", "The directory of the states of other workspaces.")};
    return block;
  }();
  return kSchema;
}

std::string text_of(const Value& settings, std::string_view name) {
  const Value& v = *settings.unmarked().find(name);
  return v.is_null() ? std::string() : std::string(v.unmarked().as_string());
}

bool check_local(const Value& settings, diag::Diagnostics& diags) {
  const std::size_t errors = diags.error_count();
  for (const std::string_view name : {"path", "workspace_dir"}) {
    if (settings.unmarked().find(name)->is_null() || !text_of(settings, name).empty()) continue;
    diags.error("Invalid backend settings")
        .detail(fmt::format("The setting {:?} of the backend \"local\" cannot be empty.", name));
  }
  return diags.error_count() == errors;
}

std::unique_ptr<Backend> open_local(const Value& settings, const Surroundings& around) {
  LocalSettings local{.state_override = around.state_override,
                      .state_out_override = around.state_out_override,
                      .backup_override = around.backup_override,
                      .version = around.version};
  if (std::string path = text_of(settings, "path"); !path.empty()) local.path = std::move(path);
  if (std::string directory = text_of(settings, "workspace_dir"); !directory.empty()) {
    local.workspace_directory = std::move(directory);
  }
  return make_local_backend(std::move(local), around.encryption);
}

constexpr Kind kKinds[] = {{"local", local_schema, check_local, open_local}};

constexpr auto kElsewhere =
    std::to_array<std::string_view>({"azurerm", "consul", "cos", "gcs", "http", "inmem",
                                     "kubernetes", "oss", "pg", "remote", "s3"});

// The bytes that OpenTofu takes the checksum of.
void append(std::string& out, const Value& marked) {
  const Value v = marked.unmarked();
  if (v.is_unknown() || v.is_null()) {
    out.push_back(v.is_null() ? '~' : '?');
    return;
  }
  const auto each = [&](char open, char close) {
    out.push_back(open);
    value::for_each_element(v.unmarked(), [&](const Value& key, const Value& item) {
      if (v.kind() == value::Kind::Map) {
        append(out, key);
        out.push_back(':');
      }
      append(out, item);
      out.push_back(';');
    });
    out.push_back(close);
  };
  switch (v.kind()) {
    case value::Kind::Bool: out.push_back(v.unmarked().as_bool() ? 'T' : 'F'); return;
    case value::Kind::Number: out += v.unmarked().as_number().to_string(); return;
    case value::Kind::String: out += base::quote_go(v.unmarked().as_string()); return;
    case value::Kind::Map: return each('{', '}');
    case value::Kind::List:
    case value::Kind::Set: return each('[', ']');
    case value::Kind::Tuple:
    case value::Kind::Object: return each('<', '>');
    case value::Kind::Null:
    case value::Kind::Unknown:
    case value::Kind::Marked:
    case value::Kind::Capsule: return;
  }
}

}  // namespace

const Kind* find_kind(std::string_view name) {
  const auto* found = std::ranges::find(kKinds, name, &Kind::name);
  return found == std::end(kKinds) ? nullptr : found;
}

bool is_kind_elsewhere(std::string_view name) {
  return std::ranges::find(kElsewhere, name) != kElsewhere.end();
}

Value no_settings(const Kind& kind) {
  std::vector<value::Attr> attributes;
  for (const schema::Attribute& attribute : kind.schema().attributes) {
    attributes.push_back({attribute.name, Value::null(attribute.type)});
  }
  return Value::object(std::move(attributes));
}

std::uint32_t settings_hash(std::string_view kind, const Value& settings) {
  std::string bytes;
  append(bytes, Value::tuple({Value::string(std::string(kind)), settings}));
  return static_cast<std::uint32_t>(::crc32_z(
      ::crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace tofu::backends

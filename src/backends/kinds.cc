#include "backends/kinds.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>
#include <zlib.h>

#include "base/unicode.h"

namespace tofu::backends {

namespace {

using value::Value;

constexpr auto kKinds = std::to_array<const Kind*>(
    {&kAzurermKind, &kConsulKind, &kCosKind, &kGcsKind, &kHttpKind, &kInmemKind, &kKubernetesKind,
     &kLocalKind, &kOssKind, &kPgKind, &kS3Kind});

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
  const auto found = std::ranges::find(kKinds, name, [](const Kind* kind) { return kind->name; });
  return found == kKinds.end() ? nullptr : *found;
}

std::vector<std::string_view> kind_names() {
  std::vector<std::string_view> names;
  for (const Kind* kind : kKinds) names.push_back(kind->name);
  return names;
}

Value value_of_blocks(const schema::NestedBlock& nested, std::vector<Value> blocks) {
  const value::Type type = nested.block->implied_type();
  if (nested.nesting == schema::Nesting::Set) return Value::set(type, std::move(blocks));
  if (nested.nesting == schema::Nesting::List) return Value::list(type, std::move(blocks));
  return blocks.empty() ? Value::null(type) : std::move(blocks.front());
}

Value no_settings(const Kind& kind) {
  std::vector<value::Attr> attributes;
  for (const schema::Attribute& attribute : kind.schema().attributes) {
    attributes.push_back({attribute.name, Value::null(attribute.type)});
  }
  for (const schema::NestedBlock& nested : kind.schema().blocks) {
    attributes.push_back({nested.name, value_of_blocks(nested, {})});
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

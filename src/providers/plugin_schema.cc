#include "providers/plugin_schema.h"

#include <algorithm>
#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <map>
#include <optional>
#include <utility>

#include "base/unicode.h"
#include "providers/in_process.h"
#include "providers/plugin_messages.h"
#include "providers/proto/tfplugin5.pb.h"
#include "providers/proto/tfplugin6.pb.h"
#include "value/json.h"

namespace tofu::providers {

namespace {

using google::protobuf::io::CodedInputStream;
using value::Type;

// The fields of GetProviderSchema.Response.
enum Field : std::uint32_t {
  kProvider = 1,
  kResources = 2,
  kDataSources = 3,
  kDiagnostics = 4,
  kProviderMeta = 5,
  kCapabilities = 6,
  kFunctions = 7,
  kEphemeral = 8,
};

constexpr int kLengthDelimited = 2;  // of protobuf's wire types
constexpr int kVarint = 0;
constexpr int kFixed64 = 1;
constexpr int kFixed32 = 5;

// Calls `on` for each field that is made of bytes. False if the message is broken.
template <class On>
bool for_each_field(std::string_view message, On&& on) {
  CodedInputStream in(reinterpret_cast<const std::uint8_t*>(message.data()),
                      static_cast<int>(message.size()));
  while (true) {
    const std::uint32_t tag = in.ReadTag();
    if (tag == 0) return in.ConsumedEntireMessage();
    std::uint32_t length = 0;
    std::uint64_t ignored = 0;
    switch (tag & 7) {
      case kVarint:
        if (!in.ReadVarint64(&ignored)) return false;
        break;
      case kFixed64:
        if (!in.Skip(8)) return false;
        break;
      case kFixed32:
        if (!in.Skip(4)) return false;
        break;
      case kLengthDelimited: {
        if (!in.ReadVarint32(&length)) return false;
        const auto at = static_cast<std::size_t>(in.CurrentPosition());
        if (length > message.size() - at || !in.Skip(static_cast<int>(length))) return false;
        if (!on(tag >> 3, message.substr(at, length))) return false;
        break;
      }
      default: return false;
    }
  }
}

template <class Message>
bool parse(Message& message, std::string_view bytes) {
  return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

// Both protocols: a nested type is something that only the newer one has.
const wire6::Schema::Object* nested_type(const wire6::Schema::Attribute& attribute) {
  return attribute.has_nested_type() ? &attribute.nested_type() : nullptr;
}
const wire6::Schema::Object* nested_type(const wire5::Schema::Attribute&) { return nullptr; }

// Decodes one schema. Errors go to `problems`, with their path.
class Decoder {
 public:
  Decoder(std::string where, std::vector<Problem>& problems)
      : where_(std::move(where)), problems_(problems) {}

  template <class Block>
  schema::Block block(const Block& from);

 private:
  template <class Attributes>
  std::vector<schema::Attribute> attributes(const Attributes& from);
  template <class Attribute>
  std::optional<schema::Attribute> attribute(const Attribute& from);
  std::optional<schema::Nesting> nesting(wire6::Schema::Nesting from, std::string_view name);
  void wrong(std::string_view name, std::string_view what);
  // Sorts by name, and drops what has the name of another.
  template <class Item>
  void sort(std::vector<Item>& items);

  std::string where_;
  std::vector<Problem>& problems_;
};

void Decoder::wrong(std::string_view name, std::string_view what) {
  problems_.push_back(problem("Invalid schema from a provider",
                              fmt::format("{}, {:?}: {}. This is a bug in the provider.", where_,
                                          base::to_valid_utf8(name), what)));
}

template <class Item>
void Decoder::sort(std::vector<Item>& items) {
  const auto by_name = [](const Item& a, const Item& b) { return a.name < b.name; };
  std::ranges::stable_sort(items, by_name);
  const auto same = [](const Item& a, const Item& b) { return a.name == b.name; };
  const auto again = std::ranges::adjacent_find(items, same);
  if (again == items.end()) return;
  wrong(again->name, "the name occurs twice");
  items.erase(std::unique(items.begin(), items.end(), same), items.end());
}

std::optional<schema::Nesting> Decoder::nesting(wire6::Schema::Nesting from,
                                                std::string_view name) {
  switch (static_cast<int>(from)) {
    case wire6::Schema::NESTING_SINGLE: return schema::Nesting::Single;
    case wire6::Schema::NESTING_LIST: return schema::Nesting::List;
    case wire6::Schema::NESTING_SET: return schema::Nesting::Set;
    case wire6::Schema::NESTING_MAP: return schema::Nesting::Map;
    case wire6::Schema::NESTING_GROUP: return schema::Nesting::Group;
    default: break;
  }
  wrong(name, fmt::format("the nesting mode {} does not exist", static_cast<int>(from)));
  return std::nullopt;
}

template <class Attribute>
std::optional<schema::Attribute> Decoder::attribute(const Attribute& from) {
  schema::Attribute made;
  made.name = from.name();
  if (made.name.empty() || !base::is_valid_utf8(made.name)) {
    wrong(made.name, "this is not a name");
    return std::nullopt;
  }
  made.description = base::to_valid_utf8(from.description());
  made.markdown = from.description_kind() == wire6::MARKDOWN;
  made.required = from.required();
  made.optional = from.optional();
  made.computed = from.computed();
  made.sensitive = from.sensitive();
  made.write_only = from.write_only();
  made.deprecated = from.deprecated();
  made.deprecation_message = base::to_valid_utf8(from.deprecation_message());
  if (const wire6::Schema::Object* object = nested_type(from)) {
    schema::NestedType nested;
    nested.attributes = attributes(object->attributes());
    const auto mode = nesting(object->nesting(), made.name);
    if (!mode) return std::nullopt;
    nested.nesting = *mode;
    made.type = schema::type_of(nested);
    made.nested = std::make_shared<const schema::NestedType>(std::move(nested));
    return made;
  }
  const auto type = value::parse_json_type(from.type());
  if (!type) {
    wrong(made.name, "its type is invalid: " + type.error().what);
    return std::nullopt;
  }
  made.type = *type;
  return made;
}

template <class Attributes>
std::vector<schema::Attribute> Decoder::attributes(const Attributes& from) {
  std::vector<schema::Attribute> made;
  made.reserve(static_cast<std::size_t>(from.size()));
  for (const auto& each : from) {
    if (auto one = attribute(each)) made.push_back(std::move(*one));
  }
  sort(made);
  return made;
}

template <class Block>
schema::Block Decoder::block(const Block& from) {
  schema::Block made;
  made.attributes = attributes(from.attributes());
  made.description = base::to_valid_utf8(from.description());
  made.markdown = from.description_kind() == wire6::MARKDOWN;
  made.deprecated = from.deprecated();
  made.deprecation_message = base::to_valid_utf8(from.deprecation_message());
  for (const auto& each : from.block_types()) {
    schema::NestedBlock nested;
    nested.name = each.type_name();
    const auto mode = nesting(each.nesting(), nested.name);
    if (!mode) continue;
    if (nested.name.empty() || !base::is_valid_utf8(nested.name) ||
        made.attribute(nested.name) != nullptr) {
      wrong(nested.name, "this is not a name for a block here");
      continue;
    }
    nested.nesting = *mode;
    nested.block = std::make_shared<const schema::Block>(block(each.block()));
    nested.min_items = static_cast<std::uint64_t>(std::max<std::int64_t>(each.min_items(), 0));
    nested.max_items = static_cast<std::uint64_t>(std::max<std::int64_t>(each.max_items(), 0));
    made.blocks.push_back(std::move(nested));
  }
  sort(made.blocks);
  return made;
}

template <class Schema>
schema::ResourceSchema decode_as(std::string_view bytes, const std::string& where,
                                 std::vector<Problem>& problems) {
  Schema wire;
  if (!parse(wire, bytes)) {
    problems.push_back(problem("Invalid schema from a provider",
                               fmt::format("{}: the bytes are not a schema.", where)));
    return {};
  }
  schema::ResourceSchema made;
  made.version = static_cast<std::uint64_t>(std::max<std::int64_t>(wire.version(), 0));
  made.block = Decoder(where, problems).block(wire.block());
  return made;
}

schema::ResourceSchema decode(int protocol, std::string_view bytes, const std::string& where,
                              std::vector<Problem>& problems) {
  return protocol == 5 ? decode_as<wire5::Schema>(bytes, where, problems)
                       : decode_as<wire6::Schema>(bytes, where, problems);
}

std::shared_ptr<const schema::IdentitySchema> decode_identity(
    const wire6::ResourceIdentitySchema& from) {
  auto made = std::make_shared<schema::IdentitySchema>();
  made->version = static_cast<std::uint64_t>(std::max<std::int64_t>(from.version(), 0));
  for (const auto& each : from.identity_attributes()) {
    const auto type = value::parse_json_type(each.type());
    if (!type || each.name().empty() || !base::is_valid_utf8(each.name())) return nullptr;
    made->attributes.push_back({.name = each.name(),
                                .type = *type,
                                .description = base::to_valid_utf8(each.description()),
                                .required_for_import = each.required_for_import(),
                                .optional_for_import = each.optional_for_import()});
  }
  std::ranges::sort(made->attributes, {}, &schema::IdentityAttribute::name);
  return made;
}

using Identities =
    std::map<std::string, std::shared_ptr<const schema::IdentitySchema>, std::less<>>;

// They are an addition: without them, or with broken ones, everything else goes on.
Identities decode_identities(std::string_view bytes) {
  Identities made;
  wire6::GetResourceIdentitySchemas::Response answer;
  if (!parse(answer, bytes)) return made;
  for (const auto& entry : answer.identity_schemas()) {
    if (auto one = decode_identity(entry.value())) made.emplace(entry.key(), std::move(one));
  }
  return made;
}

// Everything that was said, with the places of the schemas in it.
class Source final : public schema::TypeSchemas::Maker {
 public:
  using Places = std::map<std::string, std::string_view, std::less<>>;

  Source(std::shared_ptr<const SchemaBytes> bytes, Places places, Identities identities,
         bool is_ephemeral)
      : bytes_(std::move(bytes)),
        places_(std::move(places)),
        identities_(std::move(identities)),
        is_ephemeral_(is_ephemeral) {}

  schema::ResourceSchema make(const std::string& type) const override {
    std::vector<Problem> ignored;  // reported when the schema was new: check_schema()
    schema::ResourceSchema made =
        decode(bytes_->protocol, places_.find(type)->second, type, ignored);
    made.block.ephemeral = is_ephemeral_;
    if (const auto identity = identities_.find(type); identity != identities_.end()) {
      made.identity = identity->second;
    }
    return made;
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& [name, place] : places_) all.push_back(name);
    return all;
  }

 private:
  std::shared_ptr<const SchemaBytes> bytes_;
  Places places_;  // in bytes_
  Identities identities_;
  bool is_ephemeral_;
};

// The key and the value of an entry of a map.
struct Entry {
  std::string_view key;
  std::string_view value;
};
std::optional<Entry> read_entry(std::string_view bytes) {
  Entry entry;
  const bool whole = for_each_field(bytes, [&](std::uint32_t field, std::string_view content) {
    if (field == 1) entry.key = content;
    if (field == 2) entry.value = content;
    return true;
  });
  if (!whole || entry.key.empty() || !base::is_valid_utf8(entry.key)) return std::nullopt;
  return entry;
}

// Where everything is in the answer.
struct Index {
  std::string_view provider;
  std::string_view provider_meta;
  bool has_provider = false;
  bool has_provider_meta = false;
  Source::Places resources;
  Source::Places data_sources;
  Source::Places ephemeral;
  std::vector<std::string_view> functions;
  wire6::ServerCapabilities capabilities;
  std::vector<Problem> problems;

  bool add(std::uint32_t field, std::string_view content);
  bool add_type(Source::Places& to, std::string_view content);
};

bool Index::add_type(Source::Places& to, std::string_view content) {
  const auto entry = read_entry(content);
  if (!entry) return false;
  to.insert_or_assign(std::string(entry->key), entry->value);
  return true;
}

bool Index::add(std::uint32_t field, std::string_view content) {
  switch (field) {
    case kProvider:
      provider = content;
      has_provider = true;
      return true;
    case kProviderMeta:
      provider_meta = content;
      has_provider_meta = true;
      return true;
    case kResources: return add_type(resources, content);
    case kDataSources: return add_type(data_sources, content);
    case kEphemeral: return add_type(ephemeral, content);
    case kFunctions: functions.push_back(content); return true;
    case kCapabilities: return parse(capabilities, content);
    case kDiagnostics: {
      wire6::Diagnostic diagnostic;
      if (!parse(diagnostic, content)) return false;
      problems.push_back(to_problem(diagnostic));
      return true;
    }
    default: return true;
  }
}

std::optional<syntax::Parameter> parameter_of(const wire6::Function::Parameter& from) {
  const auto type = value::parse_json_type(from.type());
  if (!type) return std::nullopt;
  syntax::Parameter made{base::to_valid_utf8(from.name()), *type};
  made.description = base::to_valid_utf8(from.description());
  made.allow_null = from.allow_null_value();
  made.allow_unknown = from.allow_unknown_values();
  return made;
}

}  // namespace

bool read_function(std::string_view entry, schema::ProviderSchema& into) {
  wire6::FunctionEntry wire;
  if (!parse(wire, entry) || wire.key().empty() || !base::is_valid_utf8(wire.key())) return false;
  const wire6::Function& from = wire.value();
  syntax::Function made;
  made.name = wire.key();
  made.description = base::to_valid_utf8(from.summary());
  into.function_details.insert_or_assign(made.name, base::to_valid_utf8(from.description()));
  for (const auto& each : from.parameters()) {
    auto parameter = parameter_of(each);
    if (!parameter) return false;
    made.parameters.push_back(std::move(*parameter));
  }
  if (from.has_variadic_parameter()) {
    made.variadic = parameter_of(from.variadic_parameter());
    if (!made.variadic) return false;
  }
  const auto type = value::parse_json_type(from.return_().type());
  if (!type) return false;
  made.result_type = syntax::always(*type);
  into.functions.insert_or_assign(made.name, std::move(made));
  return true;
}

SchemaBytes own_schema(int protocol, std::string schema, std::string identities) {
  const auto owner = std::make_shared<const std::pair<std::string, std::string>>(
      std::move(schema), std::move(identities));
  return {protocol, owner->first, owner->second, owner};
}

std::shared_ptr<PluginSchema> read_schema(SchemaBytes bytes, std::vector<Problem>& problems) {
  const auto kept = std::make_shared<const SchemaBytes>(std::move(bytes));
  Index index;
  const bool whole = for_each_field(
      kept->schema,
      [&](std::uint32_t field, std::string_view content) { return index.add(field, content); });
  const auto errors_before = problems.size();
  for (Problem& each : index.problems) problems.push_back(std::move(each));
  if (!whole) {
    problems.push_back(
        problem("Invalid schema from a provider",
                "The provider's metadata cannot be read. This is a bug in the provider."));
    return nullptr;
  }
  const bool refused =
      std::any_of(problems.begin() + static_cast<std::ptrdiff_t>(errors_before), problems.end(),
                  [](const Problem& it) { return it.severity == diag::Severity::Error; });
  if (refused) return nullptr;

  auto made = std::make_shared<PluginSchema>();
  made->protocol = kept->protocol;
  made->capabilities = {.plans_destroy = index.capabilities.plan_destroy(),
                        .moves_state = index.capabilities.move_resource_state(),
                        .generates_config = index.capabilities.generate_resource_config()};
  made->schema_is_optional = index.capabilities.get_provider_schema_optional();
  schema::ProviderSchema& schema = made->schema;
  schema.provider = decode(kept->protocol, index.provider, "provider", problems).block;
  schema.provider.ephemeral = true;  // its configuration is not kept
  schema.has_provider_meta = index.has_provider_meta;
  if (index.has_provider_meta) {
    schema.provider_meta =
        decode(kept->protocol, index.provider_meta, "provider_meta", problems).block;
  }
  for (const std::string_view entry : index.functions) {
    if (read_function(entry, schema)) continue;
    problems.push_back(problem("Invalid schema from a provider",
                               "A function of the provider cannot be read. This is a bug in the "
                               "provider."));
  }
  const auto announce = [&](schema::TypeSchemas& to, Source::Places places, Identities identities,
                            bool is_ephemeral) {
    auto source = std::make_shared<const Source>(kept, std::move(places), std::move(identities),
                                                 is_ephemeral);
    to.announce(source->names(), source);
  };
  announce(schema.resources, std::move(index.resources), decode_identities(kept->identities),
           false);
  announce(schema.data_sources, std::move(index.data_sources), {}, false);
  announce(schema.ephemeral_resources, std::move(index.ephemeral), {}, true);
  return made;
}

std::vector<Problem> check_schema(const SchemaBytes& bytes) {
  std::vector<Problem> problems;
  Index index;
  (void)for_each_field(bytes.schema, [&](std::uint32_t field, std::string_view content) {
    return index.add(field, content);
  });
  for (const Source::Places* all : {&index.resources, &index.data_sources, &index.ephemeral}) {
    for (const auto& [name, place] : *all) (void)decode(bytes.protocol, place, name, problems);
  }
  return problems;
}

}  // namespace tofu::providers

#include "encryption/settings.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "value/convert.h"

namespace tofu::encryption {

namespace {

using value::Type;
using value::Value;

Type key_provider_type() { return Type::capsule("key provider"); }

std::optional<Type> type_of(Argument::Kind kind) {
  switch (kind) {
    case Argument::Kind::Text: return Type::string();
    case Argument::Kind::Number: return Type::number();
    case Argument::Kind::Flag: return Type::boolean();
    case Argument::Kind::Texts: return Type::list(Type::string());
    case Argument::Kind::Bytes: return Type::list(Type::number());
    case Argument::Kind::Keys:
    case Argument::Kind::Object:
    case Argument::Kind::Block: return std::nullopt;
  }
  return std::nullopt;
}

// Numbers from 0 to 255 as bytes.
std::optional<std::string> bytes_of(const Value& list) {
  std::string bytes;
  for (const Value& item : list.unmarked().items()) {
    if (item.is_null()) return std::nullopt;
    const auto number = item.unmarked().as_number().to_int64();
    if (!number || *number < 0 || *number > 255) return std::nullopt;
    bytes += static_cast<char>(*number);
  }
  return bytes;
}

// One of the keys of an object that is written out; empty if it is not there.
std::optional<std::string> key_bytes(const Value& object, std::string_view name) {
  const Value* found = object.unmarked().find(name);
  if (found == nullptr || found->is_null()) return std::string();
  const auto list = value::convert(*found, Type::list(Type::number()));
  return list ? bytes_of(*list) : std::nullopt;
}

bool has_names(const Value& v) {
  return v.kind() == value::Kind::Object || v.kind() == value::Kind::Map;
}

std::shared_ptr<const KeyProvider> to_keys(const Value& v, diag::SourceRange place,
                                           const Settings::FindKeys& find,
                                           diag::Diagnostics& diags) {
  if (v.type() == key_provider_type() && !v.is_null()) {
    return std::static_pointer_cast<const KeyProvider>(v.unmarked().as_capsule());
  }
  if (v.kind() == value::Kind::String && v.unmarked().as_string().starts_with("key_provider.")) {
    return find(v.unmarked().as_string(), place, diags);
  }
  if (has_names(v)) {
    const auto encryption = key_bytes(v, "encryption_key");
    const auto decryption = key_bytes(v, "decryption_key");
    if (v.unmarked().find("encryption_key") != nullptr && encryption && decryption) {
      return fixed_keys(Key(*encryption), Key(*decryption));
    }
  }
  diags.error("Key provider expected")
      .detail("Keys are those of a key provider, such as key_provider.pbkdf2.NAME.")
      .at(place);
  return nullptr;
}

}  // namespace

Value key_provider_value(std::shared_ptr<const KeyProvider> provider) {
  return Value::capsule(key_provider_type(), std::move(provider));
}

diag::Checked<Settings> Settings::read(const syntax::Body& body,
                                       std::span<const Argument> arguments, const Source& source,
                                       diag::Diagnostics& diags) {
  syntax::BodySchema schema;
  for (const Argument& each : arguments) {
    if (each.kind == Argument::Kind::Block) {
      schema.blocks.push_back({std::string(each.name), {}});
    } else {
      schema.attributes.push_back({std::string(each.name), each.is_required});
    }
  }
  const std::size_t errors = diags.error_count();
  const auto content = body.content(schema, diags);
  if (diags.error_count() != errors) return std::nullopt;
  Settings settings;
  for (const syntax::Attribute& attribute : content.attributes) {
    const auto argument = std::ranges::find(arguments, attribute.name, &Argument::name);
    settings.read_argument(*argument, attribute, source, diags);
  }
  for (const syntax::Block& block : content.blocks) {
    const auto argument = std::ranges::find(arguments, block.type, &Argument::name);
    settings.read_block(*argument, block, source, diags);
  }
  if (diags.error_count() != errors) return std::nullopt;
  return settings;
}

void Settings::read_argument(const Argument& argument, const syntax::Attribute& attribute,
                             const Source& source, diag::Diagnostics& diags) {
  const auto given = source.evaluate(attribute, diags);
  if (!given) return;
  // An empty key is more likely an error than intended.
  if (given->is_null() && argument.kind != Argument::Kind::Keys) return;
  const auto refuse = [&](std::string_view wanted) {
    diags.error("Invalid value in the encryption block")
        .detail(fmt::format("The argument {:?} must be {}.", argument.name, wanted))
        .at(attribute.expr->range);
  };
  if (argument.kind == Argument::Kind::Keys) {
    auto keys = to_keys(*given, attribute.expr->range, source.find_keys, diags);
    if (keys) keys_.insert_or_assign(std::string(argument.name), std::move(keys));
    return;
  }
  if (argument.kind == Argument::Kind::Object) {
    if (!has_names(*given)) return refuse("an object");
    values_.insert_or_assign(std::string(argument.name), *given);
    return;
  }
  auto converted = value::convert(*given, *type_of(argument.kind));
  if (!converted) return refuse("a " + value::friendly_name(*type_of(argument.kind)));
  if (converted->is_null()) return;
  if (argument.kind == Argument::Kind::Number && !converted->unmarked().as_number().to_int64()) {
    return refuse("a whole number");
  }
  if (argument.kind == Argument::Kind::Bytes && !bytes_of(*converted)) {
    return refuse("a list of numbers from 0 to 255");
  }
  if (argument.kind == Argument::Kind::Texts &&
      std::ranges::any_of(converted->unmarked().items(), &Value::is_null)) {
    return refuse("a list of strings, none of them null");
  }
  values_.insert_or_assign(std::string(argument.name), std::move(*converted));
}

void Settings::read_block(const Argument& argument, const syntax::Block& block,
                          const Source& source, diag::Diagnostics& diags) {
  syntax::BodySchema schema;
  for (const std::string_view name : argument.texts) {
    schema.attributes.push_back({std::string(name)});
  }
  auto& texts = blocks_[std::string(block.type)].emplace_back();
  for (const syntax::Attribute& attribute : block.body.content(schema, diags).attributes) {
    const auto given = source.evaluate(attribute, diags);
    if (!given || given->is_null()) continue;
    const auto text = value::convert(*given, Type::string());
    if (!text) {
      diags.error("Invalid value in the encryption block")
          .detail(fmt::format("The argument {:?} must be a string.", attribute.name))
          .at(attribute.expr->range);
      continue;
    }
    texts.insert_or_assign(std::string(attribute.name), text->unmarked().as_string());
  }
}

std::string Settings::text(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::string() : std::string(found->second.unmarked().as_string());
}

std::optional<std::int64_t> Settings::whole(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return std::nullopt;
  return found->second.unmarked().as_number().to_int64();
}

std::optional<bool> Settings::flag(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return std::nullopt;
  return found->second.unmarked().as_bool();
}

std::vector<std::string> Settings::texts(std::string_view name) const {
  std::vector<std::string> texts;
  const auto found = values_.find(name);
  if (found == values_.end()) return texts;
  for (const Value& item : found->second.unmarked().items()) {
    texts.emplace_back(item.unmarked().as_string());
  }
  return texts;
}

std::string Settings::bytes(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::string() : bytes_of(found->second).value_or("");
}

std::shared_ptr<const KeyProvider> Settings::keys(std::string_view name) const {
  const auto found = keys_.find(name);
  return found == keys_.end() ? nullptr : found->second;
}

const Value* Settings::object(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

std::size_t Settings::block_count(std::string_view name) const {
  const auto found = blocks_.find(name);
  return found == blocks_.end() ? 0 : found->second.size();
}

std::string Settings::block_text(std::string_view block, std::string_view name) const {
  const auto found = blocks_.find(block);
  if (found == blocks_.end()) return {};
  const auto text = found->second.front().find(name);
  return text == found->second.front().end() ? std::string() : text->second;
}

}  // namespace tofu::encryption

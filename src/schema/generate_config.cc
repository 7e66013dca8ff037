#include "schema/generate_config.h"

#include <fmt/format.h>
#include <optional>
#include <utility>

#include "base/unicode.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "schema/consistency.h"
#include "schema/decode.h"
#include "schema/members.h"
#include "schema/selection.h"
#include "syntax/format.h"
#include "syntax/generate.h"
#include "syntax/parser.h"
#include "value/json.h"

namespace tofu::schema {

namespace {

using value::Kind;
using value::Value;

bool is_left_out(const Attribute& attribute, const Value& item, bool is_config) {
  if (attribute.computed && !attribute.optional) return true;
  if (is_config && base::is_identifier(attribute.name)) {
    return item.is_null() && (attribute.computed || attribute.deprecated);
  }
  if (attribute.deprecated) return true;
  if (!base::is_identifier(attribute.name)) return true;  // cannot be written at all
  // The legacy SDK gives every resource an `id` that may be set, by its schema but not in
  // truth.
  return attribute.name == "id" && attribute.computed && attribute.optional;
}

std::string key_text(std::string_view key) {
  if (base::is_identifier(key)) return std::string(key);
  return fmt::format("\"{}\"", syntax::escaped_text(key));
}

// JSON in a string is easier to read and to edit as the value that it stands for.
std::optional<std::string> as_json_call(const Value& v) {
  if (v.kind() != Kind::String) return std::nullopt;
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  std::string_view text = v.plain().as_string();
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return std::nullopt;
  text = text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
  if (text.front() != '{' && text.front() != '[') return std::nullopt;
  const auto parsed = value::parse_json(text);
  if (!parsed) return std::nullopt;
  return fmt::format("jsonencode({})", syntax::expression_text(*parsed));
}

std::string_view comment_of(const Attribute& attribute) {
  if (attribute.sensitive) return attribute.write_only ? " # sensitive write-only" : " # sensitive";
  return attribute.write_only ? " # write-only" : "";
}

// Writes arguments and blocks one after another; layout is the formatter's affair.
class Writer {
 public:
  explicit Writer(bool is_config) : is_config_(is_config) {}

  void parts(const Members& members, const Value& object) {
    // Arguments come before blocks.
    members.each([&](std::size_t i, const Attribute* part, const NestedBlock*) {
      const Value& item = object.plain().items()[i];
      if (part != nullptr && !is_left_out(*part, item, is_config_)) attribute(*part, item);
    });
    members.each([&](std::size_t i, const Attribute*, const NestedBlock* nested) {
      if (nested != nullptr && (is_config_ || !nested->block->deprecated))
        blocks(*nested, object.plain().items()[i]);
    });
  }

  std::string text;

 private:
  void attribute(const Attribute& schema, const Value& v) {
    text += schema.name;
    text += " = ";
    if (schema.nested) return nested_attribute(schema, v);
    if (schema.sensitive || v.is_null()) {
      text += "null";
    } else if (const auto call = as_json_call(v)) {
      text += *call;
    } else {
      text += syntax::expression_text(v);
    }
    text += comment_of(schema);
    text += '\n';
  }

  void nested_attribute(const Attribute& schema, const Value& v) {
    const Nesting nesting = schema.nested->nesting;
    const bool list = nesting == Nesting::List || nesting == Nesting::Set;
    if (schema.sensitive || v.is_null()) {
      text += !schema.sensitive ? "null" : list ? "[]" : "{}";
      text += comment_of(schema);
      text += '\n';
      return;
    }
    const Members members(*schema.nested);
    text += list ? "[\n" : "{\n";
    if (is_one_object(nesting)) {
      parts(members, v);
    } else {
      value::for_each_element(v.plain(), [&](const Value& key, const Value& item) {
        if (!list) text += key_text(key.plain().as_string()) + " = ";
        object(members, item);
        text += list ? ",\n" : "\n";
      });
    }
    text += list ? "]\n" : "}\n";
  }

  void object(const Members& members, const Value& v) {
    if (v.is_null()) {
      text += "null";
      return;
    }
    text += "{\n";
    parts(members, v);
    text += '}';
  }

  void blocks(const NestedBlock& nested, const Value& v) {
    if (v.is_null()) return;
    if (is_one_object(nested.nesting)) return block(nested, "", v);
    value::for_each_element(v.plain(), [&](const Value& key, const Value& item) {
      if (nested.nesting != Nesting::Map) return block(nested, "", item);
      block(nested, fmt::format(" \"{}\"", syntax::escaped_text(key.plain().as_string())), item);
    });
  }

  void block(const NestedBlock& nested, std::string_view label, const Value& v) {
    text += fmt::format("{}{} {{\n", nested.name, label);
    parts(Members(*nested.block), v);
    text += "}\n";
  }

  bool is_config_;
};

std::string laid_out(std::string text) {
  diag::SourceMap sources;
  diag::Diagnostics diags;
  const diag::FileId id = sources.add("generated", std::move(text));
  auto formatted = syntax::format_source(sources, id, diags);
  TOFU_CHECK(formatted.has_value(), "generated configuration parses");
  return *std::move(formatted);
}

}  // namespace

std::string generated_config(const GeneratedResource& resource, const Block& schema,
                             const Value& object) {
  Writer writer(resource.is_config);
  writer.text = fmt::format("resource \"{}\" \"{}\" {{\n", resource.type, resource.name);
  if (!resource.provider.empty()) writer.text += fmt::format("provider = {}\n", resource.provider);
  writer.parts(Members(schema), unknown_as_null(object));
  writer.text += '}';
  return laid_out(std::move(writer.text));
}

value::Value generated_arguments(const GeneratedResource& resource, const Block& schema,
                                 const value::Value& object, const syntax::Scope& scope) {
  diag::SourceMap sources;
  diag::Diagnostics diags;
  GeneratedResource unnamed{"type", "name", {}, resource.is_config};
  const diag::FileId id = sources.add("generated", generated_config(unnamed, schema, object));
  const auto file = syntax::parse_file(sources, id, diags);
  if (!diags.has_errors()) {
    Value arguments = decode(syntax::Body(file->native->blocks.front().body), schema, scope, diags);
    if (!diags.has_errors()) return arguments;
  }
  // A block that its author has to complete first. Until then, nothing that it sets is a change.
  return computed_only_attributes(schema).changed(
      object, [](const Value& v) { return Value::null(v.type()); });
}

std::string generated_file_header() {
  // Tools look for these lines, so they are OpenTofu's.
  return "# __generated__ by OpenTofu\n"
         "# Please review these resources and move them into your main configuration files.\n";
}

std::string generated_entry(std::string_view config, std::string_view import_id) {
  const std::string from =
      import_id.empty() ? "" : fmt::format(" from {}", base::quote_go(import_id));
  return fmt::format("\n# __generated__ by OpenTofu{}\n{}\n", from, config);
}

}  // namespace tofu::schema

#include <fmt/format.h>
#include <unordered_map>
#include <unordered_set>

#include "base/suggest.h"
#include "syntax/analysis.h"
#include "syntax/body_reader.h"

namespace tofu::syntax {
namespace {

constexpr std::string_view kComment = "//";  // a property of this name says nothing

struct Property {
  std::string_view name;
  diag::SourceRange name_range;
  const Expr* value;
};

void append_properties(const ObjectExpr& object, std::vector<Property>& out) {
  for (const ObjectItem& item : object.items) {
    out.push_back({as<JsonStringExpr>(*item.key).text, item.key->range, item.value});
  }
}

bool is_null(const Expr& value) {
  const auto* literal = as_if<LiteralExpr>(value);
  return literal && literal->value->is_null();
}

void wrong_type(const Expr& value, std::string detail, diag::Diagnostics& diags) {
  diags.error("Incorrect JSON value type").detail(std::move(detail)).at(start_range(value));
}

// The properties of an object, or of all objects of an array, in order. `label`
// says what a property stands for where that is a block's label.
std::vector<Property> properties_of(const Expr& value, std::string_view label,
                                    diag::Diagnostics& diags) {
  const std::string purpose = label.empty()
                                  ? std::string("with the arguments and blocks")
                                  : fmt::format("with property names for the block's {}", label);
  std::vector<Property> properties;
  if (const auto* object = as_if<ObjectExpr>(value)) {
    append_properties(*object, properties);
  } else if (const auto* array = as_if<TupleExpr>(value)) {
    for (const Expr* item : array->items) {
      if (const auto* element = as_if<ObjectExpr>(*item)) {
        append_properties(*element, properties);
      } else {
        wrong_type(*item, fmt::format("Expected an object, {}.", purpose), diags);
      }
    }
  } else if (!is_null(value)) {
    wrong_type(value, fmt::format("Expected an object or an array of objects, {}.", purpose),
               diags);
  }
  return properties;
}

Attribute attribute_of(const Property& property) {
  return {property.name,
          property.value,
          {property.name_range.file, property.name_range.begin, property.value->range.end},
          property.name_range,
          {}};
}

// The blocks of one type: objects nested once per label, then one object or an
// array of them.
class BlockUnpacker {
 public:
  BlockUnpacker(const BlockSchema& schema, const Property& property, std::vector<Block>& out,
                diag::Diagnostics& diags)
      : schema_(schema), property_(property), out_(out), diags_(diags) {}

  void unpack(const Expr& value) {
    if (labels_.size() == schema_.label_names.size()) return blocks(value);
    const std::string& label = schema_.label_names[labels_.size()];
    const std::vector<Property> properties = properties_of(value, label, diags_);
    if (properties.empty()) {
      diags_.error("Missing block label")
          .detail(fmt::format("Expected an object with at least one property. The property names "
                              "are the {} of \"{}\" blocks.",
                              label, schema_.type))
          .at(start_range(value));
      return;
    }
    for (const Property& property : properties) {
      labels_.push_back({property.name, property.name_range});
      unpack(*property.value);
      labels_.pop_back();
    }
  }

 private:
  void blocks(const Expr& value) {
    if (is_null(value)) return;
    if (value.kind == ExprKind::Object) return add(value, start_range(value));
    if (const auto* array = as_if<TupleExpr>(value)) {
      // An item of a wrong type is reported when the block is read.
      for (const Expr* item : array->items) add(*item, array->open_range);
      return;
    }
    wrong_type(
        value,
        fmt::format("Expected an object or an array of objects, for \"{}\" blocks.", schema_.type),
        diags_);
  }

  void add(const Expr& body, diag::SourceRange header) {
    out_.push_back({property_.name, labels_, Body(body), header, property_.name_range});
  }

  const BlockSchema& schema_;
  const Property& property_;
  std::vector<Block>& out_;
  diag::Diagnostics& diags_;
  std::vector<Label> labels_;
};

void set_twice(const Property& property, diag::Diagnostics& diags) {
  diags.error("Duplicate argument")
      .detail(
          fmt::format("The argument \"{}\" is already set. Remove one of the two.", property.name))
      .at(property.name_range);
}

void report_rest(const std::vector<const Property*>& rest, const BodySchema& schema,
                 const Content& found, diag::Diagnostics& diags) {
  if (rest.empty()) return;
  std::vector<std::string_view> names;
  for (const AttributeSchema& known : schema.attributes) {
    if (!found.attribute(known.name)) names.push_back(known.name);
  }
  for (const BlockSchema& known : schema.blocks) names.push_back(known.type);
  for (const Property* property : rest) {
    diags.error("Extraneous JSON object property")
        .detail(fmt::format("No argument or block type is named \"{}\".{}", property->name,
                            base::did_you_mean(property->name, names)))
        .at(property->name_range);
  }
}

}  // namespace

Content BodyReader::json(const Body& body, const BodySchema& schema, Body* rest,
                         diag::Diagnostics& diags) {
  Content content;
  content.missing_item_range = body.missing_item_range();
  const std::size_t errors_before = diags.error_count();
  const std::vector<Property> properties = properties_of(*body.json_, {}, diags);
  const bool wrong = diags.error_count() != errors_before;
  const SchemaIndex index(schema);
  const NameSet hidden = hidden_attributes(body);
  std::unordered_set<std::string_view> used;
  std::vector<const Property*> others;
  for (const Property& property : properties) {
    if (hidden.contains(property.name)) continue;
    if (index.attribute(property.name)) {
      if (!used.insert(property.name).second) {
        set_twice(property, diags);
        continue;
      }
      content.attributes.push_back(attribute_of(property));
    } else if (const BlockSchema* block = index.block(property.name)) {
      used.insert(property.name);
      BlockUnpacker(*block, property, content.blocks, diags).unpack(*property.value);
    } else if (property.name != kComment) {
      others.push_back(&property);
    }
  }
  report_missing(body, schema, content, diags);
  if (rest) {
    *rest = hide(body, {used.begin(), used.end()}, {});
  } else {
    // HCL looks at the properties a second time to find those that do not belong
    // here, and reports what is wrong with them once more.
    if (wrong) properties_of(*body.json_, {}, diags);
    report_rest(others, schema, content, diags);
  }
  return content;
}

std::vector<Attribute> BodyReader::json_attributes(const Body& body, diag::Diagnostics& diags) {
  const auto* object = as_if<ObjectExpr>(*body.json_);
  if (!object) {
    wrong_type(*body.json_, "Expected an object with the arguments of the block.", diags);
    return {};
  }
  std::vector<Property> properties;
  append_properties(*object, properties);
  const NameSet hidden = hidden_attributes(body);
  std::unordered_set<std::string_view> used;
  std::vector<Attribute> attributes;
  for (const Property& property : properties) {
    if (property.name == kComment || hidden.contains(property.name)) continue;
    if (!used.insert(property.name).second) {
      set_twice(property, diags);
      continue;
    }
    attributes.push_back(attribute_of(property));
  }
  return attributes;
}

}  // namespace tofu::syntax

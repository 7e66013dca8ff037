#include "schema/checks.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>
#include <utility>
#include <vector>

#include "syntax/ast.h"
#include "syntax/eval.h"
#include "value/convert.h"

namespace tofu::schema {

namespace {

using value::Value;

void check_data(const Value& config, diag::Diagnostics& diags) {
  for (const std::string_view name : {"id", "output"}) {
    if (config.plain().find(name)->is_null()) continue;
    diags.error("Read-only attribute")
        .detail(fmt::format("The provider decides the value of {:?}, so it cannot be set.", name));
  }
}

bool has_object_type(const Value& v) {
  const value::Type type = v.type();
  return type.is_dynamic() || type.kind() == value::TypeKind::Object ||
         type.kind() == value::TypeKind::Map;
}

// Something that has named parts, or may turn out to have.
bool may_be_object(const Value& v) { return v.is_null() || has_object_type(v); }

void refuse_argument(std::string_view name, std::string detail, const syntax::Body& body,
                     diag::Diagnostics& diags) {
  diags.error("Invalid remote state configuration")
      .detail(std::move(detail))
      .at(place_of(body, name));
}

constexpr auto kBackends =
    std::to_array<std::string_view>({"_local", "azurerm", "cloud", "consul", "cos", "gcs", "http",
                                     "inmem", "kubernetes", "local", "oss", "pg", "remote", "s3"});

// Whether the local backend has such arguments. Other backends look at theirs when
// they are opened.
bool fits_local_backend(const Value& config) {
  if (config.is_null()) return true;
  bool fits = true;
  value::for_each_element(config.plain(), [&](const Value& key, const Value& item) {
    const std::string_view name = key.plain().as_string();
    fits &= (name == "path" || name == "workspace_dir") &&
            static_cast<bool>(value::convert(item, value::Type::string()));
  });
  return fits;
}

void check_backend(std::string_view backend, const Value& config, const syntax::Body& body,
                   diag::Diagnostics& diags) {
  if (std::ranges::find(kBackends, backend) == kBackends.end()) {
    refuse_argument("backend", fmt::format("No backend type is named {:?}.", backend), body, diags);
    return;
  }
  const bool is_local = backend == "local" || backend == "_local";
  if (!may_be_object(config) || (is_local && !fits_local_backend(config))) {
    refuse_argument("config", fmt::format("Invalid configuration for the backend {:?}.", backend),
                    body, diags);
  }
}

void check_remote_state(const Value& config, const syntax::Body& body, diag::Diagnostics& diags) {
  const Value& backend = *config.plain().find("backend");
  const Value& settings = *config.plain().find("config");
  if (backend.is_null()) {
    refuse_argument("backend", "The argument \"backend\" must not be null.", body, diags);
    return;
  }
  if (backend.is_known() && settings.wholly_known()) {
    check_backend(backend.plain().as_string(), settings, body, diags);
  } else if (!may_be_object(settings)) {
    refuse_argument("config", "The argument \"config\" must be an object.", body, diags);
  }
  // A null of another type is refused as well, as in OpenTofu.
  if (!has_object_type(*config.plain().find("defaults"))) {
    refuse_argument("defaults", "The argument \"defaults\" must be an object.", body, diags);
  }
}

}  // namespace

diag::SourceRange place_of(const syntax::Body& body, std::string_view attribute) {
  diag::Diagnostics ignored;
  const auto content =
      body.partial_content({{{std::string(attribute), false}}, {}}, ignored).content;
  const syntax::Attribute* found = content.attribute(attribute);
  return found == nullptr ? body.missing_item_range() : found->expr->range;
}

namespace {

using Steps = std::span<const value::PathStep>;

bool is_key(const syntax::Expr& expr, const Value& key) {
  diag::Diagnostics ignored;
  const auto written = syntax::evaluate(expr, nullptr, ignored);
  return written && raw_equal(written->deep_unmarked(), key);
}

// The part of a tuple or object that is written out. Null if there is none.
const syntax::Expr* element_of(const syntax::Expr& expr, const Value& key) {
  if (const auto* tuple = syntax::as_if<syntax::TupleExpr>(expr)) {
    for (std::size_t i = 0; i < tuple->items.size(); ++i) {
      if (raw_equal(Value::integer(static_cast<std::int64_t>(i)), key)) return tuple->items[i];
    }
  }
  if (const auto* object = syntax::as_if<syntax::ObjectExpr>(expr)) {
    for (const syntax::ObjectItem& item : object->items) {
      if (is_key(*item.key, key)) return item.value;
    }
  }
  return nullptr;
}

// The block that the first of `steps` chooses, which is then taken away. Null if there is
// none. Blocks that stand alone are not chosen by a key.
const syntax::Block* choose(const std::vector<syntax::Block>& blocks, Steps& steps) {
  const auto* index = steps.empty() ? nullptr : std::get_if<value::IndexStep>(&steps.front());
  if (index == nullptr) return blocks.empty() ? nullptr : &blocks.front();
  steps = steps.subspan(1);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Value key = blocks[i].labels.empty()
                          ? Value::integer(static_cast<std::int64_t>(i))
                          : Value::string(std::string(blocks[i].labels[0].text));
    if (raw_equal(key, index->key)) return &blocks[i];
  }
  return nullptr;
}

diag::SourceRange place_in(const syntax::Body& body, Steps steps) {
  const auto* first = steps.empty() ? nullptr : std::get_if<value::AttributeStep>(&steps.front());
  if (first == nullptr) return body.missing_item_range();
  steps = steps.subspan(1);
  diag::Diagnostics ignored;
  const syntax::Content written =
      body.partial_content({{{first->name, false}}, {}}, ignored).content;
  if (const syntax::Attribute* attribute = written.attribute(first->name)) {
    if (steps.empty()) return attribute->expr->range;
    const auto* index = std::get_if<value::IndexStep>(&steps.front());
    if (index == nullptr || steps.size() > 1) return body.missing_item_range();
    const syntax::Expr* element = element_of(*attribute->expr, index->key);
    return element == nullptr ? attribute->expr->range : element->range;
  }
  // A block as a whole is something that the body around it has or lacks.
  const auto is_attribute = [](const value::PathStep& step) {
    return std::holds_alternative<value::AttributeStep>(step);
  };
  if (std::ranges::none_of(steps, is_attribute)) return body.missing_item_range();
  for (const bool has_label : {false, true}) {
    syntax::BodySchema wanted;
    wanted.blocks.push_back({first->name, {}});
    if (has_label) wanted.blocks.back().label_names = {"key"};
    diag::Diagnostics unread;
    const auto blocks = body.partial_content(wanted, unread).content.blocks;
    if (unread.has_errors() || blocks.empty()) continue;
    const syntax::Block* chosen = choose(blocks, steps);
    return chosen == nullptr ? body.missing_item_range() : place_in(chosen->body, steps);
  }
  return body.missing_item_range();
}

}  // namespace

diag::SourceRange place_of(const syntax::Body& body, const value::Path& path) {
  return place_in(body, path.steps);
}

void check_builtin_resource(std::string_view type, const Value& config, const syntax::Body& body,
                            diag::Diagnostics& diags) {
  if (config.is_null() || config.is_unknown()) return;
  if (type == "terraform_data") check_data(config, diags);
  if (type == "terraform_remote_state") check_remote_state(config, body, diags);
}

}  // namespace tofu::schema

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "config/block_reader.h"
#include "syntax/analysis.h"
#include "syntax/block_reading.h"
#include "syntax/eval.h"
#include "value/convert.h"

namespace tofu::config {

namespace {

// The name of a block of one mode in messages.
struct Words {
  std::string_view type_name;
  std::string_view name;
};

const syntax::BodySchema& resource_schema() {
  static const syntax::BodySchema kSchema =
      syntax::schema_of({"count", "for_each", "provider", "depends_on"}, {{"locals", {}},
                                                                          {"lifecycle", {}},
                                                                          {"connection", {}},
                                                                          {"provisioner", {"type"}},
                                                                          {"_", {}}});
  return kSchema;
}

const syntax::BodySchema& data_schema() {
  static const syntax::BodySchema kSchema =
      syntax::schema_of({"count", "for_each", "provider", "depends_on"},
                        {{"lifecycle", {}}, {"locals", {}}, {"_", {}}});
  return kSchema;
}

// The contents of every lifecycle block; which of it makes sense where is checked afterwards, for
// better messages.
const syntax::BodySchema& lifecycle_schema() {
  static const syntax::BodySchema kSchema =
      syntax::schema_of({"create_before_destroy", "prevent_destroy", "destroy", "ignore_changes",
                         "replace_triggered_by", "enabled"},
                        {{"precondition", {}}, {"postcondition", {}}});
  return kSchema;
}

// A block of any mode being read.
struct Reader {
  BlockReader& block_reader;
  Resource resource;
  RepetitionPlaces places;
  OnlyOne lifecycle;
  OnlyOne escape;
  OnlyOne connection;

  syntax::Content begin(const syntax::Block& block, addrs::ResourceMode mode,
                        const syntax::BodySchema& schema, Words words);
  void read_arguments(const syntax::Content& content);
  void read_escape(const syntax::Block& block);
  void read_managed_lifecycle(const syntax::Block& block);
  void read_data_lifecycle(const syntax::Block& block);
  void read_ephemeral_lifecycle(const syntax::Block& block);
  void read_enabled(const syntax::Content& content);
  void read_conditions(const syntax::Content& content);
  void check_self_references(const syntax::Block& block, const syntax::Condition& condition);
  void read_ignore_changes(const syntax::Attribute& attribute);
  void read_destroy(const syntax::Attribute& attribute);
  void read_replace_triggered_by(const syntax::Attribute& attribute);
  void check_trigger(const syntax::Expr& expr);
  void read_connection(const syntax::Block& block);
};

syntax::Content Reader::begin(const syntax::Block& block, addrs::ResourceMode mode,
                              const syntax::BodySchema& schema, Words words) {
  resource.mode = mode;
  resource.type = block.labels[0].text;
  resource.name = block.labels[1].text;
  resource.range = block.range;
  resource.type_range = block.labels[0].range;
  syntax::PartialContent read = block.body.partial_content(schema, block_reader.diags);
  resource.config = std::move(read.remaining);
  check_identifier(block_reader, block.labels[0], words.type_name);
  check_identifier(block_reader, block.labels[1], words.name);
  return std::move(read.content);
}

void Reader::read_arguments(const syntax::Content& content) {
  for (const syntax::Attribute& attribute : content.attributes) {
    if (attribute.name == "count") {
      resource.repetition.count = attribute.expr;
      places.count = attribute.name_range;
    } else if (attribute.name == "for_each") {
      resource.repetition.for_each = attribute.expr;
      places.for_each = attribute.name_range;
    } else if (attribute.name == "provider") {
      if (auto provider = provider_reference(block_reader, *attribute.expr, "provider")) {
        resource.provider = std::make_unique<const ProviderRef>(std::move(*provider));
      }
    } else if (attribute.name == "depends_on") {
      resource.depends_on = reference_list(block_reader, attribute);
    }
  }
}

void Reader::read_escape(const syntax::Block& block) {
  if (!escape.admit(block_reader, block, "Only one \"_\" block is allowed.")) return;
  resource.config = syntax::Body::joined(std::move(resource.config), block.body);
}

void Reader::read_enabled(const syntax::Content& content) {
  const auto* attribute = content.attribute("enabled");
  if (attribute == nullptr) return;
  resource.repetition.enabled = attribute->expr;
  places.enabled = attribute->name_range;
}

void Reader::check_self_references(const syntax::Block& block, const syntax::Condition& condition) {
  for (const syntax::Expr* expr : {condition.condition, condition.error_message}) {
    if (expr == nullptr) continue;
    for (const syntax::Traversal* used : syntax::variables(*expr)) {
      diag::Diagnostics ignored;
      const auto reference = addrs::parse_reference(*used, block_reader.references, ignored);
      if (!reference) continue;
      const auto* whole = std::get_if<addrs::Resource>(&reference->subject);
      const auto* instance = std::get_if<addrs::ResourceInstance>(&reference->subject);
      if (instance != nullptr) whole = &instance->resource;
      if (whole == nullptr || *whole != resource.address()) continue;
      block_reader.diags.error(fmt::format("Self-reference in a {}", block.type))
          .detail(fmt::format("The configuration of {} cannot refer to itself. To check its own "
                              "values, use \"self\" in a postcondition.",
                              whole->to_string()))
          .at(expr->range);
      break;
    }
  }
}

void Reader::read_conditions(const syntax::Content& content) {
  for (const syntax::Block& block : content.blocks) {
    const syntax::Condition condition = read_condition(block_reader, block);
    check_self_references(block, condition);
    auto& list = block.type == "precondition" ? resource.preconditions : resource.postconditions;
    list.push_back(condition);
  }
}

bool is_star(const syntax::Expr& expr) {
  diag::Diagnostics ignored;
  const auto text = syntax::evaluate(expr, nullptr, ignored);
  return text && text->kind() == value::Kind::String && text->plain().as_string() == "*";
}

// It decides about objects whose configuration may be gone, so nothing can be referred to. A
// constant that is not a bool counts as not set, as in OpenTofu.
void Reader::read_destroy(const syntax::Attribute& attribute) {
  const auto given = syntax::evaluate(*attribute.expr, nullptr, block_reader.diags);
  if (!given) return;
  const auto truth = value::convert(*given, value::Type::boolean());
  if (truth && !truth->is_null() && truth->is_known()) resource.destroy = truth->plain().as_bool();
}

void Reader::read_ignore_changes(const syntax::Attribute& attribute) {
  if (syntax::keyword(*attribute.expr) == "all") {
    resource.ignore_all_changes = true;
    return;
  }
  const auto items = syntax::as_list(*attribute.expr, block_reader.diags);
  if (!items) return;
  std::optional<diag::SourceRange> star;
  for (const syntax::Expr* item : *items) {
    if (is_star(*item)) {
      star = item->range;
      resource.ignore_all_changes = true;
      block_reader.diags.error("Invalid ignore_changes wildcard")
          .detail("To ignore all changes, write ignore_changes = all.")
          .at(attribute.expr->range);
      continue;
    }
    const Unquoted unquoted = unquote(block_reader, *item, Quotable::Reference);
    if (unquoted.traversal) {
      resource.ignore_changes.push_back(*unquoted.traversal);
    } else if (!unquoted.quoted) {
      syntax::as_traversal(*item, block_reader.diags);  // says what is wrong
    }
  }
  if (star && !resource.ignore_changes.empty()) {
    block_reader.diags.error("Invalid ignore_changes ruleset")
        .detail(
            "Cannot combine \"*\" with attribute names. To ignore all changes, write "
            "ignore_changes = all.")
        .at(*star)
        .within(attribute.expr->range);
  }
}

// Whether a trigger may refer to it beside its one resource.
bool fits_beside_trigger(const addrs::Subject& subject) {
  if (const auto* each = std::get_if<addrs::EachAttr>(&subject)) return each->name == "key";
  if (const auto* count = std::get_if<addrs::CountAttr>(&subject)) return count->name == "index";
  return false;
}

void Reader::check_trigger(const syntax::Expr& expr) {
  // Every problem is reported at the whole expression, as in OpenTofu.
  const auto refuse = [&](std::string detail) {
    block_reader.diags.error("Invalid replace_triggered_by expression")
        .detail(std::move(detail))
        .at(expr.range);
  };
  std::vector<addrs::Subject> subjects;
  diag::Diagnostics problems;
  for (const syntax::Traversal* used : syntax::variables(expr)) {
    if (auto reference = addrs::parse_reference(*used, block_reader.references, problems)) {
      subjects.push_back(std::move(reference->subject));
    }
  }
  for (diag::Diagnostic& problem : problems.items_from(0)) {
    problem.subject = expr.range;
    block_reader.diags.add(std::move(problem));
  }
  if (problems.has_errors()) return;
  std::size_t resources = 0;
  for (const addrs::Subject& subject : subjects) {
    if (std::holds_alternative<addrs::Resource>(subject) ||
        std::holds_alternative<addrs::ResourceInstance>(subject)) {
      ++resources;
    } else if (!fits_beside_trigger(subject)) {
      refuse(
          "Only resources and their attributes are allowed as triggers; count.index and each.key "
          "can select an instance.");
    }
  }
  if (resources == 0) refuse("This trigger does not refer to a resource.");
  if (resources > 1)
    refuse("A trigger must refer to exactly one resource. Write several triggers instead.");
}

void Reader::read_replace_triggered_by(const syntax::Attribute& attribute) {
  const auto items = syntax::as_list(*attribute.expr, block_reader.diags);
  if (!items) return;
  for (const syntax::Expr* item : *items) {
    const syntax::Expr* expr = unquoted_expr(block_reader, *item);
    if (expr == nullptr) continue;
    check_trigger(*expr);
    resource.replace_triggered_by.push_back(expr);
  }
}

void Reader::read_managed_lifecycle(const syntax::Block& block) {
  if (!lifecycle.admit(block_reader, block, "A resource block can have only one lifecycle block."))
    return;
  const syntax::Content content = block.body.content(lifecycle_schema(), block_reader.diags);
  read_enabled(content);
  for (const syntax::Attribute& attribute : content.attributes) {
    if (attribute.name == "create_before_destroy") {
      resource.create_before_destroy = syntax::constant_bool(*attribute.expr, block_reader.diags);
    } else if (attribute.name == "prevent_destroy") {
      resource.prevent_destroy = attribute.expr;
    } else if (attribute.name == "destroy") {
      read_destroy(attribute);
    } else if (attribute.name == "replace_triggered_by") {
      read_replace_triggered_by(attribute);
    } else if (attribute.name == "ignore_changes") {
      read_ignore_changes(attribute);
    }
  }
  read_conditions(content);
}

void Reader::read_data_lifecycle(const syntax::Block& block) {
  if (!lifecycle.admit(block_reader, block, "A data block can have only one lifecycle block."))
    return;
  const syntax::Content content = block.body.content(lifecycle_schema(), block_reader.diags);
  read_enabled(content);
  for (const syntax::Attribute& attribute : content.attributes) {
    if (attribute.name == "enabled") continue;
    block_reader.diags.error("Invalid data resource lifecycle argument")
        .detail(fmt::format("\"{}\" is allowed only in resource blocks.", attribute.name))
        .at(attribute.name_range);
  }
  read_conditions(content);
}

void Reader::read_ephemeral_lifecycle(const syntax::Block& block) {
  if (!lifecycle.admit(block_reader, block,
                       "An ephemeral block can have only one lifecycle block."))
    return;
  const syntax::Content content = block.body.content(lifecycle_schema(), block_reader.diags);
  read_enabled(content);
  for (const syntax::Attribute& attribute : content.attributes) {
    if (attribute.name == "enabled") continue;
    block_reader.diags.error("Invalid lifecycle configuration for ephemeral resource")
        .detail(fmt::format("\"{}\" is allowed only in resource blocks.", attribute.name))
        .at(block.range);
  }
  read_conditions(content);
}

void Reader::read_connection(const syntax::Block& block) {
  if (!connection.admit(block_reader, block,
                        "A resource block can have only one connection block."))
    return;
  resource.connection = std::make_unique<const Connection>(block.body, block.range);
}

}  // namespace

Resource read_managed(BlockReader& block_reader, const syntax::Block& block) {
  Reader reader{block_reader, {}, {}, {}, {}, {}};
  const syntax::Content content =
      reader.begin(block, addrs::ResourceMode::Managed, resource_schema(),
                   {"resource type name", "resource name"});
  reader.read_arguments(content);
  Resource& resource = reader.resource;
  for (const syntax::Block& inner : content.blocks) {
    if (inner.type == "lifecycle") {
      reader.read_managed_lifecycle(inner);
    } else if (inner.type == "connection") {
      reader.read_connection(inner);
    } else if (inner.type == "provisioner") {
      auto provisioner = read_provisioner(block_reader, inner);
      if (provisioner) resource.provisioners.push_back(std::move(*provisioner));
    } else if (inner.type == "_") {
      reader.read_escape(inner);
    } else {
      report_reserved_block(block_reader, inner, "resource");
    }
  }
  check_exclusive(block_reader, reader.places);
  const bool runs_at_destroy = std::ranges::any_of(
      resource.provisioners,
      [](const Provisioner& each) { return each.when == ProvisionerWhen::Destroy; });
  if (resource.connection && runs_at_destroy) {
    check_destroy_references(block_reader, resource.connection->config);
  }
  return std::move(reader.resource);
}

Resource read_data(BlockReader& block_reader, const syntax::Block& block, bool nested) {
  Reader reader{block_reader, {}, {}, {}, {}, {}};
  const syntax::Content content = reader.begin(block, addrs::ResourceMode::Data, data_schema(),
                                               {"data source type name", "data source name"});
  reader.read_arguments(content);
  if (nested) {
    for (const syntax::Attribute& attribute : content.attributes) {
      if (attribute.name != "count" && attribute.name != "for_each") continue;
      block_reader.diags.error(fmt::format("\"{}\" in a check", attribute.name))
          .detail("The data source of a check block always has exactly one instance.")
          .at(attribute.name_range);
    }
    reader.resource.repetition = {};
    reader.places = {};
  }
  for (const syntax::Block& inner : content.blocks) {
    if (inner.type == "lifecycle") {
      if (nested) {
        block_reader.diags.error("Invalid data resource lifecycle argument")
            .detail("A data block in a check block cannot have a lifecycle block.")
            .at(inner.range);
      }
      reader.read_data_lifecycle(inner);
    } else if (inner.type == "_") {
      reader.read_escape(inner);
    } else {
      report_reserved_block(block_reader, inner, "data");
    }
  }
  check_exclusive(block_reader, reader.places);
  return std::move(reader.resource);
}

Resource read_ephemeral(BlockReader& block_reader, const syntax::Block& block) {
  Reader reader{block_reader, {}, {}, {}, {}, {}};
  const syntax::Content content =
      reader.begin(block, addrs::ResourceMode::Ephemeral, resource_schema(),
                   {"ephemeral resource type name", "ephemeral resource name"});
  reader.read_arguments(content);
  for (const syntax::Block& inner : content.blocks) {
    if (inner.type == "lifecycle") {
      reader.read_ephemeral_lifecycle(inner);
    } else if (inner.type == "connection" || inner.type == "provisioner") {
      block_reader.diags.error("Invalid configuration block for ephemeral resource")
          .detail(fmt::format("\"{}\" blocks are allowed only in resource blocks.", inner.type))
          .at(inner.range);
    } else if (inner.type == "_") {
      reader.read_escape(inner);
    } else {
      report_reserved_block(block_reader, inner, "ephemeral");
    }
  }
  check_exclusive(block_reader, reader.places);
  return std::move(reader.resource);
}

}  // namespace tofu::config

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "addrs/parse.h"
#include "config/reading.h"
#include "syntax/analysis.h"

namespace tofu::config {

namespace {

// Ephemeral resources leave nothing behind that could move.
bool can_move(const std::optional<addrs::MoveEndpoint>& endpoint) {
  if (!endpoint) return false;
  const auto* instance = std::get_if<addrs::AbsResourceInstance>(&endpoint->subject);
  return instance == nullptr || instance->object.resource.mode != addrs::ResourceMode::Ephemeral;
}

std::optional<addrs::MoveEndpoint> read_endpoint(Reading& reading, const syntax::Content& content,
                                                 std::string_view name) {
  const auto* attribute = content.attribute(name);
  if (attribute == nullptr) return std::nullopt;
  const auto traversal = syntax::as_traversal(*attribute->expr, reading.diags);
  if (!traversal) return std::nullopt;
  return addrs::parse_move_endpoint(*traversal, reading.diags);
}

// The names in an import's target, its dynamic keys left out. False if and only if
// an error was added.
bool collect_names(Reading& reading, const syntax::Expr& target, syntax::Traversal& out,
                   std::vector<syntax::TraversalStep>& steps) {
  // From the outside in; nesting is bounded, but a loop needs no promise.
  std::vector<std::span<const syntax::TraversalStep>> behind;
  const syntax::Expr* at = &target;
  while (true) {
    if (const auto* index = syntax::as_if<syntax::IndexExpr>(*at)) {
      at = index->collection;
    } else if (const auto* relative = syntax::as_if<syntax::RelativeTraversalExpr>(*at)) {
      behind.push_back(relative->steps);
      at = relative->source;
    } else {
      break;
    }
  }
  const auto* variable = syntax::as_if<syntax::VariableExpr>(*at);
  if (variable == nullptr) {
    reading.diags.error("Invalid import target")
        .detail(
            "The target is the address of a resource instance, such as aws_x.name or "
            "module.a[key].aws_x.name[key]; only its keys can be computed.")
        .at(at->range);
    return false;
  }
  out = variable->traversal;
  steps.assign(out.steps.begin(), out.steps.end());
  std::for_each(behind.rbegin(), behind.rend(),
                [&](const auto& more) { steps.insert(steps.end(), more.begin(), more.end()); });
  out.steps = steps;
  out.range = target.range;
  return true;
}

// False if reading on makes no sense; an error was added then.
// `errors_before` counts those before the block: in JSON the rest of a block with
// mistakes is not looked at, as in OpenTofu.
bool read_target(Reading& reading, const syntax::Attribute& attribute, std::size_t errors_before,
                 Import& import) {
  const syntax::Expr* target = spelt_out(reading, *attribute.expr);
  if (target == nullptr) return false;
  if (attribute.expr->in_json && reading.diags.error_count() != errors_before) return false;
  syntax::Traversal names;
  std::vector<syntax::TraversalStep> steps;
  if (!collect_names(reading, *target, names, steps)) return false;
  const auto instance = addrs::parse_abs_resource_instance(names, reading.diags);
  if (!instance) return false;
  import.to = target;
  import.static_to = addrs::config_of(*instance);
  if (const auto constant = syntax::traversal_if(*target)) {
    diag::Diagnostics ignored;
    import.resolved_to = addrs::parse_abs_resource_instance(*constant, ignored);
  }
  return true;
}

void check_identity(Reading& reading, const syntax::Attribute* id,
                    const syntax::Attribute* identity, diag::SourceRange block) {
  if (id == nullptr && identity == nullptr) {
    reading.diags.error("Nothing to import by")
        .detail("An import block needs one of the arguments id and identity.")
        .at(block);
  } else if (id != nullptr && identity != nullptr) {
    reading.diags.error("Both id and identity")
        .detail("An import block needs one of the arguments id and identity, not both.")
        .at(diag::cover(id->range, identity->range));
  }
}

void read_removed_provisioner(Reading& reading, const syntax::Block& block, Removed& removed,
                              bool has_from) {
  auto provisioner = read_provisioner(reading, block);
  if (!provisioner) return;
  if (provisioner->when != ProvisionerWhen::Destroy) {
    reading.diags.error("Invalid provisioner in a removed block")
        .detail("The object is only ever destroyed here: write when = destroy.")
        .at(block.range);
    return;
  }
  if (has_from && std::holds_alternative<addrs::ModulePath>(removed.from.subject)) {
    reading.diags.error("Provisioners of a removed module")
        .detail("Only a removed block for a resource can have provisioners.")
        .at(removed.range);
    return;
  }
  removed.provisioners.push_back(std::move(*provisioner));
}

void read_removed_lifecycle(Reading& reading, const syntax::Block& block, Removed& removed,
                            bool& destroy_given) {
  static const syntax::BodySchema kSchema = schema_of({"destroy"});
  const syntax::Content content = block.body.content(kSchema, reading.diags);
  if (const auto* attribute = content.attribute("destroy")) {
    removed.destroy = constant_bool(*attribute->expr, reading.diags);
    destroy_given = true;
  }
}

}  // namespace

std::optional<Moved> read_moved(Reading& reading, const syntax::Block& block) {
  static const syntax::BodySchema kSchema =
      with_required(schema_of({"from", "to"}), {"from", "to"});
  const std::size_t errors_before = reading.diags.error_count();
  const syntax::Content content = block.body.content(kSchema, reading.diags);
  auto from = read_endpoint(reading, content, "from");
  auto to = read_endpoint(reading, content, "to");
  for (const auto& [endpoint, name] : {std::pair(&from, "from"), std::pair(&to, "to")}) {
    if (can_move(*endpoint)) continue;
    reading.diags.error("Invalid address in a moved block")
        .detail(fmt::format("The address in \"{}\" is nothing that can be moved.", name))
        .at(block.range);
  }
  if (reading.diags.error_count() != errors_before) return std::nullopt;
  if (from->is_module() != to->is_module()) {
    reading.diags.error("A resource and a module in a moved block")
        .detail("Both addresses have to name resources, or both modules.")
        .at(block.range);
    return std::nullopt;
  }
  return Moved{std::move(*from), std::move(*to), block.range};
}

std::optional<Removed> read_removed(Reading& reading, const syntax::Block& block) {
  static const syntax::BodySchema kSchema =
      with_required(schema_of({"from"}, {{"lifecycle", {}}, {"provisioner", {"type"}}}), {"from"});
  const std::size_t errors_before = reading.diags.error_count();
  const syntax::Content content = block.body.content(kSchema, reading.diags);
  Removed removed;
  removed.range = block.range;
  bool has_from = false;
  if (const auto* attribute = content.attribute("from")) {
    const auto traversal = syntax::as_traversal(*attribute->expr, reading.diags);
    auto from = traversal ? addrs::parse_remove_endpoint(*traversal, reading.diags) : std::nullopt;
    has_from = from.has_value();
    if (from) removed.from = std::move(*from);
  }
  OnlyOne lifecycle;
  bool destroy_given = false;
  for (const syntax::Block& inner : content.blocks) {
    if (inner.type == "provisioner") {
      read_removed_provisioner(reading, inner, removed, has_from);
    } else if (lifecycle.admit(reading, inner, "A removed block can have one lifecycle block.")) {
      read_removed_lifecycle(reading, inner, removed, destroy_given);
    }
  }
  if (reading.diags.error_count() != errors_before) {
    if (!has_from) return std::nullopt;
    return removed;
  }
  if (!destroy_given) {
    reading.diags.warning("A removed block that does not say what to do")
        .detail(
            "Add lifecycle { destroy = false } to forget the object, or true to destroy it. "
            "Without it the object is forgotten; other tools may destroy it.")
        .at(block.range);
  } else if (!removed.destroy.value_or(false) && !removed.provisioners.empty()) {
    reading.diags.warning("Provisioners that never run")
        .detail("The object is forgotten, not destroyed, so its provisioners will not run.")
        .at(block.range);
  }
  return removed;
}

Import read_import(Reading& reading, const syntax::Block& block) {
  static const syntax::BodySchema kSchema =
      with_required(schema_of({"provider", "id", "identity", "to", "for_each"}), {"to"});
  const std::size_t errors_before = reading.diags.error_count();
  const syntax::Content content = block.body.content(kSchema, reading.diags);
  Import import;
  import.range = block.range;
  const auto* id = content.attribute("id");
  const auto* identity = content.attribute("identity");
  if (id != nullptr) import.id = id->expr;
  if (identity != nullptr) import.identity = identity->expr;
  const auto* to = content.attribute("to");
  if (to != nullptr && !read_target(reading, *to, errors_before, import)) return import;
  if (const auto* attribute = content.attribute("provider")) {
    if (!import.static_to.module.is_root()) {
      reading.diags.error("\"provider\" of an import into a module")
          .detail(
              "Which providers a module uses is decided in its module block. The argument is "
              "only for imports that generate configuration.")
          .at(attribute->range);
    }
    import.provider = provider_reference(reading, *attribute->expr, "provider");
    import.provider_range = attribute->range;
  }
  if (const auto* attribute = content.attribute("for_each")) import.for_each = attribute->expr;
  check_identity(reading, id, identity, block.range);
  return import;
}

}  // namespace tofu::config

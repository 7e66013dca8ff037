#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "addrs/parse.h"
#include "config/block_reader.h"
#include "syntax/analysis.h"
#include "syntax/block_reading.h"

namespace tofu::config {

namespace {

// Ephemeral resources leave nothing behind that could move.
bool can_move(const std::optional<addrs::MoveEndpoint>& endpoint) {
  if (!endpoint) return false;
  const auto* instance = std::get_if<addrs::AbsResourceInstance>(&endpoint->subject);
  return instance == nullptr || instance->object.resource.mode != addrs::ResourceMode::Ephemeral;
}

std::optional<addrs::MoveEndpoint> read_endpoint(BlockReader& block_reader,
                                                 const syntax::Content& content,
                                                 std::string_view name) {
  const auto* attribute = content.attribute(name);
  if (attribute == nullptr) return std::nullopt;
  const auto traversal = syntax::as_traversal(*attribute->expr, block_reader.diags);
  if (!traversal) return std::nullopt;
  return addrs::parse_move_endpoint(*traversal, block_reader.diags);
}

// The names in an import's target, its dynamic keys left out.
diag::Checked<void> collect_names(BlockReader& block_reader, const syntax::Expr& target,
                                  syntax::Traversal& out,
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
    block_reader.diags.error("Invalid import address expression")
        .detail(
            "The target must be the address of a resource instance, such as aws_x.name or "
            "module.a[key].aws_x.name[key]. Only its keys can be expressions.")
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

// False if reading on makes no sense; an error was added then. `errors_before` counts those before
// the block: in JSON the rest of a block with errors is not checked, as in OpenTofu.
bool read_target(BlockReader& block_reader, const syntax::Attribute& attribute,
                 std::size_t errors_before, Import& import) {
  const syntax::Expr* target = unquoted_expr(block_reader, *attribute.expr);
  if (target == nullptr) return false;
  if (attribute.expr->in_json && block_reader.diags.error_count() != errors_before) return false;
  syntax::Traversal names;
  std::vector<syntax::TraversalStep> steps;
  if (!collect_names(block_reader, *target, names, steps)) return false;
  const auto instance = addrs::parse_abs_resource_instance(names, block_reader.diags);
  if (!instance) return false;
  import.to = target;
  import.static_to = addrs::config_of(*instance);
  if (const auto constant = syntax::traversal_if(*target)) {
    diag::Diagnostics ignored;
    import.resolved_to = addrs::parse_abs_resource_instance(*constant, ignored);
  }
  return true;
}

void check_identity(BlockReader& block_reader, const syntax::Attribute* id,
                    const syntax::Attribute* identity, diag::SourceRange block) {
  if (id == nullptr && identity == nullptr) {
    block_reader.diags.error("Missing import ID or identity")
        .detail("An import block requires either id or identity.")
        .at(block);
  } else if (id != nullptr && identity != nullptr) {
    block_reader.diags.error("Conflicting import arguments")
        .detail("An import block requires either id or identity, not both.")
        .at(diag::cover(id->range, identity->range));
  }
}

void read_removed_provisioner(BlockReader& block_reader, const syntax::Block& block,
                              Removed& removed, bool has_from) {
  auto provisioner = read_provisioner(block_reader, block);
  if (!provisioner) return;
  if (provisioner->when != ProvisionerWhen::Destroy) {
    block_reader.diags.error("Invalid provisioner in a removed block")
        .detail("Only destroy-time provisioners are allowed here. Set when = destroy.")
        .at(block.range);
    return;
  }
  if (has_from && std::holds_alternative<addrs::ModulePath>(removed.from.subject)) {
    block_reader.diags.error("Invalid provisioner in a removed block")
        .detail("Provisioners are allowed only in removed blocks for resources, not for modules.")
        .at(removed.range);
    return;
  }
  removed.provisioners.push_back(std::move(*provisioner));
}

void read_removed_lifecycle(BlockReader& block_reader, const syntax::Block& block, Removed& removed,
                            bool& destroy_given) {
  static const syntax::BodySchema kSchema = syntax::schema_of({"destroy"});
  const syntax::Content content = block.body.content(kSchema, block_reader.diags);
  if (const auto* attribute = content.attribute("destroy")) {
    removed.destroy = syntax::constant_bool(*attribute->expr, block_reader.diags);
    destroy_given = true;
  }
}

}  // namespace

std::optional<Moved> read_moved(BlockReader& block_reader, const syntax::Block& block) {
  static const syntax::BodySchema kSchema =
      syntax::with_required(syntax::schema_of({"from", "to"}), {"from", "to"});
  const std::size_t errors_before = block_reader.diags.error_count();
  const syntax::Content content = block.body.content(kSchema, block_reader.diags);
  auto from = read_endpoint(block_reader, content, "from");
  auto to = read_endpoint(block_reader, content, "to");
  for (const auto& [endpoint, name] : {std::pair(&from, "from"), std::pair(&to, "to")}) {
    if (can_move(*endpoint)) continue;
    block_reader.diags.error("Invalid address in a moved block")
        .detail(fmt::format("The argument \"{}\" must be the address of a resource, a resource "
                            "instance, a module or a module instance.",
                            name))
        .at(block.range);
  }
  if (block_reader.diags.error_count() != errors_before) return std::nullopt;
  if (from->is_module() != to->is_module()) {
    block_reader.diags.error("Invalid \"moved\" addresses")
        .detail("Both addresses must be resources, or both must be modules.")
        .at(block.range);
    return std::nullopt;
  }
  return Moved{std::move(*from), std::move(*to), block.range};
}

std::optional<Removed> read_removed(BlockReader& block_reader, const syntax::Block& block) {
  static const syntax::BodySchema kSchema = syntax::with_required(
      syntax::schema_of({"from"}, {{"lifecycle", {}}, {"provisioner", {"type"}}}), {"from"});
  const std::size_t errors_before = block_reader.diags.error_count();
  const syntax::Content content = block.body.content(kSchema, block_reader.diags);
  Removed removed;
  removed.range = block.range;
  bool has_from = false;
  if (const auto* attribute = content.attribute("from")) {
    const auto traversal = syntax::as_traversal(*attribute->expr, block_reader.diags);
    auto from =
        traversal ? addrs::parse_remove_endpoint(*traversal, block_reader.diags) : std::nullopt;
    has_from = from.has_value();
    if (from) removed.from = std::move(*from);
  }
  OnlyOne lifecycle;
  bool destroy_given = false;
  for (const syntax::Block& inner : content.blocks) {
    if (inner.type == "provisioner") {
      read_removed_provisioner(block_reader, inner, removed, has_from);
    } else if (lifecycle.admit(block_reader, inner,
                               "A removed block can have only one lifecycle block.")) {
      read_removed_lifecycle(block_reader, inner, removed, destroy_given);
    }
  }
  if (block_reader.diags.error_count() != errors_before) {
    if (!has_from) return std::nullopt;
    return removed;
  }
  if (!destroy_given) {
    block_reader.diags.warning("Missing lifecycle from the removed block")
        .detail(
            "Without a lifecycle block, the object is removed from the state and not destroyed; "
            "other tools may destroy it. Add lifecycle { destroy = false } to keep this behavior, "
            "or destroy = true to destroy the object.")
        .at(block.range);
  } else if (!removed.destroy.value_or(false) && !removed.provisioners.empty()) {
    block_reader.diags.warning("Removed block provisioners will not be executed")
        .detail(
            "The object is removed from the state without being destroyed, so these provisioners "
            "never run. Set destroy = true, or remove them.")
        .at(block.range);
  }
  return removed;
}

Import read_import(BlockReader& block_reader, const syntax::Block& block) {
  static const syntax::BodySchema kSchema = syntax::with_required(
      syntax::schema_of({"provider", "id", "identity", "to", "for_each"}), {"to"});
  const std::size_t errors_before = block_reader.diags.error_count();
  const syntax::Content content = block.body.content(kSchema, block_reader.diags);
  Import import;
  import.range = block.range;
  const auto* id = content.attribute("id");
  const auto* identity = content.attribute("identity");
  if (id != nullptr) import.id = id->expr;
  if (identity != nullptr) import.identity = identity->expr;
  const auto* to = content.attribute("to");
  if (to != nullptr && !read_target(block_reader, *to, errors_before, import)) return import;
  if (const auto* attribute = content.attribute("provider")) {
    if (!import.static_to.module.is_root()) {
      block_reader.diags.error("Invalid import provider argument")
          .detail(
              "The providers of a module are set in its module block. This argument is only for "
              "imports that generate configuration.")
          .at(attribute->range);
    }
    import.provider = provider_reference(block_reader, *attribute->expr, "provider");
    import.provider_range = attribute->range;
  }
  if (const auto* attribute = content.attribute("for_each")) import.for_each = attribute->expr;
  check_identity(block_reader, id, identity, block.range);
  return import;
}

}  // namespace tofu::config

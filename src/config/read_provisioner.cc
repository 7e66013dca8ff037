#include <algorithm>
#include <fmt/format.h>

#include "config/block_reader.h"
#include "syntax/analysis.h"
#include "syntax/block_reading.h"

namespace tofu::config {

namespace {

// Provisioners of other programs that OpenTofu no longer has.
constexpr std::string_view kGone[] = {"chef", "habitat", "puppet", "salt-masterless"};

// Whether a reference still means something when the object is being destroyed.
bool works_at_destroy(const syntax::Traversal& traversal) {
  const std::string_view root = traversal.root;
  if (root == "self" || root == "path" || root == "terraform" || root == "tofu") return true;
  const std::string_view wanted = root == "count" ? "index" : root == "each" ? "key" : "";
  return !wanted.empty() && traversal.steps.size() == 1 &&
         traversal.steps[0].kind == syntax::StepKind::Attribute &&
         traversal.steps[0].name == wanted;
}

void read_when(BlockReader& block_reader, const syntax::Attribute& attribute,
               Provisioner& provisioner) {
  const std::string_view word = keyword_or_quoted(block_reader, *attribute.expr);
  if (word == "destroy") {
    provisioner.when = ProvisionerWhen::Destroy;
  } else if (word != "create") {
    block_reader.diags.error("Invalid \"when\" keyword")
        .detail("The argument \"when\" must be create or destroy, without quotes.")
        .at(attribute.expr->range);
  }
}

void read_on_failure(BlockReader& block_reader, const syntax::Attribute& attribute,
                     Provisioner& provisioner) {
  const std::string_view word = keyword_or_quoted(block_reader, *attribute.expr);
  if (word == "continue") {
    provisioner.on_failure = ProvisionerOnFailure::Continue;
  } else if (word != "fail") {
    block_reader.diags.error("Invalid \"on_failure\" keyword")
        .detail("The argument \"on_failure\" must be continue or fail, without quotes.")
        .at(attribute.expr->range);
  }
}

}  // namespace

void check_destroy_references(BlockReader& block_reader, const syntax::Body& body) {
  diag::Diagnostics ignored;  // the real reader of the body reports blocks
  for (const syntax::Attribute& attribute : body.just_attributes(ignored)) {
    for (const syntax::Traversal* used : syntax::variables(*attribute.expr)) {
      if (works_at_destroy(*used)) continue;
      block_reader.diags.error("Invalid reference from destroy provisioner")
          .detail(
              "Destroy-time provisioners and their connections can refer only to self, count.index "
              "and each.key, because other objects may already be destroyed.")
          .at(attribute.expr->range);
    }
  }
}

std::optional<Provisioner> read_provisioner(BlockReader& block_reader, const syntax::Block& block) {
  static const syntax::BodySchema kSchema =
      syntax::schema_of({"when", "on_failure"}, {{"_", {}}, {"connection", {}}, {"lifecycle", {}}});
  syntax::PartialContent read = block.body.partial_content(kSchema, block_reader.diags);
  Provisioner provisioner;
  provisioner.type = block.labels[0].text;
  provisioner.type_range = block.labels[0].range;
  provisioner.range = block.range;
  provisioner.config = std::move(read.remaining);
  if (std::ranges::find(kGone, provisioner.type) != std::end(kGone)) {
    block_reader.diags
        .error(fmt::format("The \"{}\" provisioner has been removed", provisioner.type))
        .detail(
            "This provisioner is no longer part of OpenTofu. Use another way to configure the "
            "machine.")
        .at(provisioner.type_range);
    return std::nullopt;
  }
  if (const auto* when = read.content.attribute("when"))
    read_when(block_reader, *when, provisioner);
  const bool at_destroy = provisioner.when == ProvisionerWhen::Destroy;
  if (at_destroy) check_destroy_references(block_reader, provisioner.config);
  if (const auto* on_failure = read.content.attribute("on_failure")) {
    read_on_failure(block_reader, *on_failure, provisioner);
  }

  OnlyOne escape;
  OnlyOne connection;
  for (const syntax::Block& inner : read.content.blocks) {
    if (inner.type == "_") {
      if (!escape.admit(block_reader, inner, "A provisioner can have only one \"_\" block."))
        continue;
      provisioner.config = syntax::Body::joined(std::move(provisioner.config), inner.body);
    } else if (inner.type == "connection") {
      if (!connection.admit(block_reader, inner,
                            "A provisioner can have only one connection block."))
        continue;
      if (at_destroy) check_destroy_references(block_reader, inner.body);
      provisioner.connection = Connection{inner.body, inner.range};
    } else {
      report_reserved_block(block_reader, inner, "provisioner");
    }
  }
  return provisioner;
}

}  // namespace tofu::config

#include <algorithm>
#include <fmt/format.h>

#include "config/reading.h"
#include "syntax/analysis.h"

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

void read_when(Reading& reading, const syntax::Attribute& attribute, Provisioner& provisioner) {
  const std::string_view word = keyword_or_quoted(reading, *attribute.expr);
  if (word == "destroy") {
    provisioner.when = ProvisionerWhen::Destroy;
  } else if (word != "create") {
    reading.diags.error("Invalid \"when\"")
        .detail("The argument \"when\" is one of the words create and destroy.")
        .at(attribute.expr->range);
  }
}

void read_on_failure(Reading& reading, const syntax::Attribute& attribute,
                     Provisioner& provisioner) {
  const std::string_view word = keyword_or_quoted(reading, *attribute.expr);
  if (word == "continue") {
    provisioner.on_failure = ProvisionerOnFailure::Continue;
  } else if (word != "fail") {
    reading.diags.error("Invalid \"on_failure\"")
        .detail("The argument \"on_failure\" is one of the words continue and fail.")
        .at(attribute.expr->range);
  }
}

}  // namespace

void check_destroy_references(Reading& reading, const syntax::Body& body) {
  diag::Diagnostics ignored;  // blocks are reported by whoever reads the body in earnest
  for (const syntax::Attribute& attribute : body.just_attributes(ignored)) {
    for (const syntax::Traversal* used : syntax::variables(*attribute.expr)) {
      if (works_at_destroy(*used)) continue;
      reading.diags.error("Reference that does not work at destroy time")
          .detail(
              "A provisioner that runs when an object is destroyed, and its connection, can "
              "only use self, count.index and each.key: other objects may be gone already.")
          .at(attribute.expr->range);
    }
  }
}

std::optional<Provisioner> read_provisioner(Reading& reading, const syntax::Block& block) {
  static const syntax::BodySchema kSchema =
      schema_of({"when", "on_failure"}, {{"_", {}}, {"connection", {}}, {"lifecycle", {}}});
  syntax::PartialContent read = block.body.partial_content(kSchema, reading.diags);
  Provisioner provisioner;
  provisioner.type = block.labels[0].text;
  provisioner.type_range = block.labels[0].range;
  provisioner.range = block.range;
  provisioner.config = std::move(read.remaining);
  if (std::ranges::find(kGone, provisioner.type) != std::end(kGone)) {
    reading.diags.error(fmt::format("There is no \"{}\" provisioner any more", provisioner.type))
        .detail("It was removed from OpenTofu. Use another way to set the machine up.")
        .at(provisioner.type_range);
    return std::nullopt;
  }
  if (const auto* when = read.content.attribute("when")) read_when(reading, *when, provisioner);
  const bool at_destroy = provisioner.when == ProvisionerWhen::Destroy;
  if (at_destroy) check_destroy_references(reading, provisioner.config);
  if (const auto* on_failure = read.content.attribute("on_failure")) {
    read_on_failure(reading, *on_failure, provisioner);
  }

  OnlyOne escape;
  OnlyOne connection;
  for (const syntax::Block& inner : read.content.blocks) {
    if (inner.type == "_") {
      if (!escape.admit(reading, inner, "A provisioner can have one \"_\" block.")) continue;
      provisioner.config = syntax::Body::joined(std::move(provisioner.config), inner.body);
    } else if (inner.type == "connection") {
      if (!connection.admit(reading, inner, "A provisioner can have one connection.")) continue;
      if (at_destroy) check_destroy_references(reading, inner.body);
      provisioner.connection = Connection{inner.body, inner.range};
    } else {
      report_reserved_block(reading, inner, "provisioner");
    }
  }
  return provisioner;
}

}  // namespace tofu::config

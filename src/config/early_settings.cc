#include "config/early_settings.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "syntax/analysis.h"
#include "syntax/body.h"

namespace tofu::config {

namespace {

// Every argument, also of blocks inside. Bodies nest no deeper than the parser allows.
template <class Each>
void each_argument(const syntax::NativeBody& body, const Each& each) {
  for (const syntax::Attribute& attribute : body.attributes) each(attribute);
  for (const syntax::NativeBlock& block : body.blocks) each_argument(block.body, each);
}

template <class Each>
void each_argument(const syntax::Body& body, const Each& each) {
  if (body.native() != nullptr) return each_argument(*body.native(), each);
  diag::Diagnostics ignored;  // what is not an argument is said by whoever knows the schema
  for (const syntax::Attribute& attribute : body.just_attributes(ignored)) each(attribute);
}

void check_plain(StaticEvaluator& statics, const syntax::Body& body, const std::string& name,
                 diag::SourceRange place, diag::Diagnostics& diags) {
  each_argument(body, [&](const syntax::Attribute& attribute) {
    // What the value is does not matter, only that there is one.
    (void)statics.evaluate_plain(*attribute.expr, name, place, diags);
  });
}

// Keys and methods name each other, which is not a matter of variables.
bool names_encryption(const syntax::Expr& expr) {
  return std::ranges::any_of(syntax::variables(expr), [](const syntax::Traversal* traversal) {
    return traversal->root == "key_provider" || traversal->root == "method";
  });
}

void check_part(StaticEvaluator& statics, const EncryptionPart& part, std::string_view kind,
                diag::Diagnostics& diags) {
  const std::string name = fmt::format("encryption.{}.{}.{}", kind, part.type, part.name);
  each_argument(part.config, [&](const syntax::Attribute& attribute) {
    if (names_encryption(*attribute.expr)) return;
    (void)statics.evaluate(*attribute.expr, name, attribute.range, diags);
  });
}

}  // namespace

void check_backend_values(StaticEvaluator& statics, diag::Diagnostics& diags) {
  const Module& module = statics.module();
  if (module.backend) {
    check_plain(statics, module.backend->config, "backend." + module.backend->type,
                module.backend->range, diags);
  }
  if (module.cloud) check_plain(statics, module.cloud->config, "cloud", module.cloud->range, diags);
}

void check_encryption_values(StaticEvaluator& statics, diag::Diagnostics& diags) {
  const auto& encryption = statics.module().encryption;
  if (!encryption) return;
  for (const EncryptionPart& part : encryption->key_providers) {
    check_part(statics, part, "key_provider", diags);
  }
  for (const EncryptionPart& part : encryption->methods) {
    check_part(statics, part, "method", diags);
  }
}

}  // namespace tofu::config

#include "config/early_settings.h"

#include <string>

namespace tofu::config {

namespace {

// Bodies nest no deeper than the parser allows.
void each_native_argument(const syntax::NativeBody& body,
                          const std::function<void(const syntax::Attribute&)>& each) {
  for (const syntax::Attribute& attribute : body.attributes) each(attribute);
  for (const syntax::NativeBlock& block : body.blocks) each_native_argument(block.body, each);
}

void check_plain(StaticEvaluator& statics, const syntax::Body& body, const std::string& name,
                 diag::SourceRange place, diag::Diagnostics& diags) {
  each_argument(body, [&](const syntax::Attribute& attribute) {
    // The value does not matter, only its existence.
    (void)statics.evaluate_plain(*attribute.expr, name, place, diags);
  });
}

}  // namespace

void each_argument(const syntax::Body& body,
                   const std::function<void(const syntax::Attribute&)>& each) {
  if (body.native() != nullptr) return each_native_argument(*body.native(), each);
  diag::Diagnostics ignored;  // the reader that knows the schema reports what is no argument
  for (const syntax::Attribute& attribute : body.just_attributes(ignored)) each(attribute);
}

void check_backend_values(StaticEvaluator& statics, diag::Diagnostics& diags) {
  const Module& module = statics.module();
  if (module.backend) {
    check_plain(statics, module.backend->config, "backend." + module.backend->type,
                module.backend->range, diags);
  }
  if (module.cloud) check_plain(statics, module.cloud->config, "cloud", module.cloud->range, diags);
}

}  // namespace tofu::config

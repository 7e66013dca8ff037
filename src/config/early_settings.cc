#include "config/early_settings.h"

#include <string>

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

}  // namespace

void check_backend_values(StaticEvaluator& statics, diag::Diagnostics& diags) {
  const Module& module = statics.module();
  if (module.backend) {
    check_plain(statics, module.backend->config, "backend." + module.backend->type,
                module.backend->range, diags);
  }
  if (module.cloud) check_plain(statics, module.cloud->config, "cloud", module.cloud->range, diags);
}

}  // namespace tofu::config

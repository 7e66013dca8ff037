#include "engine/answers.h"

#include <fmt/format.h>

#include "schema/consistency.h"
#include "schema/marks.h"
#include "value/path.h"

namespace tofu::engine {

using value::Value;

bool has_its_type(const AnswerAbout& about, const Value& object, diag::Diagnostics& diags) {
  const auto misfits = schema::check_conforms(about.schema.block.implied_type(), object);
  for (const value::PathError& misfit : misfits) {
    diags.error("Provider produced invalid object")
        .detail(fmt::format("The provider {} answered with something for {} that does not fit its "
                            "schema: {}. This is a bug in the provider.",
                            about.provider.address.config.provider.to_string(),
                            about.address.to_string(), value::to_string(misfit)));
  }
  return misfits.empty();
}

Value without_write_only(const AnswerAbout& about, const schema::Selection& write_only,
                         const Value& object, diag::Diagnostics& diags) {
  if (write_only.empty() || object.is_null() || object.is_unknown()) return object;
  for (const value::Path& path : write_only.paths(object)) {
    const auto found = value::follow(object, path);
    if (!found || found->is_null()) continue;
    diags.error("Write-only attribute has a value")
        .detail(fmt::format("The provider {} answered with a value for {}{}, which is write-only "
                            "and cannot be kept. This is a bug in the provider.",
                            about.provider.address.config.provider.to_string(),
                            about.address.to_string(), value::to_string(path)));
  }
  return schema::without_write_only(write_only, object);
}

}  // namespace tofu::engine

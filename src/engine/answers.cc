#include "engine/answers.h"

#include <fmt/format.h>
#include <utility>

#include "schema/checks.h"
#include "schema/consistency.h"
#include "schema/marks.h"
#include "value/path.h"

namespace tofu::engine {

using value::Value;

void report(const std::vector<providers::Problem>& problems, const syntax::Body* body,
            const std::string& address, diag::Diagnostics& diags) {
  for (const providers::Problem& problem : problems) {
    diag::Diagnostic made;
    made.severity = problem.severity;
    made.summary = problem.summary;
    made.detail = problem.detail;
    made.address = address;
    if (body != nullptr) {
      // A provider without a block has a body without a place.
      const diag::SourceRange place = schema::place_of(*body, problem.attribute);
      if (place != diag::SourceRange{}) made.subject = place;
    }
    diags.add(std::move(made));
  }
}

diag::Checked<void> has_its_type(const ResponseContext& about, const Value& object,
                                 diag::Diagnostics& diags) {
  const auto misfits = schema::check_conforms(about.schema.block.implied_type(), object);
  for (const value::PathError& misfit : misfits) {
    diags.error("Provider produced invalid object")
        .detail(fmt::format("The provider {} returned an object for {} that does not match its "
                            "schema: {}. This is a bug in the provider.",
                            about.provider.address().config.provider.to_string(),
                            about.address.to_string(), value::to_string(misfit)));
  }
  return misfits.empty();
}

diag::Checked<void> check_read_result(const ResponseContext& about, const Value& object,
                                      diag::Diagnostics& diags) {
  if (!has_its_type(about, object, diags)) return false;
  const std::string address = about.address.to_string();
  const std::string provider = about.provider.address().config.provider.to_string();
  if (object.is_null()) {
    diags.error("Provider produced null object")
        .detail(fmt::format("The provider {} returned null for {}. This is a bug in the "
                            "provider.",
                            provider, address));
    return false;
  }
  if (!object.wholly_known()) {
    diags.error("Provider produced invalid object")
        .detail(fmt::format(
            "The provider {} returned unknown values for {}. This is a bug in the provider.",
            provider, address));
    return false;
  }
  return true;
}

Value without_write_only(const ResponseContext& about, const schema::Selection& write_only,
                         const Value& object, diag::Diagnostics& diags) {
  if (write_only.empty() || object.is_null() || object.is_unknown()) return object;
  for (const value::Path& path : write_only.paths(object)) {
    const auto found = value::follow(object, path);
    if (!found || found->is_null()) continue;
    diags.error("Write-only attribute has a value")
        .detail(fmt::format("The provider {} returned a value for {}{}, which is write-only and "
                            "cannot be stored. This is a bug in the provider.",
                            about.provider.address().config.provider.to_string(),
                            about.address.to_string(), value::to_string(path)));
  }
  return schema::without_write_only(write_only, object);
}

}  // namespace tofu::engine

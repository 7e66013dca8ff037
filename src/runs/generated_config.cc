#include "runs/generated_config.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/unicode.h"
#include "schema/generate_config.h"

namespace tofu::runs {

diag::Checked<void> check_generated_config_path(const std::string& path, plans::Mode mode,
                                                diag::Diagnostics& diags) {
  if (mode != plans::Mode::Normal) {
    diags.error("Conflicting options")
        .detail(
            "-generate-config-out works only with normal plans. Remove -destroy or -refresh-only.");
    return false;
  }
  const auto kind = base::file_kind(path);
  if (kind && *kind == base::FileKind::Missing) return true;
  diags.error("Target file already exists")
      .detail(fmt::format("{} already exists. Generated configuration is only written to a new "
                          "file. Choose another name, or move the file.",
                          path));
  return false;
}

Generated write_generated_config(const std::string& path, const plans::Plan& plan,
                                 diag::Diagnostics& diags) {
  std::string text;
  for (const std::uint32_t i : plans::display_order(plan.addresses, plan.changes)) {
    const plans::ResourceChange& change = plan.changes[i];
    if (!change.details || change.details->generated_config.empty()) continue;
    if (text.empty()) text = schema::generated_file_header();
    const plans::Importing* from = change.importing();
    text += schema::generated_entry(change.details->generated_config,
                                    from == nullptr ? std::string_view() : from->id);
  }
  if (text.empty()) return Generated::Nothing;
  const auto written = base::write_file(path, text);
  if (written) return Generated::Written;
  diags.error("Cannot write generated configuration")
      .detail(fmt::format("Writing {} failed: {}.", path, written.error().what));
  return Generated::Failed;
}

}  // namespace tofu::runs

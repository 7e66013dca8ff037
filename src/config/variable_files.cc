#include "config/variable_files.h"

#include <fmt/format.h>
#include <utility>

#include "base/ascii.h"
#include "syntax/block_around.h"

namespace tofu::config {

namespace {

bool is_json(std::string_view name, std::string_view text) {
  if (name.ends_with(".json")) return true;
  if (name.ends_with(".tfvars")) return false;
  return base::trimmed(text).starts_with('{');
}

// Declarations in this file get their own message.
void report_declarations(const syntax::Body& body, std::string_view name,
                         diag::Diagnostics& diags) {
  static const syntax::BodySchema kSchema{{}, {{"variable", {"name"}}}};
  diag::Diagnostics ignored;
  const auto read = body.partial_content(kSchema, ignored);
  for (const syntax::Block& block : read.content.blocks) {
    const std::string_view variable = block.labels[0].text;
    diags.error("Variable declaration in .tfvars file")
        .detail(fmt::format("{} can only set variables, which are declared in .tf files. Move this "
                            "block to a .tf file. To set the variable here, write: {} = ...",
                            name, variable))
        .at(block.type_range);
  }
}

}  // namespace

VariableFile read_variable_file(const diag::SourceMap& sources, diag::FileId id,
                                diag::Diagnostics& diags) {
  const std::size_t before = diags.size();
  const std::size_t errors_before = diags.error_count();
  VariableFile result;
  result.file = is_json(sources.name(id), sources.text(id))
                    ? syntax::parse_json_file(sources, id, diags)
                    : syntax::parse_file(sources, id, diags);
  const syntax::Body body = result.file->body();
  report_declarations(body, sources.name(id), diags);
  if (diags.error_count() == errors_before) {
    for (const syntax::Attribute& attribute : body.just_attributes(diags)) {
      result.values.push_back({std::string(attribute.name), attribute.expr, attribute.name_range});
    }
  }
  for (diag::Diagnostic& each : diags.items_from(before)) {
    if (each.in.empty() && each.subject)
      each.in = syntax::block_around(*result.file, *each.subject);
  }
  return result;
}

}  // namespace tofu::config

#include "syntax/parser.h"

#include "syntax/json_parser.h"
#include "syntax/native_parser.h"

namespace tofu::syntax {
namespace {

struct Opened {
  std::unique_ptr<File> file;
  std::string_view text;
  diag::SourceRange at;
};

Opened open_file(const diag::SourceMap& sources, diag::FileId id) {
  auto file = std::make_unique<File>();
  file->id = id;
  const std::string_view text = sources.text(id);
  return {std::move(file), text, {id, 0, static_cast<std::uint32_t>(text.size())}};
}

}  // namespace

Body File::body() const {
  if (native) return Body(*native);
  if (json) return Body(*json);
  return {};
}

std::unique_ptr<File> parse_file(const diag::SourceMap& sources, diag::FileId id,
                                 diag::Diagnostics& diags) {
  auto [file, text, at] = open_file(sources, id);
  file->native = NativeParser(*file, text, at, ScanMode::Normal, diags).whole_body();
  return std::move(file);
}

std::unique_ptr<File> parse_json_file(const diag::SourceMap& sources, diag::FileId id,
                                      diag::Diagnostics& diags) {
  auto [file, text, at] = open_file(sources, id);
  file->json = JsonParser(*file, text, diags).whole_file();
  return std::move(file);
}

std::unique_ptr<File> parse_expression(const diag::SourceMap& sources, diag::FileId id,
                                       diag::Diagnostics& diags) {
  auto [file, text, at] = open_file(sources, id);
  file->expr = NativeParser(*file, text, at, ScanMode::Normal, diags).whole_expression();
  return std::move(file);
}

std::unique_ptr<File> parse_template(const diag::SourceMap& sources, diag::FileId id,
                                     diag::Diagnostics& diags) {
  auto [file, text, at] = open_file(sources, id);
  file->expr = NativeParser(*file, text, at, ScanMode::Template, diags).whole_template();
  return std::move(file);
}

diag::Checked<ParsedTraversal> parse_traversal(const diag::SourceMap& sources, diag::FileId id,
                                               bool allow_splat, diag::Diagnostics& diags) {
  auto [file, text, at] = open_file(sources, id);
  const auto traversal =
      NativeParser(*file, text, at, ScanMode::Normal, diags).whole_traversal(allow_splat);
  if (!traversal) return std::nullopt;
  return ParsedTraversal{std::move(file), *traversal};
}

}  // namespace tofu::syntax

// Bytes as a file in native syntax: the scanner loses no byte, and the parser
// always gives a tree and only reports what can be shown.
#include "syntax/parser.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "fuzz/walk.h"
#include "syntax/token.h"

namespace {

namespace syntax = tofu::syntax;

void check_tokens_cover(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::size_t at = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  for (const syntax::Token& token : syntax::scan(text, syntax::ScanMode::Normal)) {
    TOFU_CHECK(at <= token.begin && token.begin <= token.end && token.end <= text.size(),
               "tokens are in order");
    const std::string_view blank = text.substr(at, token.begin - at);
    TOFU_CHECK(blank.find_first_not_of(" \t") == std::string_view::npos,
               "only blanks are in no token");
    at = token.end;
  }
  TOFU_CHECK(at == text.size(), "the last token is the end of the text");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_tokens_cover(text);

  tofu::diag::SourceMap sources;
  tofu::diag::Diagnostics diags;
  const auto id = sources.add("fuzz.tf", std::string(text));
  const auto file = syntax::parse_file(sources, id, diags);
  tofu::fuzz::walk(*file->native);
  tofu::fuzz::check_reports(diags, sources);
  return 0;
}

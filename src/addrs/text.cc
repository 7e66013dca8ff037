#include "addrs/text.h"

#include <string>
#include <utility>

#include "diag/source.h"
#include "syntax/parser.h"

namespace tofu::addrs {

diag::Checked<void> with_traversal(
    std::string_view text,
    const std::function<void(const syntax::Traversal&, diag::Diagnostics&)>& use,
    diag::Diagnostics& diags) {
  diag::SourceMap sources;
  diag::Diagnostics found;
  const diag::FileId file = sources.add("<address>", std::string(text));
  if (const auto parsed = syntax::parse_traversal(sources, file, false, found)) {
    use(parsed->traversal, found);
  }
  // The source map ends here, so nothing may point into it any more.
  for (diag::Diagnostic& item : found.items_from(0)) {
    item.subject.reset();
    item.context.reset();
    item.folded.clear();
  }
  const bool good = !found.has_errors();
  diags.take(std::move(found));
  return good;
}

}  // namespace tofu::addrs

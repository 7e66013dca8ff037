// Bytes as the files of a symbol library, which is declared and compiled as `tofu
// validate -library` does it, with its examples; then its functions are called and values are
// converted to its types. Nothing is read from the disk.
//
// A line of dashes ends one file and begins the next; they are, in this order,
// main.sym.hcl, main.sym.hcl.json and the file of the library ./other, which the first
// two may import.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "fuzz/costly.h"
#include "fuzz/walk.h"
#include "symbols/library_finder.h"
#include "symbols/library_set.h"
#include "syntax/function.h"
#include "syntax/parser.h"
#include "syntax/type_expr.h"
#include "value/value.h"

namespace {

namespace diag = tofu::diag;
namespace symbols = tofu::symbols;
namespace syntax = tofu::syntax;
namespace value = tofu::value;

constexpr std::string_view kSeparator = "\n---\n";

class TwoLibraries final : public symbols::LibraryFinder {
 public:
  TwoLibraries(std::string_view text, diag::SourceMap& sources) : sources_(sources) {
    for (std::string& part : parts_) {
      const std::size_t end = text.find(kSeparator);
      part = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + kSeparator.size());
    }
  }

  std::optional<symbols::LibraryPlace> locate(const symbols::LibraryRequest& request,
                                              diag::Diagnostics& diags) override {
    const auto* local = std::get_if<tofu::addrs::LocalSource>(&request.source);
    if (local != nullptr && local->path == "./") return symbols::LibraryPlace{".", "."};
    if (local != nullptr && local->path == "./other") return symbols::LibraryPlace{"other", "."};
    diags.error("No such library").at(request.source_range);
    return std::nullopt;
  }

  std::vector<std::unique_ptr<syntax::File>> read(const symbols::LibraryPlace& place,
                                                  diag::Diagnostics& diags) override {
    std::vector<std::unique_ptr<syntax::File>> files;
    if (place.path == "other") {
      files.push_back(syntax::parse_file(sources_, sources_.add("other", parts_[2]), diags));
      return files;
    }
    files.push_back(syntax::parse_file(sources_, sources_.add("main.sym.hcl", parts_[0]), diags));
    if (!parts_[1].empty()) {
      const diag::FileId json = sources_.add("main.sym.hcl.json", parts_[1]);
      files.push_back(syntax::parse_json_file(sources_, json, diags));
    }
    return files;
  }

 private:
  diag::SourceMap& sources_;
  std::array<std::string, 3> parts_;
};

// Arguments of every sort; those that do not fit are refused, which is a path, too.
std::vector<value::Value> some_values() {
  using value::Value;
  return {Value::integer(1),
          Value::string("1"),
          Value::boolean(true),
          Value::null(),
          Value::unknown(),
          Value::string("s").with_marks(value::Marks::sensitive()),
          Value::tuple({Value::integer(1), Value::unknown(value::Type::string())}),
          Value::object({{"a", Value::integer(1)}, {"b", Value::tuple({})}})};
}

void call_with_all(const symbols::LibraryFunction& function) {
  const std::size_t most = function.parameters.size() + (function.variadic ? 2 : 0);
  for (const std::size_t count : {function.required(), most}) {
    for (const value::Value& each : some_values()) {
      const std::vector<value::Value> arguments(count, each);
      (void)syntax::call(function.callable, arguments);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (tofu::fuzz::is_costly(text)) return 0;
  diag::SourceMap sources;
  diag::Diagnostics diags;
  TwoLibraries finder(text, sources);
  symbols::LibrarySet set(&finder, sources);
  symbols::LibraryRequest request;
  request.name = "main";
  request.source = tofu::addrs::LocalSource{"./"};
  request.parent_directory = ".";
  const symbols::Library* library = set.load(request, diags);
  tofu::fuzz::check_reports(diags, sources);
  if (library == nullptr) return 0;
  for (const symbols::LibraryFunction& function : library->functions) call_with_all(function);
  for (const symbols::LibraryType& type : library->types) {
    for (const value::Value& each : some_values()) (void)syntax::fit(type.constraint, each);
  }
  set.check_examples({}, diags);
  tofu::fuzz::check_reports(diags, sources);
  return 0;
}

// Bytes as the files of a module, which are declared, linked, compiled and
// validated as `tofu validate` does it, with nothing read from the disk.
//
// A line of dashes ends one file and begins the next; they are, in this order,
// main.tf, main.tf.json, x_override.tf and terraform.tofu. The module may call
// another one, ./child, that is always the same.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "config/declare.h"
#include "config/tree.h"
#include "config/variable_types.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "eval/program.h"
#include "eval/validate.h"
#include "functions/table.h"
#include "fuzz/costly.h"
#include "fuzz/walk.h"
#include "schema/provider.h"

namespace {

namespace config = tofu::config;
namespace diag = tofu::diag;
namespace eval = tofu::eval;
namespace functions = tofu::functions;
namespace value = tofu::value;

constexpr std::string_view kSeparator = "\n---\n";

const std::array<config::ModuleFile, 4> kFiles{{
    {"main.tf", config::FileSyntax::Native},
    {"main.tf.json", config::FileSyntax::Json},
    {"x_override.tf", config::FileSyntax::Native},
    {"terraform.tofu", config::FileSyntax::Native},
}};

constexpr std::string_view kChild = R"(
variable "given" { default = null }
output "taken" { value = var.given }
output "secret" {
  value     = "s"
  sensitive = true
}
)";

config::ParsedFiles parse(std::string_view text, diag::SourceMap& sources,
                          diag::Diagnostics& diags) {
  config::ParsedFiles files;
  files.directory = ".";
  for (const config::ModuleFile& name : kFiles) {
    const std::size_t end = text.find(kSeparator);
    const diag::FileId id = sources.add(name.name, std::string(text.substr(0, end)));
    auto& list = name.name.ends_with("_override.tf") ? files.overrides : files.primary;
    list.push_back(config::parse_module_file(sources, id, name, diags));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + kSeparator.size());
  }
  return files;
}

class OnlyChild final : public config::ModuleFinder {
 public:
  explicit OnlyChild(diag::SourceMap& sources) : sources_(sources) {}

  std::optional<config::FoundModule> find(const config::ModuleRequest& request,
                                          diag::Diagnostics& diags) override {
    const auto* local =
        request.source ? std::get_if<tofu::addrs::LocalSource>(&*request.source) : nullptr;
    if (local != nullptr && local->path == "./child") return config::FoundModule{"child", ""};
    diags.error("No such module").at(request.call_range);
    return std::nullopt;
  }

  std::optional<config::ParsedFiles> read(const config::ModuleRequest&,
                                          const config::FoundModule& found,
                                          diag::Diagnostics& diags) override {
    config::ParsedFiles files;
    files.directory = found.directory;
    const diag::FileId id = sources_.add("child/main.tf", std::string(kChild));
    files.primary.push_back(config::parse_module_file(sources_, id, kFiles[0], diags));
    return files;
  }

 private:
  diag::SourceMap& sources_;
};

void declare_alone(std::string_view text) {
  diag::SourceMap sources;
  diag::Diagnostics diags;
  const auto module = config::declare_module(parse(text, sources, diags), sources, diags);
  config::resolve_declared_types(*module, nullptr, diags);
  tofu::fuzz::check_reports(diags, sources);
}

void validate_whole(std::string_view text, const functions::Table& table) {
  diag::SourceMap sources;
  diag::Diagnostics diags;
  config::StaticInputs inputs;
  inputs.functions = &table;
  inputs.root_variables = [](const config::Variable& variable, diag::Diagnostics&) {
    return std::optional(variable.default_value.value_or(value::Value::unknown()));
  };
  OnlyChild finder(sources);
  const config::Tree tree =
      config::link_modules(parse(text, sources, diags), finder, inputs, sources, diags);
  if (!diags.has_errors()) eval::check_provisioners(tree, diags);
  if (!diags.has_errors()) {
    const eval::Program program = eval::compile(tree, tofu::schema::builtin_schemas(), diags);
    if (!diags.has_errors()) eval::validate(program, table, {}, diags);
  }
  tofu::fuzz::check_reports(diags, sources);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Nothing may depend on more than the input, or a finding could not be repeated.
  static const functions::Table table(functions::Environment{.self_contained = true});
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  declare_alone(text);
  if (!tofu::fuzz::is_costly(text)) validate_whole(text, table);
  return 0;
}

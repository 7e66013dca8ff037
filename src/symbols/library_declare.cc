#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/ignored_file.h"
#include "diag/place_text.h"
#include "features/editions.h"
#include "symbols/library.h"
#include "syntax/analysis.h"
#include "syntax/block_around.h"
#include "syntax/block_reading.h"
#include "syntax/constants.h"

namespace tofu::symbols {

namespace {

// The edition that OpenTofu's experiment with libraries has; its libraries work here.
constexpr std::string_view kExperimentEdition = "experimental2026";

// Takes the blocks of a library's files apart.
class Declarer {
 public:
  Declarer(Library& library, const diag::SourceMap& sources, diag::Diagnostics& diags)
      : library_(library), sources_(sources), diags_(diags) {}

  void read_file(const syntax::File& file);

 private:
  void read_language(const syntax::Block& block);
  void read_typedef(const syntax::Block& block);
  void read_values(const syntax::Block& block);
  void read_function(const syntax::Block& block);
  void read_import(const syntax::Block& block);
  void read_locals(LibraryFunction& function, const syntax::Block& block);
  void read_parameter(LibraryFunction& function, const syntax::Block& block);
  void add_parameter(LibraryFunction& function, LibraryParameter parameter, bool variadic);
  syntax::Condition read_validation(const syntax::Block& block);

  // The constant that an argument is set to, or what it is otherwise.
  std::string text_of(const syntax::Content& content, std::string_view name);
  bool truth_of(const syntax::Content& content, std::string_view name, bool otherwise);
  static const syntax::Expr* expr_of(const syntax::Content& content, std::string_view name);

  template <class T>
  void add(base::Named<T>& all, T element, std::string_view noun);
  void report_second(std::string_view noun, std::string_view name, diag::SourceRange first,
                     diag::SourceRange second);

  Library& library_;
  const diag::SourceMap& sources_;
  diag::Diagnostics& diags_;
};

void Declarer::read_file(const syntax::File& file) {
  static const syntax::BodySchema kSchema = syntax::schema_of({}, {{"language", {}},
                                                                   {"typedef", {"name"}},
                                                                   {"values", {}},
                                                                   {"function", {"name"}},
                                                                   {"symbols", {"name"}}});
  for (const syntax::Block& block : file.body().content(kSchema, diags_).blocks) {
    if (block.type == "language") read_language(block);
    if (block.type == "typedef") read_typedef(block);
    if (block.type == "values") read_values(block);
    if (block.type == "function") read_function(block);
    if (block.type == "symbols") read_import(block);
  }
}

// Libraries have no optional features, so an edition changes nothing; one that this
// release does not know may have meant more.
void Declarer::read_language(const syntax::Block& block) {
  static const syntax::BodySchema kSchema =
      syntax::with_required(syntax::schema_of({"edition"}), {"edition"});
  const syntax::Content content = block.body.content(kSchema, diags_);
  const syntax::Expr* expr = expr_of(content, "edition");
  if (expr == nullptr) return;
  std::string name(syntax::keyword(*expr));
  if (name.empty()) {
    auto text = syntax::constant_string(*expr, diags_);
    if (!text) return;
    name = std::move(*text);
  }
  if (name == kExperimentEdition || features::find_edition(name) != nullptr) return;
  std::string known(kExperimentEdition);
  for (const features::Edition& edition : features::all_editions()) {
    known.append(", ").append(edition.name);
  }
  diags_.error("Unsupported language edition")
      .detail(fmt::format(
          "This release does not support the symbol library edition {:?}. Supported editions: {}.",
          name, known))
      .at(expr->range);
}

const syntax::Expr* Declarer::expr_of(const syntax::Content& content, std::string_view name) {
  const syntax::Attribute* attribute = content.attribute(name);
  return attribute == nullptr ? nullptr : attribute->expr;
}

std::string Declarer::text_of(const syntax::Content& content, std::string_view name) {
  const syntax::Expr* expr = expr_of(content, name);
  return expr == nullptr ? std::string() : syntax::constant_string(*expr, diags_).value_or("");
}

bool Declarer::truth_of(const syntax::Content& content, std::string_view name, bool otherwise) {
  const syntax::Expr* expr = expr_of(content, name);
  return expr == nullptr ? otherwise : syntax::constant_bool(*expr, diags_).value_or(otherwise);
}

void Declarer::report_second(std::string_view noun, std::string_view name, diag::SourceRange first,
                             diag::SourceRange second) {
  diags_.error(fmt::format("Duplicate {}", noun))
      .detail(fmt::format("Another {} is already named {:?}, at {}. Rename or remove one of them.",
                          noun, name, diag::place_text(sources_, first)))
      .at(second);
}

template <class T>
void Declarer::add(base::Named<T>& all, T element, std::string_view noun) {
  if (const T* first = all.find(element.name)) {
    report_second(noun, element.name, first->range, element.range);
    return;
  }
  std::string name = element.name;
  all.add(std::move(name), std::move(element));
}

void Declarer::read_typedef(const syntax::Block& block) {
  static const syntax::BodySchema kSchema =
      syntax::with_required(syntax::schema_of({"type"}), {"type"});
  const syntax::Content content = block.body.content(kSchema, diags_);
  syntax::check_identifier(block.labels[0], "type name", diags_);
  LibraryType type;
  type.name = block.labels[0].text;
  type.range = block.range;
  type.name_range = block.labels[0].range;
  type.expr = expr_of(content, "type");
  // A type and a function are both called symbols::name(), each where only it can stand.
  add(library_.types, std::move(type), "type");
}

void Declarer::read_values(const syntax::Block& block) {
  for (const syntax::Attribute& attribute : block.body.just_attributes(diags_)) {
    syntax::check_identifier({attribute.name, attribute.name_range}, "name of a value", diags_);
    LibraryValue value;
    value.name = attribute.name;
    value.range = attribute.range;
    value.name_range = attribute.name_range;
    value.expr = attribute.expr;
    add(library_.values, std::move(value), "value");
  }
}

void Declarer::read_import(const syntax::Block& block) {
  add(library_.import_blocks, read_symbols(block, diags_), "symbol library");
}

void Declarer::read_function(const syntax::Block& block) {
  static const syntax::BodySchema kSchema =
      syntax::with_required(syntax::schema_of({"description", "type", "return"},
                                              {{"parameter", {"name"}}, {"locals", {}}}),
                            {"return"});
  const std::size_t errors_before = diags_.error_count();
  const syntax::Content content = block.body.content(kSchema, diags_);
  syntax::check_identifier(block.labels[0], "function name", diags_);
  LibraryFunction function;
  function.name = block.labels[0].text;
  function.range = block.range;
  function.name_range = block.labels[0].range;
  function.description = text_of(content, "description");
  function.type_expr = expr_of(content, "type");
  function.result = expr_of(content, "return");
  for (const syntax::Block& inner : content.blocks) {
    if (inner.type == "parameter") read_parameter(function, inner);
    if (inner.type == "locals") read_locals(function, inner);
  }
  if (function.variadic) {
    function.variadic->position = static_cast<std::uint32_t>(function.parameters.size());
  }
  function.broken = diags_.error_count() != errors_before;
  add(library_.functions, std::move(function), "function");
}

void Declarer::read_locals(LibraryFunction& function, const syntax::Block& block) {
  for (const syntax::Attribute& attribute : block.body.just_attributes(diags_)) {
    syntax::check_identifier({attribute.name, attribute.name_range}, "name of a local value",
                             diags_);
    add(function.locals, LibraryLocal{std::string(attribute.name), attribute.range, attribute.expr},
        "local value");
  }
}

void Declarer::read_parameter(LibraryFunction& function, const syntax::Block& block) {
  static const syntax::BodySchema kSchema = syntax::schema_of(
      {"description", "type", "variadic", "allow_null", "allow_unknown"}, {{"validation", {}}});
  const syntax::Content content = block.body.content(kSchema, diags_);
  syntax::check_identifier(block.labels[0], "parameter name", diags_);
  LibraryParameter parameter;
  parameter.name = block.labels[0].text;
  parameter.range = block.range;
  parameter.description = text_of(content, "description");
  parameter.type_expr = expr_of(content, "type");
  parameter.allow_null = truth_of(content, "allow_null", true);
  parameter.allow_unknown = truth_of(content, "allow_unknown", true);
  for (const syntax::Block& inner : content.blocks) {
    parameter.validations.push_back(read_validation(inner));
  }
  add_parameter(function, std::move(parameter), truth_of(content, "variadic", false));
}

// A variadic parameter takes all arguments that are left, so it has to be the last one.
void Declarer::add_parameter(LibraryFunction& function, LibraryParameter parameter, bool variadic) {
  if (const LibraryParameter* first = function.parameter(parameter.name)) {
    report_second("parameter", parameter.name, first->range, parameter.range);
  } else if (!variadic) {
    if (function.variadic) {
      diags_.error("Parameter after a variadic parameter")
          .detail(fmt::format("{:?}, at {}, is variadic and takes all remaining arguments. Move "
                              "its block to the end of the function.",
                              function.variadic->name,
                              diag::place_text(sources_, function.variadic->range)))
          .at(parameter.range);
    }
    parameter.position = static_cast<std::uint32_t>(function.parameters.size());
    add(function.parameters, std::move(parameter), "parameter");
  } else if (!function.variadic) {
    function.variadic = std::move(parameter);
  } else {
    diags_.error("Multiple variadic parameters")
        .detail(fmt::format(
            "{:?} takes all remaining arguments, so this parameter would never get any.",
            function.variadic->name))
        .at(parameter.range);
  }
}

syntax::Condition Declarer::read_validation(const syntax::Block& block) {
  static const syntax::BodySchema kSchema = syntax::with_required(
      syntax::schema_of({"condition", "error_message"}), {"condition", "error_message"});
  const syntax::Content content = block.body.content(kSchema, diags_);
  return {expr_of(content, "condition"), expr_of(content, "error_message"), block.range};
}

bool is_library_file(std::string_view name) {
  return name.ends_with(".sym.hcl") || name.ends_with(".sym.hcl.json");
}

}  // namespace

std::vector<std::string> choose_library_files(std::span<const std::string> names) {
  std::vector<std::string> chosen;
  for (const std::string& name : names) {
    if (is_library_file(name) && !base::is_ignored_file(name)) chosen.push_back(name);
  }
  std::ranges::sort(chosen);
  return chosen;
}

std::unique_ptr<Library> declare_library(std::vector<std::unique_ptr<syntax::File>> files,
                                         const diag::SourceMap& sources, diag::Diagnostics& diags) {
  auto library = std::make_unique<Library>();
  const std::size_t before = diags.size();
  Declarer declarer(*library, sources, diags);
  for (std::unique_ptr<syntax::File>& file : files) {
    declarer.read_file(library->keep(std::move(file)));
  }
  library->name_blocks(diags.items_from(before));
  return library;
}

value::Value Library::all_values() const {
  std::vector<value::Attr> attributes;
  for (const LibraryValue& value : values) attributes.push_back({value.name, value.value});
  return value::Value::object(std::move(attributes));
}

void Library::name_blocks(std::span<diag::Diagnostic> diagnostics) const {
  for (diag::Diagnostic& diagnostic : diagnostics) {
    if (!diagnostic.in.empty() || !diagnostic.subject) continue;
    const auto file = files_.find(diagnostic.subject->file.index);
    if (file != files_.end())
      diagnostic.in = syntax::block_around(*file->second, *diagnostic.subject);
  }
}

void Library::keep_literals_forever() const {
  for (const auto& [id, file] : files_) file->constants.make_immortal();
}

const syntax::File& Library::keep(std::unique_ptr<syntax::File> file) {
  const std::uint32_t id = file->id.index;
  return *files_.emplace(id, std::move(file)).first->second;
}

}  // namespace tofu::symbols

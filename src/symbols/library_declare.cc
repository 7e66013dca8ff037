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
  void read_value(const syntax::Block& block);
  void read_function(const syntax::Block& block);
  void read_import(const syntax::Block& block);
  void read_locals(LibraryFunction& function, const syntax::Block& block);
  void read_parameter(LibraryFunction& function, const syntax::Block& block);
  void read_examples(LibraryFunction& function, const syntax::Block& block);
  void add_parameter(LibraryFunction& function, LibraryParameter parameter, bool variadic);
  void check_optional(const LibraryFunction& function, const LibraryParameter& parameter,
                      bool variadic);
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
                                                                   {"value", {"name"}},
                                                                   {"function", {"name"}},
                                                                   {"symbols", {"name"}}});
  for (const syntax::Block& block : file.body().content(kSchema, diags_).blocks) {
    if (block.type == "language") read_language(block);
    if (block.type == "typedef") read_typedef(block);
    if (block.type == "values") read_values(block);
    if (block.type == "value") read_value(block);
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
  static const syntax::BodySchema kSchema = syntax::with_required(
      syntax::schema_of({"type", "description", "private"}, {{"validation", {}}}), {"type"});
  const syntax::Content content = block.body.content(kSchema, diags_);
  syntax::check_identifier(block.labels[0], "type name", diags_);
  LibraryType type;
  type.name = block.labels[0].text;
  type.range = block.range;
  type.name_range = block.labels[0].range;
  type.description = text_of(content, "description");
  type.is_private = truth_of(content, "private", false);
  type.expr = expr_of(content, "type");
  for (const syntax::Block& rule : content.blocks)
    type.validations.push_back(read_validation(rule));
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

// A value with more to say of it than an argument of `values` can.
void Declarer::read_value(const syntax::Block& block) {
  static const syntax::BodySchema kSchema =
      syntax::with_required(syntax::schema_of({"value", "description", "private"}), {"value"});
  const syntax::Content content = block.body.content(kSchema, diags_);
  syntax::check_identifier(block.labels[0], "name of a value", diags_);
  LibraryValue value;
  value.name = block.labels[0].text;
  value.range = block.range;
  value.name_range = block.labels[0].range;
  value.description = text_of(content, "description");
  value.is_private = truth_of(content, "private", false);
  value.expr = expr_of(content, "value");
  add(library_.values, std::move(value), "value");
}

void Declarer::read_import(const syntax::Block& block) {
  add(library_.import_blocks, read_symbols(block, diags_), "symbol library");
}

void Declarer::read_function(const syntax::Block& block) {
  static const syntax::BodySchema kSchema = syntax::with_required(
      syntax::schema_of({"description", "type", "return", "private"},
                        {{"parameter", {"name"}}, {"locals", {}}, {"examples", {}}}),
      {"return"});
  const std::size_t errors_before = diags_.error_count();
  const syntax::Content content = block.body.content(kSchema, diags_);
  syntax::check_identifier(block.labels[0], "function name", diags_);
  LibraryFunction function;
  function.name = block.labels[0].text;
  function.range = block.range;
  function.name_range = block.labels[0].range;
  function.description = text_of(content, "description");
  function.is_private = truth_of(content, "private", false);
  function.type_expr = expr_of(content, "type");
  function.result = expr_of(content, "return");
  for (const syntax::Block& inner : content.blocks) {
    if (inner.type == "parameter") read_parameter(function, inner);
    if (inner.type == "locals") read_locals(function, inner);
    if (inner.type == "examples") read_examples(function, inner);
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
      {"description", "type", "default", "optional", "variadic", "allow_null", "allow_unknown"},
      {{"validation", {}}});
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
  parameter.default_expr = expr_of(content, "default");
  parameter.is_optional = truth_of(content, "optional", parameter.default_expr != nullptr) ||
                          parameter.default_expr != nullptr;
  const bool variadic = truth_of(content, "variadic", false);
  check_optional(function, parameter, variadic);
  add_parameter(function, std::move(parameter), variadic);
}

// Arguments have positions, so only the last ones can be left out.
void Declarer::check_optional(const LibraryFunction& function, const LibraryParameter& parameter,
                              bool variadic) {
  if (parameter.is_optional && variadic) {
    diags_.error("Invalid parameter")
        .detail(
            "A variadic parameter takes any number of arguments, also none, so it has no "
            "default and need not be optional.")
        .at(parameter.range);
  } else if (parameter.is_optional && parameter.default_expr == nullptr && !parameter.allow_null) {
    diags_.error("Invalid parameter")
        .detail(
            "An optional parameter without a default is null if a call leaves it out, but this "
            "one has allow_null = false. Set a default.")
        .at(parameter.range);
  } else if (!parameter.is_optional && !variadic) {
    const std::size_t required = function.required();
    if (required == function.parameters.size()) return;
    const LibraryParameter& first =
        *std::next(function.parameters.begin(), static_cast<std::ptrdiff_t>(required));
    diags_.error("Required parameter after an optional parameter")
        .detail(fmt::format("{:?}, at {}, may be left out, so the parameters after it must be "
                            "optional, too. Move this block before it, or set a default.",
                            first.name, diag::place_text(sources_, first.range)))
        .at(parameter.range);
  }
}

// Each argument is `{ arguments = […], result = … }`, or with `error = "…"` for a call that fails.
void Declarer::read_examples(LibraryFunction& function, const syntax::Block& block) {
  for (const syntax::Attribute& attribute : block.body.just_attributes(diags_)) {
    const auto refuse = [&](diag::SourceRange place, std::string_view detail) {
      diags_.error("Invalid example").detail(std::string(detail)).at(place);
    };
    LibraryExample example;
    example.name = attribute.name;
    example.range = attribute.range;
    diag::Diagnostics ignored;
    const auto items = syntax::as_map(*attribute.expr, ignored);
    if (!items) {
      refuse(attribute.expr->range,
             "An example is an object: { arguments = [...], result = ... }, or with error = "
             "\"...\" instead of the result if the call fails.");
      continue;
    }
    const std::size_t errors_before = diags_.error_count();
    for (const syntax::ObjectItem& item : *items) {
      const std::string key = syntax::constant_string(*item.key, ignored).value_or("");
      if (key == "arguments") {
        if (const auto list = syntax::as_list(*item.value, ignored)) {
          example.arguments.assign(list->begin(), list->end());
        } else {
          refuse(item.value->range, "The arguments of an example are a list in brackets.");
        }
      } else if (key == "result") {
        example.result = item.value;
        example.place = item.value->range;
      } else if (key == "error") {
        example.error = syntax::constant_string(*item.value, diags_);
        example.place = item.value->range;
      } else {
        refuse(item.key->range, "An example has \"arguments\", and \"result\" or \"error\".");
      }
    }
    if (diags_.error_count() != errors_before) continue;
    if ((example.result != nullptr) == example.error.has_value()) {
      refuse(attribute.expr->range,
             "An example has either a result or, if the call fails, a part of its error message.");
      continue;
    }
    add(function.examples, std::move(example), "example");
  }
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
  for (const LibraryValue& value : values) {
    if (!value.is_private) attributes.push_back({value.name, value.value});
  }
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

#include <fmt/format.h>
#include <functional>
#include <map>

#include "base/counted.h"
#include "base/memory.h"
#include "base/unicode.h"
#include "diag/source.h"
#include "functions/define.h"
#include "functions/errors.h"
#include "functions/families.h"
#include "functions/files.h"
#include "syntax/analysis.h"
#include "syntax/eval.h"
#include "syntax/map_scope.h"
#include "syntax/parser.h"

namespace tofu::functions {

namespace {

using syntax::Arguments;
using syntax::CallResult;
using value::Kind;
using value::Type;
using value::Value;

using FindFunction = std::function<const syntax::Function*(std::string_view)>;

// Templates that call templatefile stand on each other on the machine's stack, each with the
// evaluation of its own expressions. An upper bound for the user's own depth limit.
constexpr std::ptrdiff_t kMaxStack = 3 * 1024 * 1024;

// Templates that call two each, 40 levels deep, would be rendered without an end.
constexpr std::size_t kMaxCalls = std::size_t{1} << (base::kMemoryIsChecked ? 12 : 16);

const char* stack_position() { return static_cast<const char*>(__builtin_frame_address(0)); }

// State shared by the templates of one outermost call.
struct Chain {
  const char* stack;       // position of the outermost call
  std::size_t calls = 0;   // all of them
  std::string too_deep{};  // why it was cut off, if it was
};

// Where in a chain a template function is called.
struct Depth {
  int level = 0;
  Chain* chain = nullptr;  // null for the outermost call
};

struct Context {
  const Environment& environment;
  FindFunction find;
  const syntax::ImportedSymbols* symbols = nullptr;  // of the module of the outermost call
};

syntax::Function template_function(const Context& context, bool from_file, Depth depth);

bool is_secret(value::Marks marks) { return marks.is_sensitive() || marks.is_ephemeral(); }

struct Source {
  std::string text;
  std::string name{};   // how errors name it; empty for templatestring
  bool secret = false;  // no word of the text may be shown
};

std::string place_of(const diag::SourceMap& sources, const diag::SourceRange& range,
                     const Source& source) {
  const diag::Position at = sources.position(range.file, range.begin);
  return fmt::format("{}{}line {}, column {}", source.name, source.name.empty() ? "" : ", ",
                     at.line, at.column);
}

// The first error as one sentence, and how many more there are.
std::string summed_up(const diag::Diagnostics& diags, const diag::SourceMap& sources,
                      const Source& source) {
  std::string out;
  for (const diag::Diagnostic& diagnostic : diags.items()) {
    if (diagnostic.severity != diag::Severity::Error) continue;
    if (diagnostic.subject) out = place_of(sources, *diagnostic.subject, source) + ": ";
    out +=
        source.secret ? "the template is sensitive, so its text is not shown" : diagnostic.summary;
    if (!source.secret && !diagnostic.detail.empty()) out += "; " + diagnostic.detail;
    break;
  }
  if (out.ends_with('.')) out.pop_back();
  if (diags.error_count() > 1) {
    out += fmt::format(" (and {})", base::counted(diags.error_count() - 1, "more error"));
  }
  return out;
}

// The variables of a template: an object or a map whose names can be written in
// a template.
CallResult<syntax::MapScope::Values> variables_of(const Value& vars) {
  syntax::MapScope::Values values;
  switch (vars.kind()) {
    case Kind::Object:
    case Kind::Map: break;
    case Kind::Marked:
      return call_error(
          "the variables as a whole must not be sensitive or ephemeral; mark the single values");
    case Kind::Null:
    case Kind::Unknown:
    case Kind::Bool:
    case Kind::Number:
    case Kind::String:
    case Kind::List:
    case Kind::Set:
    case Kind::Tuple:
    case Kind::Capsule: return syntax::argument_error(1, "an object or a map is required");
  }
  std::optional<std::string> bad_name;
  value::for_each_element(vars.plain(), [&](const Value& name, const Value& item) {
    if (!base::is_identifier(name.plain().as_string())) bad_name = name.plain().as_string();
    values.emplace(name.plain().as_string(), item);
  });
  if (bad_name) {
    return syntax::argument_error(
        1, fmt::format("{} cannot be the name of a template variable: a name begins with a letter, "
                       "followed by letters, digits and underscores",
                       base::quote_go(*bad_name)));
  }
  return values;
}

// The functions that a template may call: everything, with its own templates one level deeper, and
// those of the symbol libraries that the module imports.
class NestedFunctions {
 public:
  NestedFunctions(const Context& context, Depth depth)
      : find_(context.find),
        symbols_(context.symbols),
        file_(template_function(context, true, depth)),
        text_(template_function(context, false, depth)) {}

  const syntax::Function* find(std::string_view name) const {
    const syntax::Function* known = find_(name);
    if (known == nullptr) return symbols_ == nullptr ? nullptr : symbols_->function(name);
    if (known->name == file_.name) return &file_;
    if (known->name == text_.name) return &text_;
    return known;
  }

 private:
  const FindFunction& find_;
  const syntax::ImportedSymbols* symbols_;
  syntax::Function file_;
  syntax::Function text_;
};

CallResult<Value> render(const Context& context, const Source& source, const Value& vars,
                         Depth depth) {
  diag::SourceMap sources;
  diag::Diagnostics diags;
  const diag::FileId id = sources.add(source.name, source.text);
  const auto file = syntax::parse_template(sources, id, diags);
  if (diags.has_errors()) return call_error(summed_up(diags, sources, source));

  auto values = variables_of(vars);
  if (!values) return values.error();
  for (const syntax::Traversal* used : syntax::variables(*file->expr)) {
    if (values->contains(used->root)) continue;
    return syntax::argument_error(
        1, fmt::format("{} is not among the variables, but the template uses it at {}",
                       source.secret ? "a name" : base::quote_go(used->root),
                       place_of(sources, used->root_range, source)));
  }
  const NestedFunctions functions(context, {depth.level + 1, depth.chain});
  const syntax::MapScope scope(
      *std::move(values), [&functions](std::string_view name) { return functions.find(name); }, {},
      [&context] { return context.environment.stop.stop_requested(); }, context.symbols);
  auto result = syntax::evaluate(*file->expr, &scope, diags);
  if (!result) return call_error(summed_up(diags, sources, source));
  return *std::move(result);
}

CallResult<Source> template_file(const Context& context, std::string_view path,
                                 value::Marks marks) {
  auto content = read_file(context.environment, path);
  if (!content) {
    return syntax::argument_error(
        0, content.error().missing
               ? fmt::format("no template exists at {}; it must be part of the configuration",
                             shown(path, marks))
               : fmt::format("cannot read {}: {}", shown(path, marks), content.error().what));
  }
  if (!base::is_valid_utf8(*content)) {
    return call_error(fmt::format("the content of {} is not text in UTF-8", shown(path, marks)));
  }
  // Like every string of the language, the text is normalized before it is read.
  return Source{base::to_nfc(*content), is_secret(marks) ? "<template>" : std::string(path)};
}

// The error of a template whose variables are secrets: with their marks on, messages do not show
// them.
syntax::CallError why_it_fails(const Context& context, const Source& source, const Value& vars,
                               Depth depth) {
  std::vector<value::Attr> marked;
  value::for_each_element(vars.unmarked(), [&](const Value& name, const Value& item) {
    marked.push_back({std::string(name.unmarked().as_string()),
                      item.with_marks(vars.marks().with(name.marks()).with(item.marks()))});
  });
  const auto result = render(context, source, Value::object(std::move(marked)), depth);
  return result ? call_error("it fails for values that are sensitive or ephemeral")
                : result.error();
}

CallResult<Value> call_template(const Context& context, bool from_file, Depth depth,
                                Arguments args) {
  Chain own{stack_position()};
  if (depth.chain == nullptr) depth.chain = &own;
  Chain& chain = *depth.chain;
  if (depth.level > context.environment.template_recursion_limit ||
      chain.stack - stack_position() > kMaxStack) {
    chain.too_deep =
        fmt::format("templates call each other {} levels deep, which is too deep", depth.level);
    return call_error(chain.too_deep);
  }
  if (++chain.calls > kMaxCalls) {
    chain.too_deep = fmt::format(
        "templates call each other more than {} times in all, which is too often", kMaxCalls);
    return call_error(chain.too_deep);
  }
  const value::Marks marks = args[0].marks();
  const auto first = args[0].unmarked();
  Source source{std::string(first.as_string()), {}, is_secret(marks)};
  if (from_file) {
    auto read = template_file(context, first.as_string(), marks);
    if (!read) return read.error();
    source = *std::move(read);
  }
  // OpenTofu marks what a template file gives for all of its variables, used or not.
  const value::Marks marks_of_variables = from_file ? args[1].deep_marks() : value::Marks();
  const Value vars = from_file ? args[1].deep_unmarked() : args[1];
  auto result = render(context, source, vars, depth);
  if (!result && is_secret(marks_of_variables)) {
    result = why_it_fails(context, source, args[1], depth);
  }
  if (!result) {
    // One reason instead of a thousand places that each lead to the next.
    return chain.too_deep.empty() ? result : CallResult<Value>(call_error(chain.too_deep));
  }
  chain.too_deep.clear();
  return result->with_marks(marks.with(marks_of_variables));
}

// The type of the result is that of the rendered template, which may be any: it
// is left open here, so that a template is rendered once and not twice at every
// level.
syntax::Function template_function(const Context& context, bool from_file, Depth depth) {
  List one;
  define(one, from_file ? "templatefile" : "templatestring",
         from_file ? "Renders the template in a file with the given variables."
                   : "Renders a string as a template with the given variables.")
      .takes(from_file ? "path" : "data", Type::string(), {.marked = true})
      .takes("vars", Type::dynamic(), {.marked = true})
      .gives(Type::dynamic())
      .may_give_null()
      .as_in_scope([context, from_file, depth](Arguments args, Type, const syntax::Scope* scope) {
        if (depth.chain != nullptr) return call_template(context, from_file, depth, args);
        Context outermost = context;
        if (scope != nullptr) outermost.symbols = scope->symbols();
        return call_template(outermost, from_file, depth, args);
      });
  return std::move(one.front());
}

}  // namespace

void add_template(List& list, const Environment& environment, FindFunction find) {
  const Context context{environment, std::move(find)};
  list.push_back(template_function(context, true, {}));
  list.push_back(template_function(context, false, {}));
}

}  // namespace tofu::functions

#include "views/library_markdown.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <vector>

#include "base/named.h"
#include "value/json.h"
#include "value/value.h"
#include "views/library_text.h"
#include "views/value_text.h"

namespace tofu::views {

namespace {

template <class T>
std::vector<const T*> offered(const base::Named<T>& all) {
  std::vector<const T*> sorted;
  for (const T& each : all) {
    if (!each.is_private) sorted.push_back(&each);
  }
  std::ranges::sort(sorted, {}, [](const T* each) -> const std::string& { return each->name; });
  return sorted;
}

// Text that stands in a cell of a table.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

// A block of code. Its fence is longer than any in the code.
std::string code(std::string_view text) {
  std::string fence = "```";
  while (text.find(fence) != std::string_view::npos) fence += '`';
  return fmt::format("{}hcl\n{}\n{}", fence, text, fence);
}

std::string one_line(const value::Value& v) {
  const value::Marks marks = v.deep_marks();
  if (marks.is_sensitive() || marks.is_ephemeral()) return "(sensitive value)";
  const auto json = value::to_json(v.deep_unmarked());
  return json ? *json : std::string("(unknown)");
}

class Markdown {
 public:
  Markdown(const symbols::Library& library, const diag::SourceMap& sources)
      : library_(library), sources_(sources) {}

  std::string text() {
    add_section("Types", offered(library_.types));
    add_section("Values", offered(library_.values));
    add_section("Functions", offered(library_.functions));
    return std::move(out_);
  }

 private:
  // One paragraph, set apart from that before it.
  void add(std::string_view paragraph) {
    if (paragraph.empty()) return;
    if (!out_.empty()) out_ += "\n\n";
    out_ += paragraph;
  }

  template <class T>
  void add_section(std::string_view heading, const std::vector<const T*>& members) {
    if (members.empty()) return;
    add(fmt::format("## {}", heading));
    for (const T* each : members) add_member(*each);
  }

  void add_member(const symbols::LibraryType& type) {
    add(fmt::format("### `{}`", type.name));
    add(type.description);
    add(code(constraint_text(type.constraint)));
    if (type.constraint.rules != nullptr) add("Values of this type are validated.");
  }

  void add_member(const symbols::LibraryValue& value) {
    add(fmt::format("### `{}`", value.name));
    add(value.description);
    add(code(value_text(value.value)));
  }

  void add_member(const symbols::LibraryFunction& function) {
    std::vector<std::string> parameters;
    for (const symbols::LibraryParameter& each : function.parameters) {
      parameters.push_back(each.name + (each.is_optional ? "?" : ""));
    }
    if (function.variadic) parameters.push_back(function.variadic->name + "...");
    add(fmt::format("### `{}({})`", function.name, fmt::join(parameters, ", ")));
    add(function.description);
    add(parameter_table(function));
    if (function.type_expr != nullptr) {
      add("Result:");
      add(code(constraint_text(function.result_type)));
    }
    add_examples(function);
  }

  static std::string parameter_table(const symbols::LibraryFunction& function) {
    std::string table;
    const auto add_row = [&](const symbols::LibraryParameter& each, std::string_view suffix) {
      if (table.empty())
        table = "| parameter | type | default | description |\n| --- | --- | --- | --- |";
      table += fmt::format("\n| `{}{}` | `{}` | {} | {} |", each.name, suffix,
                           cell(syntax::type_expr_text(each.constraint.type)),
                           each.is_optional ? "`" + cell(one_line(each.default_value)) + "`" : "",
                           cell(each.description));
    };
    for (const symbols::LibraryParameter& each : function.parameters) add_row(each, "");
    if (function.variadic) add_row(*function.variadic, "...");
    return table;
  }

  void add_examples(const symbols::LibraryFunction& function) {
    if (function.examples.empty()) return;
    std::string lines;
    for (const symbols::LibraryExample& each : function.examples) {
      std::vector<std::string_view> arguments;
      for (const syntax::Expr* argument : each.arguments) {
        arguments.push_back(sources_.text(argument->range));
      }
      if (!lines.empty()) lines += "\n\n";
      lines += fmt::format("# {}\n{}({})\n", each.name, function.name, fmt::join(arguments, ", "));
      lines += each.error ? fmt::format("# fails: {}", *each.error)
                          : fmt::format("# => {}", sources_.text(each.result->range));
    }
    add("Examples:");
    add(code(lines));
  }

  const symbols::Library& library_;
  const diag::SourceMap& sources_;
  std::string out_;
};

}  // namespace

std::string library_markdown(const symbols::Library& library, const diag::SourceMap& sources) {
  return Markdown(library, sources).text();
}

}  // namespace tofu::views

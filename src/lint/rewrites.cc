#include "lint/rewrites.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "config/replacement.h"
#include "lint/output_references.h"
#include "lint/walk.h"
#include "syntax/analysis.h"

namespace tofu::lint {

namespace {

using diag::SourceRange;
using syntax::as_if;
using syntax::Expr;
using syntax::ExprKind;

// Whether the expression can stand next to an operator, or before `.name`, as it is.
bool is_primary(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::Conditional:
    case ExprKind::Binary:
    case ExprKind::Splat:  // what follows would be of each element
    case ExprKind::Unary: return false;
    case ExprKind::Literal:
    case ExprKind::Template:
    case ExprKind::TemplateWrap:
    case ExprKind::TemplateJoin:
    case ExprKind::Variable:
    case ExprKind::Local:
    case ExprKind::RelativeTraversal:
    case ExprKind::Index:
    case ExprKind::Call:
    case ExprKind::Parens:
    case ExprKind::Tuple:
    case ExprKind::Object:
    case ExprKind::ObjectKey:
    case ExprKind::For:
    case ExprKind::JsonString:
    case ExprKind::Invalid: return true;
  }
  return true;
}

// Whether an expression of any kind can stand there without parentheses.
bool is_delimited_by(const Expr* parent) {
  if (parent == nullptr) return true;
  switch (parent->kind) {
    case ExprKind::Template:
    case ExprKind::TemplateWrap:
    case ExprKind::Call:
    case ExprKind::Parens:
    case ExprKind::Tuple:
    case ExprKind::JsonString: return true;
    case ExprKind::Literal:
    case ExprKind::TemplateJoin:
    case ExprKind::Variable:
    case ExprKind::Local:
    case ExprKind::RelativeTraversal:
    case ExprKind::Index:
    case ExprKind::Splat:
    case ExprKind::Conditional:
    case ExprKind::Binary:
    case ExprKind::Unary:
    case ExprKind::Object:
    case ExprKind::ObjectKey:
    case ExprKind::For:
    case ExprKind::Invalid: return false;
  }
  return false;
}

// The text with what JSON needs in a string.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out;
}

using NameSet = std::set<std::string, std::less<>>;

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || static_cast<unsigned char>(c) >= 0x80;
}

// The names that the `for` expressions in a text bind. Words in strings may be among them.
NameSet names_of_fors(std::string_view text) {
  NameSet names;
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_name_char(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_name_char(text[end])) ++end;
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != "for") continue;
    for (std::size_t j = i + 1; j < words.size() && j <= i + 2 && words[j] != "in"; ++j) {
      names.insert(std::string(words[j]));
    }
  }
  return names;
}

// The members of a JSON object with this name; those of each object of an array.
void append_members(const Expr& expr, std::string_view name, std::vector<const Expr*>& out) {
  if (const auto* tuple = as_if<syntax::TupleExpr>(expr)) {
    for (const Expr* item : tuple->items) append_members(*item, name, out);
  } else if (const auto* object = as_if<syntax::ObjectExpr>(expr)) {
    for (const syntax::ObjectItem& item : object->items) {
      const auto* key = as_if<syntax::JsonStringExpr>(*item.key);
      if (key != nullptr && key->text == name) out.push_back(item.value);
    }
  }
}

// How many blocks of a module call set an argument: override files may have some.
std::size_t count_settings(std::span<const syntax::File* const> files, std::string_view call,
                           std::string_view argument) {
  std::size_t count = 0;
  for (const syntax::File* file : files) {
    if (file->json != nullptr) {
      std::vector<const Expr*> level = {file->json};
      for (const std::string_view name : {std::string_view("module"), call, argument}) {
        std::vector<const Expr*> next;
        for (const Expr* expr : level) append_members(*expr, name, next);
        level = std::move(next);
      }
      count += level.size();
      continue;
    }
    for (const syntax::NativeBlock& block : file->native->blocks) {
      if (block.type != "module" || block.labels.empty() || block.labels[0].text != call) continue;
      if (std::ranges::find(block.body.attributes, argument, &syntax::Attribute::name) !=
          block.body.attributes.end()) {
        ++count;
      }
    }
  }
  return count;
}

// The source of an author's expression with other text for its names. Nothing if it cannot be
// copied: it stands in a JSON string with escapes.
class Copied {
 public:
  Copied(const Expr& expr, const diag::SourceMap& sources) : expr_(expr), sources_(sources) {}

  // `replaced(name)` is the text for `root.name`.
  template <class Replaced>
  std::optional<std::string> with(const Replaced& replaced) const {
    const SourceRange whole = expr_.range;
    const std::string_view text = sources_.text(whole);
    if (expr_.in_json && text.find('\\') != text.npos) return std::nullopt;
    std::string out;
    std::uint32_t at = whole.begin;
    for (const syntax::Traversal* used : syntax::variables(expr_)) {
      const SourceRange name = diag::cover(used->root_range, used->steps[0].range);
      if (name.file != whole.file || name.begin < at || name.end > whole.end) return std::nullopt;
      out += sources_.text({whole.file, at, name.begin});
      out += replaced(used->steps[0].name);
      at = name.end;
    }
    out += sources_.text({whole.file, at, whole.end});
    return out;
  }

 private:
  const Expr& expr_;
  const diag::SourceMap& sources_;
};

// An argument of a call, or a value in a file.
struct Given {
  std::string name;
  const Expr* expr = nullptr;
  SourceRange name_range;
  SourceRange range;  // of both
};

bool is_null(const Expr& expr) {
  const auto* literal = as_if<syntax::LiteralExpr>(expr);
  return literal != nullptr && literal->value->is_null();
}

// The names that are set to more than null.
NameSet names_in(std::span<const Given> given) {
  NameSet names;
  for (const Given& each : given) {
    if (!is_null(*each.expr)) names.insert(each.name);
  }
  return names;
}

// The edit of one argument.
class ArgumentEdit {
 public:
  ArgumentEdit(const Given& given, const diag::SourceMap& sources, Rewrite& rewrite)
      : given_(given), sources_(sources), rewrite_(rewrite) {}

  void make(const std::vector<config::NewArgument>& arguments, const NameSet& set_names) {
    for (const config::NewArgument& argument : arguments) {
      if (!set_names.contains(argument.name)) continue;
      rewrite_.obstacle =
          fmt::format("The argument {:?} is set as well. Remove one of the two.", argument.name);
      return;
    }
    const std::string_view old_name = sources_.text(given_.name_range);
    if (old_name != given_.name && old_name != fmt::format("\"{}\"", given_.name)) {
      rewrite_.obstacle = "The name is not written out there.";
      return;
    }
    if (arguments.size() == 1 && arguments[0].value == nullptr) {
      rewrite_.edits.push_back({given_.name_range, quoted(arguments[0].name)});
      return;
    }
    const auto old_value = value_text();
    if (!old_value) {
      rewrite_.obstacle = "The value cannot be moved into an expression.";
      return;
    }
    std::vector<std::string> texts;
    for (const config::NewArgument& argument : arguments) {
      if (is_captured_by(argument)) {
        rewrite_.obstacle = "A \"for\" of the author's expression binds a name of the value.";
        return;
      }
      const auto text = one(argument, *old_value);
      if (!text) {
        rewrite_.obstacle = "The author's expression cannot be copied from a JSON string.";
        return;
      }
      texts.push_back(*text);
    }
    rewrite_.edits.push_back(
        {given_.range, fmt::to_string(fmt::join(texts, (is_json() ? ",\n" : "\n") + indent()))});
  }

 private:
  bool is_json() const { return sources_.text(given_.name_range).starts_with('"'); }
  std::string quoted(const std::string& name) const {
    return is_json() ? fmt::format("\"{}\"", name) : name;
  }
  std::string indent() const {
    const std::uint32_t start = sources_.line_start(given_.range.file, given_.range.begin);
    const std::string_view line = sources_.text({given_.range.file, start, given_.range.begin});
    const bool is_blank = line.find_first_not_of(" \t") == line.npos;
    return is_blank ? std::string(line) : std::string();
  }

  // Whether a name in the value would mean another thing inside the author's expression.
  bool is_captured_by(const config::NewArgument& argument) const {
    if (argument.value == nullptr) return false;
    const NameSet bound = names_of_fors(sources_.text(argument.value->range));
    return std::ranges::any_of(syntax::variables(*given_.expr), [&](const auto* used) {
      return bound.contains(std::string_view(used->root));
    });
  }

  // The old value as a part of an expression.
  std::optional<std::string> value_text() const {
    const Expr* expr = given_.expr;
    if (expr->kind == ExprKind::Template && sources_.text(expr->range).starts_with("<<")) {
      return std::nullopt;
    }
    if (expr->in_json) return json_value_text(*expr);
    std::string text(sources_.text(expr->range));
    return is_primary(*expr) ? text : "(" + text + ")";
  }
  std::optional<std::string> json_value_text(const Expr& expr) const {
    const std::string text(sources_.text(expr.range));
    if (expr.kind == ExprKind::Literal) return text;
    const auto* string = as_if<syntax::JsonStringExpr>(expr);
    if (string == nullptr || text.find('\\') != text.npos) return std::nullopt;
    const auto* wrap = as_if<syntax::TemplateWrapExpr>(*string->parsed);
    if (wrap == nullptr) return text;  // a template in quotes is the same in both
    std::string inner(sources_.text(wrap->wrapped->range));
    return is_primary(*wrap->wrapped) ? inner : "(" + inner + ")";
  }

  std::optional<std::string> one(const config::NewArgument& argument,
                                 const std::string& old_value) const {
    if (argument.value == nullptr) {
      return fmt::format("{}{}{}", quoted(argument.name), is_json() ? ": " : " = ",
                         sources_.text(given_.expr->range));
    }
    const auto text =
        Copied(*argument.value, sources_).with([&](std::string_view) { return old_value; });
    if (!text) return std::nullopt;
    if (!is_json()) return fmt::format("{} = {}", argument.name, *text);
    return fmt::format("\"{}\": \"${{{}}}\"", argument.name, escaped(*text));
  }

  const Given& given_;
  const diag::SourceMap& sources_;
  Rewrite& rewrite_;
};

// The edit of one reference.
class ReferenceEdit {
 public:
  ReferenceEdit(const OutputReference& reference, const diag::SourceMap& sources, Rewrite& rewrite)
      : reference_(reference), sources_(sources), rewrite_(rewrite) {}

  void make(const config::Retirement& retirement) {
    const std::string name = config::replacing_output(retirement);
    if (!name.empty()) return rename(name);
    const Expr& author = config::replacing_expr(retirement);
    if (reference_.in_depends_on) {
      rewrite_.obstacle = "In depends_on, only a reference can stand.";
      return;
    }
    if (const auto* variable = as_if<syntax::VariableExpr>(author)) {
      return follow(*variable);
    }
    if (reference_.form != ReferenceForm::Traversal) {
      rewrite_.obstacle =
          "The author's expression is for one value, and a splat has several. Use a for "
          "expression.";
      return;
    }
    if (reference_.in_for && !names_of_fors(sources_.text(author.range)).empty()) {
      rewrite_.obstacle =
          "Both the author's expression and the one around the reference are \"for\" expressions, "
          "whose names may be the same.";
      return;
    }
    replace(author);
  }

 private:
  bool is_in_json() const { return sources_.name(reference_.place.file).ends_with(".json"); }

  // Another name, with what follows it: `.new`, `.new[0]`.
  void rename(const std::string& text) {
    const SourceRange range = reference_.step->range;
    const std::string_view old_text = sources_.text(range);
    const std::string& old_name = reference_.output->name;
    if (old_text.starts_with('.') && old_text.ends_with(old_name)) {
      const auto size = static_cast<std::uint32_t>(old_name.size());
      rewrite_.edits.push_back({{range.file, range.end - size, range.end}, text});
    } else if (old_text == fmt::format("[\"{}\"]", old_name)) {
      rewrite_.edits.push_back({range, "." + text});
    } else {
      rewrite_.obstacle = "The name is not written out there.";
    }
  }

  // The author's expression is a reference with more steps.
  void follow(const syntax::VariableExpr& author) {
    const auto steps = author.traversal.steps;
    const bool has_index = std::ranges::any_of(
        steps, [](const auto& step) { return step.kind != syntax::StepKind::Attribute; });
    if (reference_.form == ReferenceForm::LegacySplat && has_index) {
      rewrite_.obstacle = "An index after \".*\" is one of the whole list. Use \"[*]\" there.";
      return;
    }
    const std::string_view rest =
        sources_.text({author.range.file, steps[0].range.begin, author.range.end});
    if (rest.find('\\') != rest.npos || !rest.starts_with('.')) {
      rewrite_.obstacle = "The author's expression cannot be copied from a JSON string.";
      return;
    }
    const std::string text(rest.substr(1));
    rename(is_in_json() ? escaped(text) : text);
  }

  void replace(const Expr& author) {
    const SourceRange step = reference_.step->range;
    const SourceRange before{step.file, reference_.place.begin, step.begin};
    const std::string prefix(sources_.text(before));
    if (is_in_json() && prefix.find('\\') != prefix.npos) {
      rewrite_.obstacle = "The reference is in a JSON string with escapes.";
      return;
    }
    auto text = Copied(author, sources_).with([&](std::string_view output) {
      return fmt::format("{}.{}", prefix, output);
    });
    if (!text) {
      rewrite_.obstacle = "The author's expression cannot be copied from a JSON string.";
      return;
    }
    const bool stands_alone = is_delimited_by(reference_.parent) && !reference_.has_more_steps;
    if (!is_primary(author) && !stands_alone) text = "(" + *text + ")";
    const SourceRange whole{step.file, reference_.place.begin, step.end};
    rewrite_.edits.push_back({whole, is_in_json() ? escaped(*text) : std::move(*text)});
  }

  const OutputReference& reference_;
  const diag::SourceMap& sources_;
  Rewrite& rewrite_;
};

class Finder {
 public:
  Finder(const config::Tree& tree, const diag::SourceMap& sources)
      : tree_(tree), sources_(sources) {}

  std::vector<Rewrite> find() {
    std::set<const config::Module*> seen;
    for (const config::TreeNode& node : tree_.nodes) {
      if (!seen.insert(node.module.get()).second) continue;
      find_arguments(node);
      find_references(node);
    }
    find_in_tests();
    std::ranges::stable_sort(rewrites_, {}, &Rewrite::place);
    return std::move(rewrites_);
  }

  // Why an argument cannot be replaced; empty if it can be.
  using Blocked = std::function<std::string(const std::string& old_name,
                                            const std::vector<config::NewArgument>& arguments)>;

  // `also_set` are names that are set elsewhere for the same call.
  void find(std::span<const Given> given, const config::Module& called, config::ModuleId user,
            const NameSet& also_set = {}, const Blocked& blocked = nullptr) {
    NameSet set_names = names_in(given);
    set_names.insert(also_set.begin(), also_set.end());
    for (const Given& each : given) {
      const config::Variable* variable = called.variables.find(each.name);
      if (variable == nullptr || !variable->deprecated || is_null(*each.expr)) continue;
      const auto arguments = config::new_arguments(*variable, retirements_of(called).of(*variable));
      if (arguments.empty()) continue;
      Rewrite& rewrite = add(each.expr->range, variable->range,
                             fmt::format("the variable {:?}", variable->name), user);
      if (blocked != nullptr) rewrite.obstacle = blocked(each.name, arguments);
      if (rewrite.obstacle.empty())
        ArgumentEdit(each, sources_, rewrite).make(arguments, set_names);
    }
  }
  std::vector<Rewrite> take() { return std::move(rewrites_); }

 private:
  Rewrite& add(SourceRange place, SourceRange declaration, std::string what,
               config::ModuleId user) {
    rewrites_.push_back({place, declaration, std::move(what), user, {}, {}});
    return rewrites_.back();
  }

  const config::Retirements& retirements_of(const config::Module& module) {
    const auto known = retirements_.find(&module);
    if (known != retirements_.end()) return known->second;
    return retirements_.emplace(&module, config::Retirements(module)).first->second;
  }

  void find_arguments(const config::TreeNode& node) {
    for (const auto& [name, id] : node.children) {
      const config::TreeNode& called = tree_.node(id);
      diag::Diagnostics ignored;
      std::vector<Given> given;
      for (const syntax::Attribute& each : called.call->config.just_attributes(ignored)) {
        given.push_back({std::string(each.name), each.expr, each.name_range, each.range});
      }
      find(given, *called.module, node.id, {}, [&](const std::string& old_name, const auto&) {
        const auto files = module_files(*node.module, sources_);
        const bool is_overridden = count_settings(files, name, old_name) > 1;
        return std::string(is_overridden ? "An override file sets it as well. Change both." : "");
      });
    }
  }

  OutputReferences::Found on_reference(config::ModuleId user) {
    return [this, user](const OutputReference& reference) {
      const config::Output& output = *reference.output;
      if (!output.deprecated) return;
      const config::Retirement& retirement = retirements_of(*reference.declared_in).of(output);
      if (retirement.replaced_by == nullptr) return;
      Rewrite& rewrite =
          add(reference.place, output.range, fmt::format("the output {:?}", output.name), user);
      ReferenceEdit(reference, sources_, rewrite).make(retirement);
    };
  }

  void find_references(const config::TreeNode& node) {
    OutputReferences references(tree_, node, on_reference(node.id));
    Visitor* const visitors[] = {&references};
    walk(module_files(*node.module, sources_), visitors);
  }

  void find_in_tests() {
    const config::TreeNode& root = tree_.root();
    for (std::size_t i = 0; i < tree_.tests.size(); ++i) {
      const config::TestFile& test = tree_.tests[i];
      find_values_of_test(test, i);
    }
    for (const auto& file : root.module->files()) {
      const std::string_view name = sources_.name(file->id);
      const auto test = std::ranges::find(tree_.tests, name, &config::TestFile::name);
      if (test == tree_.tests.end()) continue;
      const auto index = static_cast<std::size_t>(test - tree_.tests.begin());
      OutputReferences references(tree_, root, on_reference(root.id), [&](std::string_view run) {
        for (std::size_t j = 0; j < test->runs.size(); ++j) {
          if (test->runs[j].name == run) return &module_of_run(index, j);
        }
        return static_cast<const config::Module*>(nullptr);
      });
      Visitor* const visitors[] = {&references};
      const syntax::File* const files[] = {file.get()};
      walk(files, visitors);
    }
  }

  // The values of the file are those of all its runs, each of which may add to them.
  void find_values_of_test(const config::TestFile& test, std::size_t index) {
    const config::TreeNode& root = tree_.root();
    const std::vector<Given> of_file = given_by(test.variables);
    const NameSet names = names_in(of_file);
    NameSet names_of_runs;
    for (const config::TestRun& run : test.runs) {
      names_of_runs.merge(names_in(given_by(run.variables)));
    }
    const Blocked needed_by_run = [&](const std::string& old_name, const auto& arguments) {
      for (std::size_t j = 0; j < test.runs.size(); ++j) {
        const config::Module& module = module_of_run(index, j);
        if (&module == root.module.get()) continue;
        const bool has_new = std::ranges::any_of(arguments, [&](const auto& argument) {
          return module.variables.find(argument.name) != nullptr;
        });
        if (!has_new && module.variables.find(old_name) == nullptr) continue;
        return fmt::format("The run {:?} has another module with a variable of the same name.",
                           test.runs[j].name);
      }
      return std::string();
    };
    find(of_file, *root.module, root.id, names_of_runs, needed_by_run);
    for (std::size_t j = 0; j < test.runs.size(); ++j) {
      const config::Module& module = module_of_run(index, j);
      // What stays in the file's values stays in those of its runs.
      const Blocked stays_in_file = [&](const std::string& old_name, const auto& arguments) {
        if (!names.contains(old_name)) return std::string();
        if (&module != root.module.get()) {
          return std::string("The variables of the whole file set it as well.");
        }
        for (const config::NewArgument& argument : arguments) {
          if (!names_of_runs.contains(argument.name)) continue;
          return fmt::format("The argument {:?} is set as well in this file.", argument.name);
        }
        return needed_by_run(old_name, arguments);
      };
      find(given_by(test.runs[j].variables), module, root.id, names, stays_in_file);
    }
  }

  const config::Module& module_of_run(std::size_t file, std::size_t run) const {
    for (const config::TestTree& test : tree_.test_trees) {
      if (test.file == file && test.run == run) return *test.tree->root().module;
    }
    return *tree_.root().module;
  }

  // A value begins with its name.
  std::vector<Given> given_by(const std::vector<config::TestVariable>& variables) const {
    std::vector<Given> given;
    for (const config::TestVariable& each : variables) {
      const auto size = static_cast<std::uint32_t>(each.name.size());
      SourceRange name{each.range.file, each.range.begin, each.range.begin + size};
      if (sources_.text(each.range).starts_with('"')) name.end += 2;
      given.push_back({each.name, each.expr, name, diag::cover(each.range, each.expr->range)});
    }
    return given;
  }

  const config::Tree& tree_;
  const diag::SourceMap& sources_;
  std::map<const config::Module*, config::Retirements> retirements_;
  std::vector<Rewrite> rewrites_;
};

}  // namespace

std::vector<Rewrite> find_rewrites(const config::Tree& tree, const diag::SourceMap& sources) {
  return Finder(tree, sources).find();
}

std::vector<Rewrite> find_rewrites(std::span<const config::VariableFile> files,
                                   const config::Tree& tree, const diag::SourceMap& sources) {
  std::vector<std::vector<Given>> all;
  NameSet names;
  for (const config::VariableFile& file : files) {
    std::vector<Given>& given = all.emplace_back();
    for (const config::GivenValue& each : file.values) {
      given.push_back(
          {each.name, each.expr, each.name_range, diag::cover(each.name_range, each.expr->range)});
    }
    names.merge(names_in(given));
  }
  Finder finder(tree, sources);
  for (const std::vector<Given>& given : all) {
    finder.find(given, *tree.root().module, tree.root().id, names);
  }
  return finder.take();
}

}  // namespace tofu::lint

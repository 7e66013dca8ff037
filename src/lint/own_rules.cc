#include "lint/own_rules.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "syntax/eval.h"
#include "syntax/function.h"
#include "syntax/type_expr.h"
#include "value/path.h"
#include "value/value.h"

namespace tofu::lint {

namespace {

using value::Value;

constexpr std::string_view kGroup = "own:all";
constexpr std::array<std::string_view, 7> kBlocks = {"resource", "data",   "ephemeral", "variable",
                                                     "output",   "module", "provider"};

// The first sentence of a description, without its period.
std::string summary_of(const symbols::LibraryFunction& function) {
  if (function.description.empty()) return function.name;
  std::string_view text = function.description;
  text = text.substr(0, text.find_first_of(".\n"));
  return std::string(text);
}

// The contents of a body as an object: constants are known, everything else is not.
Value value_of(const syntax::NativeBody& body) {
  std::vector<value::Attr> attributes;
  diag::Diagnostics ignored;
  for (const syntax::Attribute& attribute : body.attributes) {
    attributes.push_back({std::string(attribute.name),
                          syntax::evaluate_despite_errors(*attribute.expr, nullptr, ignored)});
    ignored.clear();
  }
  std::map<std::string_view, std::vector<Value>> nested;
  for (const syntax::NativeBlock& block : body.blocks) {
    nested[block.type].push_back(value_of(block.body));
  }
  for (auto& [type, items] : nested) {
    attributes.push_back({std::string(type), Value::tuple(std::move(items))});
  }
  return Value::object(std::move(attributes));
}

Value argument_for(const syntax::NativeBlock& block) {
  const bool has_type = block.labels.size() > 1;
  const std::string_view name = block.labels.empty() ? "" : block.labels.back().text;
  const std::string_view type = has_type ? block.labels[0].text : block.type;
  const std::string_view root = block.type == "variable" ? "var" : block.type;
  std::string address = has_type && block.type == "resource" ? fmt::format("{}.{}", type, name)
                        : has_type ? fmt::format("{}.{}.{}", block.type, type, name)
                                   : fmt::format("{}.{}", root, name);
  std::vector<value::Attr> attributes;
  attributes.push_back({"name", Value::string(name)});
  attributes.push_back({"type", Value::string(type)});
  attributes.push_back({"address", Value::string(address)});
  attributes.push_back({"arguments", value_of(block.body)});
  return Value::object(std::move(attributes));
}

diag::SourceRange header_of(const syntax::NativeBlock& block) {
  diag::SourceRange range = block.type_range;
  if (!block.labels.empty()) range.end = block.labels.back().range.end;
  return range;
}

}  // namespace

OwnRules::OwnRules(const symbols::Library& library) {
  for (const symbols::LibraryFunction& function : library.functions) {
    if (function.is_private || function.variadic || function.parameters.size() != 1) continue;
    const std::string& parameter = function.parameters.begin()->name;
    const auto kind = std::ranges::find(kBlocks, parameter);
    if (kind == kBlocks.end()) continue;
    OwnRule& own = owned_.emplace_back();
    own.id = "own:" + function.name;
    own.summary = summary_of(function);
    own.function = &function;
    own.rule = {.id = own.id, .group = kGroup, .summary = own.summary, .help = own.summary};
    all_.push_back(&own.rule);
    by_block_.emplace(*kind, &own);
  }
}

void OwnRulesVisitor::block(const syntax::NativeBlock& block, const Site& site) {
  if (site.top != nullptr) return;
  const auto [begin, end] = rules_.by_block_.equal_range(block.type);
  if (begin == end) return;
  const Value argument = argument_for(block);
  for (auto rule = begin; rule != end; ++rule) {
    if (findings_.wants(rule->second->rule)) call(*rule->second, argument, block);
  }
}

void OwnRulesVisitor::call(const OwnRules::OwnRule& rule, const Value& argument,
                           const syntax::NativeBlock& block) {
  const auto fail = [&](std::string why) {
    diags_.error("Lint rule failed")
        .detail(
            fmt::format("The rule {} cannot be applied to this block: {}. Correct the function, "
                        "for example with try, or exclude the rule.",
                        rule.id, why))
        .at(header_of(block));
  };
  const auto fitted = syntax::fit(rule.function->parameters.begin()->constraint, argument);
  if (!fitted) return fail(to_string(fitted.error()));
  const auto result = syntax::call(rule.function->callable, std::array{*fitted});
  if (!result) return fail(result.error().what);
  const value::Plain found = result->deep_unmarked();
  if (found.is_unknown() || found.is_null()) return;
  const bool is_list = found.kind() == value::Kind::List || found.kind() == value::Kind::Tuple ||
                       found.kind() == value::Kind::Set;
  if (!is_list) return fail("its result must be a list of strings");
  for (const Value& text : found.items()) {
    if (text.is_unknown() || text.is_null()) continue;
    if (text.kind() != value::Kind::String) return fail("its result must be a list of strings");
    findings_.add(rule.rule, header_of(block), std::string(text.plain().as_string()));
  }
}

}  // namespace tofu::lint

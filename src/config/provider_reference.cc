#include <fmt/format.h>
#include <unordered_map>
#include <utility>

#include "config/block_reader.h"
#include "syntax/analysis.h"

namespace tofu::config {

namespace {

constexpr const char* kInvalid = "Invalid provider configuration reference";

// Takes the steps behind the name: an alias and perhaps a constant key.
void read_steps(BlockReader& block_reader, const syntax::Traversal& traversal,
                ProviderRef& reference) {
  const auto refuse = [&](diag::SourceRange at) {
    block_reader.diags.error(kInvalid)
        .detail(
            "Write the provider's local name, optionally followed by a period and an alias, and by "
            "an instance key in brackets.")
        .at(at);
  };
  if (traversal.steps.empty()) return;
  const syntax::TraversalStep& alias = traversal.steps[0];
  if (alias.kind != syntax::StepKind::Attribute) return refuse(alias.range);
  reference.alias = alias.name;
  reference.alias_range = alias.range;
  if (traversal.steps.size() < 2) return;
  const syntax::TraversalStep& key = traversal.steps[1];
  if (key.kind != syntax::StepKind::Index) return refuse(key.range);
  reference.key = block_reader.scratch.arena.make<syntax::LiteralExpr>(
      syntax::Expr{syntax::ExprKind::Literal, false, traversal.range}, key.key);
}

}  // namespace

std::optional<ProviderRef> provider_reference(BlockReader& block_reader, const syntax::Expr& given,
                                              std::string_view argument) {
  const std::size_t errors_before = block_reader.diags.error_count();
  const syntax::Expr* expr = unquoted_expr(block_reader, given);
  if (expr == nullptr) return std::nullopt;
  const syntax::Expr* key = nullptr;
  std::size_t most_steps = 2;
  if (const auto* index = syntax::as_if<syntax::IndexExpr>(*expr)) {
    key = index->key;
    expr = index->collection;
    most_steps = 1;  // the key is not constant, so it is not one of them
  }
  const Unquoted unquoted = unquote(block_reader, *expr, Quotable::Reference);
  if (!unquoted.traversal && unquoted.quoted) return std::nullopt;
  if (!unquoted.traversal || unquoted.traversal->steps.size() > most_steps) {
    const bool quotes = expr->kind == syntax::ExprKind::Template;
    block_reader.diags.error(kInvalid)
        .detail(
            quotes ? std::string("Write the provider configuration without quotes.")
                   : fmt::format("The argument \"{}\" requires a provider's local name, optionally "
                                 "followed by an alias and an instance key, such as aws.west.",
                                 argument))
        .at(expr->range);
    return std::nullopt;
  }
  const syntax::Traversal& traversal = *unquoted.traversal;
  check_provider_name(block_reader, traversal.root, traversal.root_range);
  if (block_reader.diags.error_count() != errors_before) return std::nullopt;

  ProviderRef reference;
  reference.name = traversal.root;
  reference.name_range = traversal.root_range;
  reference.key = key;
  read_steps(block_reader, traversal, reference);
  if (reference.alias.empty() && reference.key != nullptr &&
      block_reader.diags.error_count() == errors_before) {
    block_reader.diags.error(kInvalid)
        .detail("Only configurations with an alias have instances: name.alias[key].")
        .at(traversal.range);
  }
  return reference;
}

std::vector<PassedProvider> passed_providers(BlockReader& block_reader,
                                             const syntax::Attribute& attribute) {
  std::vector<PassedProvider> passed;
  const auto items = syntax::as_map(*attribute.expr, block_reader.diags);
  if (!items) return passed;
  std::unordered_map<std::string, diag::SourceRange> seen;
  for (const syntax::ObjectItem& item : *items) {
    const std::size_t errors_before = block_reader.diags.error_count();
    auto in_child = provider_reference(block_reader, *item.key, "providers");
    auto in_parent = provider_reference(block_reader, *item.value, "providers");
    if (block_reader.diags.error_count() != errors_before || !in_child || !in_parent) continue;
    const auto [earlier, is_new] =
        seen.emplace(in_child->to_string(), diag::cover(item.key->range, item.value->range));
    if (!is_new) {
      block_reader.diags.error("Duplicate provider configuration")
          .detail(fmt::format("The module's provider {} is already assigned at {}.", earlier->first,
                              block_reader.where(earlier->second)))
          .at(item.value->range);
      continue;
    }
    passed.push_back({std::move(*in_child), std::move(*in_parent)});
  }
  return passed;
}

}  // namespace tofu::config

#include "config/block_reader.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "addrs/provider.h"
#include "base/unicode.h"
#include "symbols/symbol_names.h"
#include "syntax/analysis.h"
#include "syntax/block_reading.h"
#include "syntax/eval.h"
#include "syntax/parser.h"
#include "value/convert.h"

namespace tofu::config {

namespace {

struct Piece {
  diag::FileId id;
  diag::SourceRange part_of;
};

// Text that stands at `at`, as a source of its own. `skipped` bytes of the place
// (a quote) come before the text.
Piece piece_of(BlockReader& block_reader, std::string_view text, diag::SourceRange at,
               std::uint32_t skipped) {
  const diag::Position start = block_reader.sources.position(at.file, at.begin + skipped);
  std::string name(block_reader.sources.name(at.file));
  return {block_reader.sources.add(std::move(name), std::string(text), start), at};
}

bool begins_with_name(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return !text.empty() &&
         (text[0] == '_' || base::is_identifier_start(base::decode_utf8(text).code));
}

}  // namespace

void check_identifier(BlockReader& block_reader, const syntax::Label& label,
                      std::string_view what) {
  syntax::check_identifier(label, what, block_reader.diags);
}

bool check_provider_name(BlockReader& block_reader, std::string_view name, diag::SourceRange at) {
  const auto normalized = addrs::parse_provider_part(name);
  if (normalized && *normalized == name) return true;
  block_reader.diags.error("Invalid provider local name")
      .detail(normalized
                  ? fmt::format(
                        "Provider local names must be in normalized form: {:?} instead of {:?}.",
                        *normalized, name)
                  : fmt::format("{:?} is not a valid provider name: {}.", name,
                                normalized.error().what))
      .at(at);
  return false;
}

diag::Checked<addrs::Constraints> constant_constraints(BlockReader& block_reader,
                                                       const syntax::Attribute& attribute,
                                                       diag::Diagnostics& diags) {
  const syntax::Expr& expr = *attribute.expr;
  const auto refuse = [&](std::string detail) {
    diags.error("Invalid version constraint").detail(std::move(detail)).at(expr.range);
    return std::nullopt;
  };
  // 1.7.4 without quotes is a number and an index into it.
  const auto* dotted = syntax::as_if<syntax::RelativeTraversalExpr>(expr);
  if (dotted != nullptr && dotted->source->kind == syntax::ExprKind::Literal) {
    return refuse(fmt::format("Write the version in quotes: {} = \"{}\".", attribute.name,
                              block_reader.sources.text(expr.range)));
  }
  // 1.7.4-beta1 is a difference; that its numbers need quotes is reported already.
  if (expr.kind == syntax::ExprKind::Binary &&
      addrs::Version::parse(block_reader.sources.text(expr.range))) {
    return addrs::Constraints();
  }
  const auto given = syntax::evaluate(expr, nullptr, diags);
  if (!given) return std::nullopt;
  const auto text = value::convert(*given, value::Type::string());
  if (!text) return refuse(fmt::format("The argument {} requires a string.", attribute.name));
  // Nothing said, or a syntax error that was reported already.
  if (text->is_null() || text->is_unknown()) return addrs::Constraints();
  auto constraints = addrs::Constraints::parse(text->plain().as_string());
  if (!constraints) {
    return refuse(fmt::format("{}. Write, for example, \">= 1.2.0, < 2.0.0\" or \"~> 1.2\".",
                              constraints.error().what));
  }
  return std::move(*constraints);
}

diag::Checked<const syntax::Expr*> unquoted_expr(BlockReader& block_reader,
                                                 const syntax::Expr& expr) {
  if (!expr.in_json) return &expr;
  const auto* string = syntax::as_if<syntax::JsonStringExpr>(expr);
  if (string == nullptr) {
    block_reader.diags.error("Invalid expression")
        .detail("In JSON syntax, write this reference as a string.")
        .at(expr.range);
    return nullptr;
  }
  const Piece piece = piece_of(block_reader, string->text, expr.range, 0);
  const std::size_t errors_before = block_reader.diags.error_count();
  auto parsed = syntax::parse_expression(block_reader.sources, piece.id, block_reader.diags);
  const syntax::File& file = block_reader.module.keep(std::move(parsed), piece.part_of);
  return block_reader.diags.error_count() == errors_before ? file.expr : nullptr;
}

Unquoted unquote(BlockReader& block_reader, const syntax::Expr& given, Quotable what) {
  const auto* key = syntax::as_if<syntax::ObjectKeyExpr>(given);
  const syntax::Expr& expr = key != nullptr ? *key->wrapped : given;
  diag::Diagnostics ignored;
  if (expr.kind != syntax::ExprKind::Template) return {syntax::traversal_if(expr), false};
  const auto text = syntax::evaluate(expr, nullptr, ignored);
  if (!text || text->is_unknown()) return {};

  Unquoted result;
  result.quoted = true;
  const Piece piece = piece_of(block_reader, text->plain().as_string(), expr.range, 1);
  if (auto parsed =
          syntax::parse_traversal(block_reader.sources, piece.id, false, block_reader.diags)) {
    result.traversal = parsed->traversal;
    block_reader.module.keep(std::move(parsed->file), piece.part_of);
  } else {
    result.quoted = begins_with_name(text->plain().as_string());
  }
  const std::string_view noun = what == Quotable::Keyword ? "keyword" : "reference";
  block_reader.diags.warning(fmt::format("Quoted {}s are deprecated", noun))
      .detail(fmt::format("Write this {} without quotes. Quoted {}s are accepted only for "
                          "compatibility with old modules.",
                          noun, noun))
      .at(expr.range);
  return result;
}

std::string_view keyword_or_quoted(BlockReader& block_reader, const syntax::Expr& expr) {
  const Unquoted unquoted = unquote(block_reader, expr, Quotable::Keyword);
  if (!unquoted.traversal || !unquoted.traversal->steps.empty()) return {};
  return unquoted.traversal->root;
}

std::vector<syntax::Traversal> reference_list(BlockReader& block_reader,
                                              const syntax::Attribute& attribute) {
  std::vector<syntax::Traversal> references;
  const auto items = syntax::as_list(*attribute.expr, block_reader.diags);
  if (!items) return references;
  for (const syntax::Expr* item : *items) {
    const Unquoted unquoted = unquote(block_reader, *item, Quotable::Reference);
    if (unquoted.traversal) {
      references.push_back(*unquoted.traversal);
    } else if (!unquoted.quoted) {
      syntax::as_traversal(*item, block_reader.diags);  // says what is wrong
    }
  }
  return references;
}

syntax::Condition read_condition(BlockReader& block_reader, const syntax::Block& block) {
  static const syntax::BodySchema kSchema = syntax::with_required(
      syntax::schema_of({"condition", "error_message"}), {"condition", "error_message"});
  syntax::Condition condition;
  condition.range = block.range;
  condition.place = block_reader.where(block.range);
  if (block_reader.is_override) {
    block_reader.diags.error(fmt::format("Cannot override \"{}\" blocks", block.type))
        .detail(
            "Conditions cannot be overridden. Move this block to a file that is not an override "
            "file.")
        .at(block.range);
    return condition;
  }
  const syntax::Content content = block.body.content(kSchema, block_reader.diags);
  if (const auto* attribute = content.attribute("condition")) {
    condition.condition = attribute->expr;
    // A call of a library function checks the library, as tests of libraries do.
    const auto is_symbol = [](const syntax::CallExpr* call) {
      return symbols::is_symbol_name(call->name);
    };
    if (syntax::variables(*attribute->expr).empty() &&
        std::ranges::none_of(syntax::calls(*attribute->expr), is_symbol)) {
      block_reader.diags.error(fmt::format("Invalid {} expression", block.type))
          .detail(
              "The condition refers to no other object, so its result is always the same. Refer to "
              "at least one object of the configuration.")
          .at(attribute->expr->range);
    }
  }
  if (const auto* attribute = content.attribute("error_message")) {
    condition.error_message = attribute->expr;
  }
  return condition;
}

void check_exclusive(BlockReader& block_reader, const RepetitionPlaces& places) {
  std::vector<diag::SourceRange> ranges;
  std::vector<std::string_view> names;
  const auto add = [&](const std::optional<diag::SourceRange>& place, std::string_view name) {
    if (!place) return;
    ranges.push_back(*place);
    names.push_back(name);
  };
  add(places.count, "\"count\"");
  add(places.enabled, "\"enabled\"");
  add(places.for_each, "\"for_each\"");
  if (ranges.size() < 2) return;
  const std::string list = fmt::format("{}", fmt::join(names, " and "));
  const auto [first, last] = std::ranges::minmax(ranges);
  block_reader.diags.error(fmt::format("Invalid combination of {}", list))
      .detail(fmt::format("{} all set the number of instances. Use only one of them.", list))
      .at(diag::cover(first, last));
}

bool OnlyOne::admit(BlockReader& block_reader, const syntax::Block& block,
                    std::string_view message) {
  if (!first_) {
    first_ = block.range;
    return true;
  }
  block_reader.diags.error(fmt::format("Duplicate \"{}\" block", block.type))
      .detail(fmt::format("{} The first one is at {}.", message, block_reader.where(*first_)))
      .at(block.range);
  return false;
}

void report_reserved_block(BlockReader& block_reader, const syntax::Block& block,
                           std::string_view container) {
  block_reader.diags.error(fmt::format("Reserved block type in a {} block", container))
      .detail(fmt::format("The block type \"{}\" is reserved for a future version of the language.",
                          block.type))
      .at(block.type_range);
}

}  // namespace tofu::config

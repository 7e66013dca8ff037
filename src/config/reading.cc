#include "config/reading.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "addrs/provider.h"
#include "base/unicode.h"
#include "syntax/analysis.h"
#include "syntax/eval.h"
#include "syntax/parser.h"
#include "value/convert.h"

namespace tofu::config {

namespace {

constexpr std::string_view kIdentifierRule =
    "A name starts with a letter or an underscore; letters, digits, underscores and dashes may "
    "follow.";

struct Piece {
  diag::FileId id;
  diag::SourceRange part_of;
};

// Text that stands at `at`, as a source of its own. `skipped` bytes of the place
// (a quote) come before the text.
Piece piece_of(Reading& reading, std::string_view text, diag::SourceRange at,
               std::uint32_t skipped) {
  const diag::Position start = reading.sources.position(at.file, at.begin + skipped);
  std::string name(reading.sources.name(at.file));
  return {reading.sources.add(std::move(name), std::string(text), start), at};
}

bool begins_with_name(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return !text.empty() &&
         (text[0] == '_' || base::is_identifier_start(base::decode_utf8(text).code));
}

}  // namespace

std::string place_text(const diag::SourceMap& sources, diag::SourceRange range) {
  return fmt::format("{}:{}", sources.name(range.file),
                     sources.position(range.file, range.begin).line);
}

syntax::BodySchema schema_of(std::initializer_list<std::string_view> attributes,
                             std::initializer_list<syntax::BlockSchema> blocks) {
  syntax::BodySchema schema;
  for (const std::string_view name : attributes) schema.attributes.push_back({std::string(name)});
  schema.blocks = blocks;
  return schema;
}

syntax::BodySchema with_required(syntax::BodySchema schema,
                                 std::initializer_list<std::string_view> names) {
  for (syntax::AttributeSchema& attribute : schema.attributes) {
    if (std::ranges::find(names, attribute.name) != names.end()) attribute.required = true;
  }
  return schema;
}

void check_identifier(const syntax::Label& label, std::string_view what, diag::Diagnostics& diags) {
  if (base::is_identifier(label.text)) return;
  diags.error(fmt::format("Invalid {}", what)).detail(std::string(kIdentifierRule)).at(label.range);
}

void check_identifier(Reading& reading, const syntax::Label& label, std::string_view what) {
  check_identifier(label, what, reading.diags);
}

bool check_provider_name(Reading& reading, std::string_view name, diag::SourceRange at) {
  const auto normalised = addrs::parse_provider_part(name);
  if (normalised && *normalised == name) return true;
  reading.diags.error("Invalid local name of a provider")
      .detail(normalised
                  ? fmt::format("Local names of providers are written in normalised form: "
                                "{:?} instead of {:?}.",
                                *normalised, name)
                  : fmt::format("{:?} cannot name a provider: {}.", name, normalised.error().what))
      .at(at);
  return false;
}

std::optional<Constraints> constant_constraints(Reading& reading,
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
    return refuse(fmt::format("A version has to be written in quotes: {} = \"{}\".", attribute.name,
                              reading.sources.text(expr.range)));
  }
  // 1.7.4-beta1 is a difference; that its numbers need quotes is reported already.
  if (expr.kind == syntax::ExprKind::Binary && Version::parse(reading.sources.text(expr.range))) {
    return Constraints();
  }
  const auto given = syntax::evaluate(expr, nullptr, diags);
  if (!given) return std::nullopt;
  const auto text = value::convert(*given, value::Type::string());
  if (!text) return refuse(fmt::format("A string is needed for {}.", attribute.name));
  // Nothing said, or a syntax error that was reported already.
  if (text->is_null() || text->is_unknown()) return Constraints();
  auto constraints = Constraints::parse(text->plain().as_string());
  if (!constraints) {
    return refuse(fmt::format("{}. Write, for example, \">= 1.2.0, < 2.0.0\" or \"~> 1.2\".",
                              constraints.error().what));
  }
  return std::move(*constraints);
}

const syntax::Expr* spelt_out(Reading& reading, const syntax::Expr& expr) {
  if (!expr.in_json) return &expr;
  const auto* string = syntax::as_if<syntax::JsonStringExpr>(expr);
  if (string == nullptr) {
    reading.diags.error("A string is needed")
        .detail("In JSON syntax the reference that belongs here is written as a string.")
        .at(expr.range);
    return nullptr;
  }
  const Piece piece = piece_of(reading, string->text, expr.range, 0);
  const std::size_t errors_before = reading.diags.error_count();
  auto parsed = syntax::parse_expression(reading.sources, piece.id, reading.diags);
  const syntax::File& file = reading.module.keep(std::move(parsed), piece.part_of);
  return reading.diags.error_count() == errors_before ? file.expr : nullptr;
}

Unquoted unquote(Reading& reading, const syntax::Expr& given, Quotable what) {
  const auto* key = syntax::as_if<syntax::ObjectKeyExpr>(given);
  const syntax::Expr& expr = key != nullptr ? *key->wrapped : given;
  diag::Diagnostics ignored;
  if (expr.kind != syntax::ExprKind::Template) return {syntax::traversal_if(expr), false};
  const auto text = syntax::evaluate(expr, nullptr, ignored);
  if (!text || text->is_unknown()) return {};

  Unquoted result;
  result.quoted = true;
  const Piece piece = piece_of(reading, text->plain().as_string(), expr.range, 1);
  if (auto parsed = syntax::parse_traversal(reading.sources, piece.id, false, reading.diags)) {
    result.traversal = parsed->traversal;
    reading.module.keep(std::move(parsed->file), piece.part_of);
  } else {
    result.quoted = begins_with_name(text->plain().as_string());
  }
  const std::string_view noun = what == Quotable::Keyword ? "keyword" : "reference";
  reading.diags.warning(fmt::format("Quoted {}s are deprecated", noun))
      .detail(
          fmt::format("Here a {} is written as it is, without quotes. Remove the quotes.", noun))
      .at(expr.range);
  return result;
}

std::string_view keyword_or_quoted(Reading& reading, const syntax::Expr& expr) {
  const Unquoted unquoted = unquote(reading, expr, Quotable::Keyword);
  if (!unquoted.traversal || !unquoted.traversal->steps.empty()) return {};
  return unquoted.traversal->root;
}

std::vector<syntax::Traversal> reference_list(Reading& reading,
                                              const syntax::Attribute& attribute) {
  std::vector<syntax::Traversal> references;
  const auto items = syntax::as_list(*attribute.expr, reading.diags);
  if (!items) return references;
  for (const syntax::Expr* item : *items) {
    const Unquoted unquoted = unquote(reading, *item, Quotable::Reference);
    if (unquoted.traversal) {
      references.push_back(*unquoted.traversal);
    } else if (!unquoted.quoted) {
      syntax::as_traversal(*item, reading.diags);  // says what is wrong
    }
  }
  return references;
}

Condition read_condition(Reading& reading, const syntax::Block& block) {
  static const syntax::BodySchema kSchema =
      with_required(schema_of({"condition", "error_message"}), {"condition", "error_message"});
  Condition condition;
  condition.range = block.range;
  if (reading.is_override) {
    reading.diags.error(fmt::format("A \"{}\" block in an override file", block.type))
        .detail("Conditions cannot be overridden. Move this block to an ordinary file.")
        .at(block.range);
    return condition;
  }
  const syntax::Content content = block.body.content(kSchema, reading.diags);
  if (const auto* attribute = content.attribute("condition")) {
    condition.condition = attribute->expr;
    if (syntax::variables(*attribute->expr).empty()) {
      reading.diags.error("Condition that is always the same")
          .detail(
              "The condition refers to nothing outside itself, so it checks nothing. Refer to "
              "at least one object of the configuration.")
          .at(attribute->expr->range);
    }
  }
  if (const auto* attribute = content.attribute("error_message")) {
    condition.error_message = attribute->expr;
  }
  return condition;
}

void check_exclusive(Reading& reading, const RepetitionPlaces& places) {
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
  reading.diags.error(fmt::format("Both {}", list))
      .detail(fmt::format("{} each decide how many instances there are, so only one of them can be "
                          "used.",
                          list))
      .at(diag::cover(first, last));
}

bool OnlyOne::admit(Reading& reading, const syntax::Block& block, std::string_view message) {
  if (!first_) {
    first_ = block.range;
    return true;
  }
  reading.diags.error(fmt::format("More than one \"{}\" block", block.type))
      .detail(fmt::format("{} The first one is at {}.", message, reading.where(*first_)))
      .at(block.range);
  return false;
}

void report_reserved_block(Reading& reading, const syntax::Block& block,
                           std::string_view container) {
  reading.diags.error(fmt::format("Reserved block type in a {} block", container))
      .detail(fmt::format("The block type \"{}\" is kept for a future version of the language.",
                          block.type))
      .at(block.type_range);
}

}  // namespace tofu::config

#include "features/features.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace tofu::features {

namespace {

constexpr std::array kRows = std::to_array<Row>({
    {.name = "symbol_libraries",
     .state = State::Selectable,
     .feature = Feature::SymbolLibraries,
     .block_type = "symbols",
     .noun = "symbol library",
     .text = {}},

    {.name = "variable_validation",
     .state = State::Concluded,
     .feature = {},
     .block_type = {},
     .noun = {},
     .text = "Validation rules for input variables have become part of the language. Remove this "
             "name from the list."},
    {.name = "variable_validation_crossref",
     .state = State::Concluded,
     .feature = {},
     .block_type = {},
     .noun = {},
     .text = "Validation rules may refer to other objects of their module in every module. Remove "
             "this name from the list."},
    {.name = "provider_sensitive_attrs",
     .state = State::Concluded,
     .feature = {},
     .block_type = {},
     .noun = {},
     .text = "Attributes that a provider declares sensitive are always withheld. Remove this name "
             "from the list."},
    {.name = "config_driven_move",
     .state = State::Concluded,
     .feature = {},
     .block_type = {},
     .noun = {},
     .text = "\"moved\" blocks have become part of the language. Remove this name from the list."},
    {.name = "preconditions_postconditions",
     .state = State::Concluded,
     .feature = {},
     .block_type = {},
     .noun = {},
     .text = "\"precondition\" and \"postcondition\" blocks have become part of the language. "
             "Remove this name from the list."},
    {.name = "module_variable_optional_attrs",
     .state = State::Concluded,
     .feature = {},
     .block_type = {},
     .noun = {},
     .text = "Optional object attributes have become part of the language, in a form that differs "
             "from the experiment: a default is the second argument of optional(...), and the "
             "function \"defaults\" is gone. Adapt the module, then remove this name from the "
             "list."},
    {.name = "template_string_func",
     .state = State::Concluded,
     .feature = {},
     .block_type = {},
     .noun = {},
     .text = "The function \"templatestring\" is available in every module. Remove this name from "
             "the list."},
    {.name = "ephemeral_values",
     .state = State::Concluded,
     .feature = {},
     .block_type = {},
     .noun = {},
     .text = "Ephemeral values have become part of the language. Remove this name from the list."},

    {.name = "unknown_instances",
     .state = State::Removed,
     .feature = {},
     .block_type = {},
     .noun = {},
     .text = "Planning with a \"count\" or \"for_each\" that is not known yet is no part of this "
             "language. Use the planning option -exclude to leave such objects for a later run, "
             "and remove this name from the list."},
});

}  // namespace

std::span<const Row> all_rows() { return kRows; }

const Row* find_row(std::string_view name) {
  const auto* const found = std::ranges::find(kRows, name, &Row::name);
  return found == kRows.end() ? nullptr : found;
}

const Row& row_of(Feature feature) {
  const auto* const found = std::ranges::find(kRows, std::optional(feature), &Row::feature);
  TOFU_CHECK(found != kRows.end(), "every feature has a row in the list");
  return *found;
}

const Row* find_by_block_type(std::string_view word) {
  const auto* const found = std::ranges::find_if(kRows, [&](const Row& row) {
    return row.state == State::Selectable && row.block_type == word;
  });
  return found == kRows.end() ? nullptr : found;
}

}  // namespace tofu::features

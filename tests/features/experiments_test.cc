#include "features/experiments.h"

#include <array>
#include <gtest/gtest.h>

namespace tofu::features {
namespace {

// A list with a row in every state, since the real one need not have each.
constexpr std::array kRows = std::to_array<Row>({
    {"sky", State::ActiveExperiment, Feature::SymbolLibraries, {}, {}, "Blue."},
    {"sea", State::ActiveExperiment, Feature::SymbolLibraries, {}, {}, "Wet."},
    {"book", State::Selectable, Feature::SymbolLibraries, "books", "book", "Use books."},
    {"gone", State::Removed, {}, {}, {}, "It failed; use sea."},
    {"done", State::Concluded, {}, {}, {}, "It is everywhere."},
});
constexpr diag::SourceRange kPlace{{0}, 4, 8};

struct Outcome {
  bool ok = false;
  FeatureSet on;
  diag::Diagnostics diags;
};

Outcome opt_in(std::string_view name, Experiments allowed,
               std::span<const Row> rows = std::span(kRows)) {
  Outcome outcome;
  outcome.ok = opt_into_experiment(name, kPlace, allowed, outcome.on, outcome.diags, rows);
  EXPECT_EQ(outcome.diags.size(), 1u);
  EXPECT_EQ(outcome.diags.items()[0].subject, kPlace);
  EXPECT_EQ(outcome.ok, !outcome.diags.has_errors());
  return outcome;
}

TEST(Experiments, AnActiveOneIsOnAndEachUseWarns) {
  const Outcome outcome = opt_in("sky", Experiments::Allowed);

  EXPECT_TRUE(outcome.ok);
  EXPECT_TRUE(outcome.on.has(Feature::SymbolLibraries));
}

TEST(Experiments, AnActiveOneIsAnErrorWhereExperimentsAreNotAllowed) {
  const Outcome outcome = opt_in("sky", Experiments::Refused);

  EXPECT_FALSE(outcome.ok);
  EXPECT_TRUE(outcome.on.empty());
}

TEST(Experiments, ASelectableOneWarnsHowItIsOptedIntoAndStaysOff) {
  const Outcome outcome = opt_in("book", Experiments::Allowed);

  EXPECT_TRUE(outcome.ok);
  EXPECT_TRUE(outcome.on.empty());
  EXPECT_EQ(outcome.diags.items()[0].detail, "Use books.");
}

TEST(Experiments, ARemovedOneIsAnErrorThatTellsTheOutcome) {
  const Outcome outcome = opt_in("gone", Experiments::Allowed);

  EXPECT_FALSE(outcome.ok);
  EXPECT_EQ(outcome.diags.items()[0].detail, "It failed; use sea.");
}

TEST(Experiments, AConcludedOneOnlyWarns) {
  const Outcome outcome = opt_in("done", Experiments::Refused);

  EXPECT_TRUE(outcome.ok);
  EXPECT_EQ(outcome.diags.items()[0].detail, "It is everywhere.");
}

TEST(Experiments, AnUnknownOneIsAnErrorThatListsTheActiveOnes) {
  const Outcome outcome = opt_in("nope", Experiments::Allowed);

  EXPECT_FALSE(outcome.ok);
  EXPECT_EQ(outcome.diags.items()[0].detail,
            "The experiment \"nope\" does not exist. The active experiments of this version are: "
            "\"sky\", \"sea\".");
}

TEST(Experiments, NamesOfEarlierTerraformExperimentsWarn) {
  for (const char* name :
       {"variable_validation", "variable_validation_crossref", "module_variable_optional_attrs",
        "provider_sensitive_attrs", "config_driven_move", "preconditions_postconditions",
        "template_string_func", "ephemeral_values"}) {
    EXPECT_TRUE(opt_in(name, Experiments::Refused, all_rows()).ok) << name;
  }
  EXPECT_FALSE(opt_in("unknown_instances", Experiments::Allowed, all_rows()).ok);
}

TEST(Experiments, OneThatOpenTofuStillHasIsAcceptedSilently) {
  FeatureSet on;
  diag::Diagnostics diags;
  EXPECT_TRUE(
      opt_into_experiment("symbol_libraries", kPlace, Experiments::Refused, on, diags, all_rows()));
  EXPECT_TRUE(diags.empty());
  EXPECT_TRUE(on.empty());
}

}  // namespace
}  // namespace tofu::features

#include "engine/inspection.h"

#include "syntax/parser.h"
#include "tests/engine/configured.h"

namespace tofu::engine {
namespace {

class NoEvents final : public plans::EventSink {
 public:
  void on(const plans::Event&) override {}
};

// Inspection calls no provider: opening one is a failure.
class NoProviders final : public providers::ProviderSource {
 public:
  std::unique_ptr<providers::Provider> open(const addrs::Provider& provider,
                                            diag::Diagnostics& diags) override {
    diags.error("Opened " + provider.to_string());
    return nullptr;
  }
};

class InspectionTest : public Configured {
 protected:
  // What `expression` is in the root module that `text` declares; absent if it fails.
  std::optional<value::Value> value_in(std::string text, const std::string& expression) {
    write(".", std::move(text));
    const eval::Program program = compiled();
    if (diags_.has_errors()) return std::nullopt;
    const eval::RunInfo facts;
    NoProviders providers;
    NoEvents events;
    const Inspection inspection({.program = program,
                                 .functions = functions(),
                                 .facts = facts,
                                 .providers = providers,
                                 .events = events,
                                 .variables = given_},
                                state_, diags_);
    diag::SourceMap sources;
    const diag::FileId id = sources.add("<input>", expression);
    const auto file = syntax::parse_expression(sources, id, diags_);
    return inspection.evaluate(*file->expr, diags_);
  }

  std::map<std::string, value::Value> given_;
  state::State state_;
};

std::string ids_of(const std::optional<value::Value>& v) {
  if (!v) return "error";
  if (v->is_unknown()) return "unknown";
  std::string text;
  value::for_each_element(v->unmarked(), [&](const value::Value&, const value::Value& each) {
    text += each.is_unknown() ? "unknown " : std::string(each.unmarked().as_string()) + " ";
  });
  return text;
}

TEST_F(InspectionTest, AChainOfLocalsMayBeOfAnyLength) {
  std::string text = "locals {\n  x0 = 0\n";
  for (int i = 1; i <= 60'000; ++i) text += fmt::format("  x{} = local.x{} + 1\n", i, i - 1);

  const auto v = value_in(text + "}\n", "local.x60000");

  ASSERT_TRUE(v);
  EXPECT_EQ(v->plain().as_number().to_string(), "60000");
}

TEST_F(InspectionTest, ALocalThatFailsIsReportedOnceAndUnknown) {
  const auto v =
      value_in("locals {\n  bad = 1 + \"x\"\n  after = upper(local.bad)\n  good = \"3\"\n}\n",
               "[local.bad, local.after, local.good]");

  EXPECT_EQ(ids_of(v), "unknown unknown 3 ");
  EXPECT_EQ(diags_.error_count(), 1U);
}

TEST_F(InspectionTest, ANameInsideTryHasToBeDeclared) {
  (void)value_in("locals {\n  bad = try(var.nope, 1)\n}\n", "1");
  EXPECT_EQ(diags_.error_count(), 1U);
}

TEST_F(InspectionTest, AVariableWithoutAValueIsUnknown) {
  EXPECT_EQ(ids_of(value_in("variable \"v\" {\n  type = string\n}\n", "var.v")), "unknown");
  EXPECT_FALSE(diags_.has_errors());
}

TEST_F(InspectionTest, AResourceIsWhatTheStateHasOfIt) {
  put(state_, "terraform_data.x");
  const std::string text =
      "resource \"terraform_data\" \"x\" {}\nresource \"terraform_data\" \"y\" {}\n";
  EXPECT_EQ(ids_of(value_in(text, "[terraform_data.x.id, terraform_data.y.id]")),
            "terraform_data.x unknown ");
}

TEST_F(InspectionTest, InstancesAreThoseOfTheState) {
  put(state_, "terraform_data.c[0]");
  put(state_, "terraform_data.c[2]");
  put(state_, "terraform_data.c");  // from before there was a count
  put(state_, "terraform_data.e[\"k\"]");
  const std::string text =
      "resource \"terraform_data\" \"c\" {\n  count = 1\n}\n"
      "resource \"terraform_data\" \"e\" {\n  for_each = toset([\"other\"])\n}\n";
  EXPECT_EQ(ids_of(value_in(text, "terraform_data.c[*].id")),
            "terraform_data.c[0] unknown terraform_data.c[2] ");
  EXPECT_EQ(ids_of(value_in(text, "keys(terraform_data.e)")), "k ");
  EXPECT_EQ(ids_of(value_in(text, "terraform_data.c[3]")), "error");
}

TEST_F(InspectionTest, RepeatedBlocksThatTheStateLacksAreUnknown) {
  EXPECT_EQ(
      ids_of(value_in("resource \"terraform_data\" \"c\" {\n  count = 1\n}\n", "terraform_data.c")),
      "unknown");
}

TEST_F(InspectionTest, OutputsOfModulesAreEvaluated) {
  put(state_, "module.m[\"a\"].terraform_data.x");
  write("./m",
        "resource \"terraform_data\" \"x\" {}\noutput \"o\" {\n  value = terraform_data.x.id\n}\n");
  EXPECT_EQ(ids_of(value_in("module \"m\" {\n  source = \"./m\"\n  for_each = toset([\"a\"])\n}\n",
                            "[for each in module.m : each.o]")),
            "module.m['a'].terraform_data.x ");
}

TEST_F(InspectionTest, AHugeKeyOfTheStateIsIgnored) {
  put(state_, "terraform_data.c[4611686018427387904]");
  EXPECT_EQ(
      ids_of(value_in("resource \"terraform_data\" \"c\" {\n  count = 1\n}\n", "terraform_data.c")),
      "");
}

TEST_F(InspectionTest, AMistakeIsToldAsValidateTellsIt) {
  for (const std::string expression :
       {"var.nope", "local.nope", "module.nope", "terraform_data.nope", "path.nope",
        "terraform.nope", "count.index", "count.nope", "each.key", "each.nope", "self.id"}) {
    diags_ = {};
    (void)value_in("", expression);
    ASSERT_EQ(diags_.size(), 1U) << expression;
    const diag::Diagnostic typed = diags_.items()[0];
    diags_ = {};
    (void)problems_of("output \"o\" {\n  value = " + expression + "\n}\n");
    ASSERT_EQ(diags_.size(), 1U) << expression;
    EXPECT_EQ(typed.summary, diags_.items()[0].summary);
    EXPECT_EQ(typed.detail, diags_.items()[0].detail);
  }
}

}  // namespace
}  // namespace tofu::engine

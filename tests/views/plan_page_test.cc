#include "views/plan_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "tests/views/plan_fixture.h"
#include "value/json.h"

namespace tofu::views {
namespace {

using plans::Action;
using testing::HasSubstr;
using testing::Not;

std::string page_of(const plans::Plan& plan, const PlanPageInput& facts = {}) {
  std::string text;
  write_plan_page(plan, schema::builtin_schemas(), facts,
                  [&](std::string_view piece) { text += piece; });
  return text;
}

// The JSON that the page's script reads.
std::string data_of(const std::string& page) {
  const std::string_view opening = "<script type=\"application/json\" id=\"plan\">";
  const std::size_t begin = page.find(opening) + opening.size();
  return page.substr(begin, page.find("</script>", begin) - begin);
}

plans::Plan plan_with_input(const Value& input) {
  plans::Plan plan;
  plan.applyable = true;
  plan.changes.push_back(
      data_change(plan, "a", Action::Create, no_object(),
                  data_object(Value::unknown(Type::string()), input, Value::unknown())));
  return plan;
}

TEST(PlanPage, HasTheTextOfEachChange) {
  const std::string data = data_of(page_of(plan_with_input(num(1))));
  EXPECT_THAT(data, HasSubstr(R"("summary":"Plan: 1 to add, 0 to change, 0 to destroy.")"));
  EXPECT_THAT(data, HasSubstr(R"("address":"terraform_data.a","module":"","action":"create")"));
  EXPECT_THAT(data, HasSubstr(R"(# terraform_data.a will be created\n)"));
  EXPECT_THAT(data, HasSubstr(R"(+ input  = 1\n)"));
}

TEST(PlanPage, DataIsValidJsonWhateverValuesHold) {
  const std::string data =
      data_of(page_of(plan_with_input(str("</script><!-- \xE2\x80\xA8 \"\\"))));
  EXPECT_THAT(data, HasSubstr(R"(\u003c/script\u003e\u003c!--)"));
  EXPECT_TRUE(value::parse_json(data));
}

TEST(PlanPage, LoadsNothing) {
  const std::string page = page_of(plan_with_input(num(1)));
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, Not(HasSubstr("src=\"")));
  EXPECT_THAT(page, Not(HasSubstr("url(")));
  EXPECT_THAT(page, Not(HasSubstr("<link")));
}

TEST(PlanPage, HasNoSensitiveValues) {
  plans::Plan plan = plan_with_input(str("hunter2").with_marks(value::Marks::sensitive()));
  plan.outputs.push_back({.name = "o",
                          .action = Action::Create,
                          .sensitive = true,
                          .before = Value::null(),
                          .after = str("hunter2")});
  const std::string page = page_of(plan);
  EXPECT_THAT(page, HasSubstr("(sensitive value)"));
  EXPECT_THAT(page, Not(HasSubstr("hunter2")));
}

TEST(PlanPage, HasNoCopiesOfSensitiveValues) {
  const Value secret = str("hunter2");
  const Value before = data_object(str("i"), secret.with_marks(value::Marks::sensitive()), secret);
  plans::Plan plan;
  plan.applyable = true;
  plan.changes.push_back(data_change(plan, "a", Action::Delete, before, no_object()));
  plan.changes.push_back(
      data_change(plan, "b", Action::Create, no_object(),
                  data_object(str("j"), Value::tuple({secret, str("open")}), Value::unknown())));
  plan.drift.push_back(
      data_change(plan, "a", Action::Update, before, data_object(str("i"), str("new"), secret)));
  plan.mode = plans::Mode::RefreshOnly;
  const std::string page = page_of(plan);
  EXPECT_THAT(page, HasSubstr("open"));
  EXPECT_THAT(page, Not(HasSubstr("hunter2")));
}

TEST(PlanPage, ChangesKnowTheirPlaceInTheGraph) {
  PlanPageInput facts;
  facts.graph.names = {"", "terraform_data.a"};
  facts.graph.waits.close();
  facts.graph.waits.edges = {0};
  facts.graph.waits.close();
  const std::string data = data_of(page_of(plan_with_input(num(1)), facts));
  EXPECT_THAT(data, HasSubstr(R"("node":1)"));
  EXPECT_THAT(data, HasSubstr(R"("graph":{"names":["","terraform_data.a"],"waits":[[],[0]]})"));
}

}  // namespace
}  // namespace tofu::views

#include "documents/json_ui.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "diag/source.h"
#include "tests/views/plan_fixture.h"

namespace tofu::documents {
namespace {

using plans::Action;
using plans::Event;
using std::chrono::seconds;
using views::data_address;
using views::str;

std::string json_of(const Event& event) {
  const diag::SourceMap sources;
  return json_ui_text(event, "2026-01-02T03:04:05.000000Z", sources);
}

const std::string kEnvelope = R"("@module":"tofu.ui","@timestamp":"2026-01-02T03:04:05.000000Z",)";

const plans::Subject kSubject{data_address("a")};
const plans::ObjectLabel kLabel{"id", "i-1"};

TEST(JsonUi, TellsOfAnActionWithItsResource) {
  EXPECT_EQ(
      json_of(plans::ApplyComplete{
          {data_address("a", addrs::InstanceKey("k"))}, Action::Create, kLabel, seconds(12)}),
      R"({"@level":"info","@message":"terraform_data.a[\"k\"]: Creation complete after 12s [id=i-1]",)" +
          kEnvelope +
          R"("hook":{"resource":{"addr":"terraform_data.a[\"k\"]","module":"",)"
          R"("resource":"terraform_data.a[\"k\"]","implied_provider":"terraform",)"
          R"("resource_type":"terraform_data","resource_name":"a","resource_key":"k"},)"
          R"("action":"create","id_key":"id","id_value":"i-1","elapsed_seconds":12},)"
          R"("type":"apply_complete"})"
          "\n");
}

TEST(JsonUi, APlannedChangeHasAWordForMovesAndImports) {
  plans::ChangeNotice notice;
  notice.address = data_address("a");
  notice.importing = plans::Importing{"i-1"};
  EXPECT_THAT(json_of(plans::ChangePlanned{notice}),
              testing::HasSubstr(R"("@message":"terraform_data.a: Plan to import")"));
  EXPECT_THAT(json_of(plans::ChangePlanned{notice}),
              testing::HasSubstr(
                  R"("action":"import","importing":{"id":"i-1"}},"type":"planned_change"})"));
  notice.previous = data_address("old");
  EXPECT_THAT(json_of(plans::ChangePlanned{notice}), testing::HasSubstr(R"(: Plan to move")"));
  notice.action = Action::DeleteThenCreate;
  notice.reason = plans::ActionReason::ReplaceBecauseTainted;
  EXPECT_THAT(json_of(plans::ChangePlanned{notice}),
              testing::HasSubstr(R"("action":"replace","reason":"tainted")"));
  EXPECT_THAT(json_of(plans::DriftFound{notice}),
              testing::HasSubstr("terraform_data.a: Drift detected (replace)\""));
}

TEST(JsonUi, TheSummaryCountsWithoutLayout) {
  EXPECT_EQ(
      json_of(plans::ChangeSummary{plans::Operation::Plan, {.add = 1, .destroy = 2}}),
      R"({"@level":"info","@message":"Plan: 1 to add, 0 to change, 2 to destroy.",)" + kEnvelope +
          R"("changes":{"add":1,"change":0,"import":0,"remove":2,"forget":0,"operation":"plan"},)"
          R"("type":"change_summary"})"
          "\n");
}

TEST(JsonUi, SensitiveOutputsHaveATypeAndNoValue) {
  EXPECT_EQ(json_of(plans::OutputsSaved{{{"s", str("hidden"), true}, {"a", str("<x>")}}}),
            R"({"@level":"info","@message":"Outputs: 2",)" + kEnvelope +
                R"("outputs":{"a":{"sensitive":false,"type":"string","value":"\u003cx\u003e"},)"
                R"("s":{"sensitive":true,"type":"string"}},"type":"outputs"})"
                "\n");
}

TEST(JsonUi, EachLineOfAProvisionerIsAMessage) {
  const std::string text = json_of(plans::ProvisionOutput{kSubject, "local-exec", "a\nb\n"});
  EXPECT_EQ(std::ranges::count(text, '\n'), 2);
  EXPECT_THAT(text,
              testing::HasSubstr(
                  R"("provisioner":"local-exec","output":"a"},"type":"provision_progress"})"));
}

TEST(JsonUi, EscapesWhatHtmlReadsInValuesOnly) {
  const std::string text =
      json_of(plans::RefreshStart{{data_address("a", addrs::InstanceKey("<k>"))}, {"id", "<i>"}});
  EXPECT_THAT(text, testing::HasSubstr(R"("addr":"terraform_data.a[\"<k>\"]")"));
  EXPECT_THAT(text, testing::HasSubstr(
                        R"("resource_key":"\u003ck\u003e"},"id_key":"id","id_value":"<i>"})"));
}

TEST(JsonUi, DiagnosticsKeepTheirLevel) {
  diag::Diagnostic diagnostic;
  diagnostic.severity = diag::Severity::Warning;
  diagnostic.summary = "Careful";
  EXPECT_THAT(json_of(plans::DiagnosticFound{diagnostic}),
              testing::HasSubstr(R"({"@level":"warn","@message":"Warning: Careful",)"));
}

}  // namespace
}  // namespace tofu::documents

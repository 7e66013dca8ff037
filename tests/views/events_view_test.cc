// Recorded lists of events, replayed to the views that take them.
#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "diag/source.h"
#include "tests/views/plan_fixture.h"
#include "views/apply_progress.h"
#include "views/json_ui.h"

namespace tofu::views {
namespace {

using plans::Action;
using plans::Event;
using std::chrono::seconds;

std::string replay(const std::vector<Event>& events, const ProgressOptions& options = {}) {
  std::string text;
  for (const Event& event : events) text += progress_text(event, options);
  return text;
}

std::string json_of(const Event& event) {
  const diag::SourceMap sources;
  return json_ui_text(event, "2026-01-02T03:04:05.000000Z", sources);
}

const std::string kEnvelope = R"("@module":"tofu.ui","@timestamp":"2026-01-02T03:04:05.000000Z",)";

const plans::Subject kSubject{data_address("a")};
const plans::ObjectLabel kLabel{"id", "i-1"};

std::vector<Event> apply_run() {
  return {
      plans::RefreshStart{kSubject, kLabel},
      plans::RefreshComplete{kSubject, kLabel},
      plans::ApplyStart{{data_address("a"), "12345678"}, Action::Delete, kLabel},
      plans::ApplyProgress{kSubject, Action::Delete, kLabel, seconds(70)},
      plans::ApplyComplete{{data_address("a"), "12345678"}, Action::Delete, {}, seconds(3725)},
      plans::ApplyStart{kSubject, Action::Create, {}},
      plans::ProvisionStart{kSubject, "local-exec"},
      plans::ProvisionOutput{kSubject, "local-exec", "one  \n\ntwo\r\n"},
      plans::ProvisionComplete{kSubject, "local-exec"},
      plans::ApplyComplete{kSubject, Action::Create, kLabel, seconds(0)},
      plans::ApplyErrored{kSubject, Action::Update, seconds(1)},
      plans::ChangeSummary{plans::Operation::Apply, {.add = 1, .destroy = 1}},
      plans::OutputsSaved{{{"z", str("x")}, {"secret", str("hidden"), true}}},
  };
}

TEST(ApplyProgress, TellsARunInLines) {
  EXPECT_EQ(replay(apply_run()),
            "terraform_data.a: Refreshing state... [id=i-1]\n"
            "terraform_data.a (deposed object 12345678): Destroying... [id=i-1]\n"
            "terraform_data.a: Still destroying... [id=i-1, 1m10s elapsed]\n"
            "terraform_data.a: Destruction complete after 1h2m5s\n"
            "terraform_data.a: Creating...\n"
            "terraform_data.a: Provisioning with 'local-exec'...\n"
            "terraform_data.a (local-exec): one\n"
            "terraform_data.a (local-exec): two\n"
            "terraform_data.a: Creation complete after 0s [id=i-1]\n"
            "\n"
            "Apply complete! Resources: 1 added, 0 changed, 1 destroyed.\n"
            "\n"
            "Outputs:\n"
            "\n"
            "secret = <sensitive>\n"
            "z = \"x\"\n");
}

TEST(ApplyProgress, ConciseLeavesOnlyTheEnd) {
  EXPECT_TRUE(replay(apply_run(), {.concise = true}).starts_with("\nApply complete!"));
}

TEST(ApplyProgress, TellsOfImportsAndEphemeralResources) {
  const plans::Importing by_identity{"", Value::object({{"region", str("eu")}})};
  EXPECT_EQ(replay({
                plans::ImportProgress{kSubject, plans::ImportStep::Preparing, {"i-1"}},
                plans::ImportProgress{kSubject, plans::ImportStep::Importing, by_identity},
                plans::ImportProgress{kSubject, plans::ImportStep::Complete, {"i-1"}},
                plans::EphemeralStart{kSubject, plans::EphemeralStep::Open},
                plans::EphemeralProgress{kSubject, plans::EphemeralStep::Renew, seconds(10)},
                plans::EphemeralComplete{kSubject, plans::EphemeralStep::Close, seconds(1)},
                plans::EphemeralDeferred{kSubject, plans::DeferReason::UnknownConfig},
                plans::EphemeralDeferred{kSubject, plans::DeferReason::PendingDependencies},
            }),
            "terraform_data.a: Preparing import... [id=i-1]\n"
            "terraform_data.a: Importing... [region=eu]\n"
            "terraform_data.a: Import complete [id=i-1]\n"
            "terraform_data.a: Opening...\n"
            "terraform_data.a: Still renewing... [10s elapsed]\n"
            "terraform_data.a: Close complete after 1s\n"
            "terraform_data.a: Deferred due to unknown configuration\n"
            "terraform_data.a: Deferred due to pending dependencies\n");
}

TEST(ApplyProgress, ShortensALongIdInTheMiddle) {
  const plans::ObjectLabel label{"id", std::string(50, 'a') + std::string(50, 'b')};
  EXPECT_EQ(replay({plans::ApplyProgress{kSubject, Action::Create, label, seconds(10)}}),
            "terraform_data.a: Still creating... [id=" + std::string(39, 'a') + "..." +
                std::string(38, 'b') + ", 10s elapsed]\n");
}

TEST(ApplyProgress, SaysNothingOfWhatStaysAsItIs) {
  EXPECT_EQ(replay({plans::ApplyStart{kSubject, Action::NoOp, {}},
                    plans::ApplyComplete{kSubject, Action::NoOp, {}, seconds(0)}}),
            "");
}

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
}  // namespace tofu::views

#include "views/apply_progress.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/views/plan_fixture.h"

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

}  // namespace
}  // namespace tofu::views

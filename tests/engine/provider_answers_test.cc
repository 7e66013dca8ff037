// What a run makes of answers that a provider may not give: each kind is refused, and nothing
// that exists is lost.
#include <atomic>
#include <gmock/gmock.h>

#include "tests/engine/run_fixture.h"
#include "value/number.h"

namespace tofu::engine {
namespace {

using providers::ApplyAnswer;
using providers::ApplyRequest;
using providers::PlanAnswer;
using providers::PlanRequest;
using providers::with_attribute;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using value::Type;
using value::Value;

class ProviderAnswers : public EngineRun {
 protected:
  static std::string thing(std::string_view rest = {}) {
    return fmt::format("resource \"mock_thing\" \"a\" {{\n  name = \"a\"\n  {}\n}}\n", rest);
  }
  // The one thing that is wrong with the plan of `thing(rest)`.
  std::string problem_of_plan(std::string_view rest = {}) {
    plan(thing(rest));
    return only_problem();
  }
  std::string problem_of_apply(std::string_view rest = {}) {
    plan(thing(rest));
    EXPECT_THAT(shown(), IsEmpty());
    apply();
    return only_problem();
  }
  std::string only_problem() const {
    const auto all = shown();
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? "" : all[0];
  }
  void planning(std::function<void(const PlanRequest&, PlanAnswer&)> edit) {
    cloud_.script.plan = [edit](const PlanRequest& request, PlanAnswer& answer) {
      if (!request.proposed.is_null()) edit(request, answer);
    };
  }
  void applying(std::function<void(const ApplyRequest&, ApplyAnswer&)> edit) {
    cloud_.script.apply = std::move(edit);
  }
};

INSTANTIATE_TEST_SUITE_P(Schedules, ProviderAnswers, ::testing::ValuesIn(kSchedules));

constexpr const char* kInvalidPlan = "- Provider produced invalid plan";
constexpr const char* kInvalidObject = "- Provider produced invalid object";
constexpr const char* kWriteOnly = "- Write-only attribute has a value";
constexpr const char* kInvalidResult = "- Provider returned invalid result object after apply";
constexpr const char* kResultOfAnotherType =
    "main.tf:1 Provider returned invalid result object after apply";
constexpr const char* kInconsistentResult = "- Provider produced inconsistent result after apply";
constexpr const char* kInconsistentPlan = "- Provider produced inconsistent final plan";

TEST_P(ProviderAnswers, AProblemOfAProviderWithoutABlockHasNoPlace) {
  cloud_.script.configure = [](const Value&, providers::Answer& answer) {
    answer.problems.push_back({diag::Severity::Error, "No token", "Set one.", {}});
  };
  plan(thing());
  ASSERT_EQ(diags_.error_count(), 1U);
  EXPECT_EQ(diags_.items()[0].summary, "No token");
  EXPECT_FALSE(diags_.items()[0].subject);
}

TEST_P(ProviderAnswers, APlanOfAnotherTypeIsRefused) {
  planning([](const PlanRequest&, PlanAnswer& answer) { answer.planned = Value::string("no"); });
  EXPECT_EQ(problem_of_plan(), kInvalidPlan);
  EXPECT_THAT(changes(), IsEmpty());
}

TEST_P(ProviderAnswers, APlanCannotChangeWhatTheConfigurationSays) {
  planning([](const PlanRequest&, PlanAnswer& answer) {
    answer.planned = with_attribute(answer.planned, "name", Value::string("other"));
  });
  EXPECT_EQ(problem_of_plan(), kInvalidPlan);
}

TEST_P(ProviderAnswers, APlanCannotSetWhatIsNeitherSetNorComputed) {
  planning([](const PlanRequest&, PlanAnswer& answer) {
    answer.planned = with_attribute(answer.planned, "old_name", Value::string("x"));
  });
  EXPECT_EQ(problem_of_plan(), kInvalidPlan);
}

TEST_P(ProviderAnswers, APlanCannotHaveAWriteOnlyValue) {
  planning([](const PlanRequest& request, PlanAnswer& answer) {
    answer.planned = with_attribute(answer.planned, "token", *request.config.plain().find("token"));
  });
  EXPECT_EQ(problem_of_plan("token = \"hush\""), kWriteOnly);
}

TEST_P(ProviderAnswers, APlanThatAStateCannotHoldIsRefused) {
  planning([](const PlanRequest&, PlanAnswer& answer) {
    answer.legacy_types = true;
    answer.planned =
        with_attribute(answer.planned, "ports",
                       Value::set(Type::number(), {Value::number(value::Number::infinity())}));
  });
  EXPECT_THAT(problem_of_plan(), HasSubstr("Object cannot be stored"));
  EXPECT_THAT(changes(), IsEmpty());
}

TEST_P(ProviderAnswers, APlanOfNothingForSomethingIsRefused) {
  planning([](const PlanRequest& request, PlanAnswer& answer) {
    answer.planned = Value::null(request.proposed.type());
  });
  EXPECT_EQ(problem_of_plan(), kInvalidPlan);
}

TEST_P(ProviderAnswers, APlanOfSomethingForNothingIsRefused) {
  make(thing());
  cloud_.script.plan = [](const PlanRequest& request, PlanAnswer& answer) {
    if (request.proposed.is_null()) answer.planned = request.prior;
  };
  plan_destroy(thing());
  EXPECT_EQ(only_problem(), kInvalidPlan);
}

TEST_P(ProviderAnswers, WhatRequiresReplacementHasToExist) {
  make(thing());
  planning([](const PlanRequest&, PlanAnswer& answer) {
    answer.requires_replace = {value::Path().with_attribute("nowhere")};
  });
  EXPECT_EQ(problem_of_plan("labels = { k = \"v\" }"), kInvalidPlan);
  // Of a new object it means nothing.
  state_ = {};
  plan(thing());
  EXPECT_THAT(shown(), IsEmpty());
}

TEST_P(ProviderAnswers, WhatRequiresReplacementAndDidNotChangeIsNoReason) {
  make(thing("zone = \"x\""));
  planning([](const PlanRequest&, PlanAnswer& answer) {
    answer.requires_replace = {value::Path().with_attribute("zone")};
  });
  plan(thing("zone = \"x\"\n  labels = { k = \"v\" }"));
  EXPECT_THAT(changes(), ElementsAre("update mock_thing.a"));
}

TEST_P(ProviderAnswers, TheLegacyTypeSystemMayPlanWhatItLikes) {
  planning([](const PlanRequest&, PlanAnswer& answer) {
    answer.legacy_types = true;
    answer.planned = with_attribute(answer.planned, "old_name", Value::string("x"));
  });
  plan(thing());
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_EQ(after("mock_thing.a", "old_name"), "x");
}

TEST_P(ProviderAnswers, TheLegacyTypeSystemCannotUndoIgnoredChanges) {
  make(thing("old_name = \"x\""));
  planning([](const PlanRequest&, PlanAnswer& answer) {
    answer.legacy_types = true;
    answer.planned = with_attribute(answer.planned, "old_name", Value::string("hashed"));
  });
  plan(thing("old_name = \"y\"\n  lifecycle { ignore_changes = [old_name] }"));
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(changes(), IsEmpty());
}

TEST_P(ProviderAnswers, ARefusalToPlanIsReportedAtTheAttribute) {
  planning([](const PlanRequest&, PlanAnswer& answer) {
    answer.problems.push_back({diag::Severity::Error, "Bad name", "Choose another.",
                               value::Path().with_attribute("name")});
  });
  EXPECT_EQ(problem_of_plan(), "main.tf:2 Bad name");
}

TEST_P(ProviderAnswers, AWarningIsReportedOnce) {
  make(thing("zone = \"x\""));
  planning([](const PlanRequest&, PlanAnswer& answer) {
    answer.problems.push_back({diag::Severity::Warning, "Think again", "Really?", value::Path()});
  });
  EXPECT_THAT(problem_of_plan("zone = \"y\""), HasSubstr("Think again"))
      << "although a replacement is planned twice";
  EXPECT_FALSE(planned_->plan.errored);
}

TEST_P(ProviderAnswers, AnInvalidConfigurationIsNotPlanned) {
  cloud_.script.validate = [](const Value&, providers::Answer& answer) {
    answer.problems.push_back(providers::problem("Not valid", "Not like this."));
  };
  EXPECT_THAT(problem_of_plan(), HasSubstr("Not valid"));
  EXPECT_THAT(calls("plan"), IsEmpty());
}

TEST_P(ProviderAnswers, AProviderThatCannotBeConfiguredIsNotAskedAnythingElse) {
  cloud_.fail("configure");
  EXPECT_THAT(problem_of_plan(), HasSubstr("Mock failure"));
  EXPECT_THAT(calls("plan"), IsEmpty());
}

TEST_P(ProviderAnswers, AnObjectOfAnotherTypeIsRefusedWhenItIsRead) {
  make(thing());
  cloud_.script.read = [](const providers::ReadRequest&, providers::ReadAnswer& answer) {
    answer.object = Value::string("no");
  };
  EXPECT_EQ(problem_of_plan(), kInvalidObject);
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a"));
}

TEST_P(ProviderAnswers, AFailureToReadEndsThePlanOfTheInstance) {
  make(thing());
  cloud_.fail("read mock_thing id-1");
  EXPECT_THAT(problem_of_plan(), HasSubstr("Mock failure"));
  EXPECT_THAT(changes(), IsEmpty());
}

TEST_P(ProviderAnswers, DataOfAnotherTypeOrUnknownOrNoneIsRefused) {
  const char* text = "data \"mock_list\" \"l\" { prefix = \"a\" }\n";
  cloud_.script.data = [](const providers::DataRequest&, providers::DataAnswer& answer) {
    answer.object = Value::string("no");
  };
  plan(text);
  EXPECT_EQ(only_problem(), kInvalidObject);
  cloud_.script.data = [](const providers::DataRequest& request, providers::DataAnswer& answer) {
    answer.object =
        with_attribute(request.config, "ids", Value::unknown(Type::list(Type::string())));
  };
  plan(text);
  EXPECT_EQ(only_problem(), kInvalidObject);
  cloud_.script.data = [](const providers::DataRequest& request, providers::DataAnswer& answer) {
    answer.object = Value::null(request.config.type());
  };
  plan(text);
  EXPECT_EQ(only_problem(), "- Provider produced null object");
}

TEST_P(ProviderAnswers, AResultOfAnotherTypeLosesNothing) {
  applying([](const ApplyRequest&, ApplyAnswer& answer) { answer.object = Value::string("no"); });
  EXPECT_EQ(problem_of_apply(), kResultOfAnotherType);
  EXPECT_THAT(objects(), IsEmpty()) << "nothing is known of it";

  cloud_.script.apply = {};
  make(thing());
  applying([](const ApplyRequest&, ApplyAnswer& answer) { answer.object = Value::string("no"); });
  EXPECT_EQ(problem_of_apply("labels = { k = \"v\" }"), kResultOfAnotherType);
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a")) << "as it was before";
}

TEST_P(ProviderAnswers, WhatIsStillUnknownIsKeptAsNull) {
  applying([](const ApplyRequest&, ApplyAnswer& answer) {
    answer.object = with_attribute(answer.object, "zone", Value::unknown(Type::string()));
  });
  EXPECT_EQ(problem_of_apply(), kInvalidResult);
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a tainted"));
  EXPECT_THAT(std::string(object("mock_thing.a")->attributes()), HasSubstr("\"zone\":null"));
}

TEST_P(ProviderAnswers, AResultThatIsNotAsPlannedIsKeptAndReported) {
  applying([](const ApplyRequest&, ApplyAnswer& answer) {
    answer.object = with_attribute(answer.object, "name", Value::string("other"));
  });
  EXPECT_EQ(problem_of_apply(), kInconsistentResult);
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a other tainted"));
}

TEST_P(ProviderAnswers, TheLegacyTypeSystemMayMakeSomethingElse) {
  applying([](const ApplyRequest&, ApplyAnswer& answer) {
    answer.legacy_types = true;
    answer.object = with_attribute(answer.object, "name", Value::string("other"));
  });
  plan(thing());
  apply();
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a other"));
}

TEST_P(ProviderAnswers, AResultCannotHaveAWriteOnlyValue) {
  applying([](const ApplyRequest& request, ApplyAnswer& answer) {
    answer.object = with_attribute(answer.object, "token", *request.config.plain().find("token"));
  });
  EXPECT_EQ(problem_of_apply("token = \"hush\""), kWriteOnly);
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a tainted"));
  ASSERT_NE(object("mock_thing.a"), nullptr);
  EXPECT_THAT(std::string(object("mock_thing.a")->attributes()), ::testing::Not(HasSubstr("hush")));
}

TEST_P(ProviderAnswers, AnObjectThatIsReadCannotHaveAWriteOnlyValue) {
  make(thing());
  cloud_.script.read = [](const providers::ReadRequest&, providers::ReadAnswer& answer) {
    answer.object = with_attribute(answer.object, "token", Value::string("hush"));
  };
  EXPECT_EQ(problem_of_plan(), kWriteOnly);
}

TEST_P(ProviderAnswers, NothingWhereSomethingWasMadeIsRefused) {
  applying([](const ApplyRequest& request, ApplyAnswer& answer) {
    answer.object = Value::null(request.planned.type());
  });
  EXPECT_EQ(problem_of_apply(), kInconsistentResult);
  EXPECT_THAT(objects(), IsEmpty());
}

TEST_P(ProviderAnswers, SomethingWhereNothingShouldBeIsKept) {
  make(thing());
  applying([](const ApplyRequest& request, ApplyAnswer& answer) {
    if (request.planned.is_null()) answer.object = request.prior;
  });
  plan_destroy(thing());
  apply();
  EXPECT_EQ(only_problem(), kInvalidResult);
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a"));
}

TEST_P(ProviderAnswers, AFinalPlanHasToBeThePlanThatWasApproved) {
  std::atomic<int> asked = 0;
  planning([&](const PlanRequest&, PlanAnswer& answer) {
    if (++asked == 2) answer.planned = with_attribute(answer.planned, "zone", Value::string("z"));
  });
  EXPECT_EQ((plan(thing("zone = \"x\"")), apply(), shown().size()), 1U);
  EXPECT_EQ(shown()[0], kInvalidPlan) << "the configuration says otherwise";
  EXPECT_THAT(calls("apply"), IsEmpty());
}

TEST_P(ProviderAnswers, AFinalPlanCannotTakeBackAKnownValue) {
  std::atomic<int> asked = 0;
  planning([&](const PlanRequest&, PlanAnswer& answer) {
    answer.planned =
        with_attribute(answer.planned, "zone", Value::string(++asked == 1 ? "first" : "second"));
  });
  EXPECT_EQ(problem_of_apply(), kInconsistentPlan);
  EXPECT_THAT(calls("apply"), IsEmpty());
  EXPECT_THAT(objects(), IsEmpty());
}

TEST_P(ProviderAnswers, AFinalPlanMayDecideWhatWasUnknown) {
  std::atomic<int> asked = 0;
  planning([&](const PlanRequest&, PlanAnswer& answer) {
    if (++asked == 2) answer.planned = with_attribute(answer.planned, "zone", Value::string("now"));
  });
  plan(thing());
  apply();
  EXPECT_THAT(shown(), IsEmpty());
}

TEST_P(ProviderAnswers, AFinalPlanCannotReplaceWhatWasToBeUpdated) {
  const std::string other = "resource \"mock_thing\" \"b\" { name = \"b\" }\n";
  make(thing("zone = \"x\"") + other);
  std::atomic<bool> applies = false;
  planning([&](const PlanRequest& request, PlanAnswer& answer) {
    if (applies && !request.prior.is_null()) {
      answer.requires_replace = {value::Path().with_attribute("labels")};
    }
  });
  plan(thing("zone = \"x\"\n  labels = { k = \"v\" }") + other);
  EXPECT_THAT(changes(), ElementsAre("update mock_thing.a"));
  applies = true;
  apply();
  EXPECT_EQ(only_problem(), kInconsistentPlan);
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a", "mock_thing.b b"));
}

TEST_P(ProviderAnswers, AnImportOfSeveralOrOfAnotherTypeIsRefused) {
  make(thing());
  const Value imported = cloud_.things().begin()->second;
  state_ = {};
  const std::string text = "import {\n  to = mock_thing.a\n  id = \"id-1\"\n}\n" + thing();
  cloud_.script.import = [&](const providers::ImportRequest&, providers::ImportAnswer& answer) {
    answer.objects.push_back(answer.objects[0]);
  };
  plan(text);
  EXPECT_EQ(only_problem(), "- Unexpected number of imported objects");
  cloud_.script.import = [&](const providers::ImportRequest&, providers::ImportAnswer& answer) {
    answer.objects[0].object = Value::string("no");
  };
  plan(text);
  EXPECT_EQ(only_problem(), kInvalidObject);
  cloud_.script.import = [&](const providers::ImportRequest&, providers::ImportAnswer& answer) {
    answer.objects[0].type = "mock_item";
  };
  plan(text);
  EXPECT_EQ(only_problem(), "- Invalid import response");
}

TEST_P(ProviderAnswers, AMoveThatFailsOrIsOfAnotherTypeIsRefused) {
  make(thing());
  const std::string text =
      "resource \"mock_item\" \"b\" { name = \"a\" }\n"
      "moved {\n  from = mock_thing.a\n  to = mock_item.b\n}\n";
  cloud_.script.move = [](const providers::MoveRequest&, providers::MoveAnswer& answer) {
    answer.object = Value::string("no");
  };
  plan(text);
  EXPECT_EQ(only_problem(), kInvalidObject);
  cloud_.fail("move mock_thing mock_item");
  plan(text);
  EXPECT_THAT(only_problem(), HasSubstr("Mock failure"));
}

TEST_P(ProviderAnswers, ErrorsDoNotShowWhatTheAuthorMadeSensitive) {
  const std::string text =
      "variable \"secret\" { sensitive = true }\n" + thing("zone = var.secret");
  variables_["secret"] = Value::string("hunter2");
  planning([](const PlanRequest&, PlanAnswer& answer) {
    answer.planned = with_attribute(answer.planned, "zone", Value::string("planned"));
  });
  plan(text);
  EXPECT_EQ(only_problem(), kInvalidPlan);
  EXPECT_THAT(diags_.items()[0].detail, Not(HasSubstr("hunter2")));
  cloud_.script.plan = {};
  plan(text);
  EXPECT_THAT(shown(), IsEmpty());
  applying([](const ApplyRequest&, ApplyAnswer& answer) {
    answer.object = with_attribute(answer.object, "zone", Value::string("applied"));
  });
  apply();
  EXPECT_EQ(only_problem(), kInconsistentResult);
  EXPECT_THAT(diags_.items()[0].detail, Not(HasSubstr("hunter2")));
}

}  // namespace
}  // namespace tofu::engine

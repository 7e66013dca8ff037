// What is planned for what the state has and the configuration says, on a mock provider.
#include <algorithm>
#include <gmock/gmock.h>

#include "tests/engine/run_fixture.h"

namespace tofu::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using value::Value;

class PlanRun : public EngineRun {
 protected:
  static std::string thing(std::string_view name, std::string_view rest = {}) {
    return fmt::format("resource \"mock_thing\" \"{0}\" {{\n  name = \"{0}\"\n  {1}\n}}\n", name,
                       rest);
  }
  // Changes an attribute of the thing with this name from outside.
  void change_outside(std::string_view name, std::string_view attribute, std::string_view text) {
    for (const auto& [id, thing] : cloud_.things()) {
      if (providers::text_of(thing, "name") != name) continue;
      cloud_.put(id, providers::with_attribute(thing, attribute, Value::string(text)));
    }
  }
  void remove_outside(std::string_view name) {
    for (const auto& [id, thing] : cloud_.things()) {
      if (providers::text_of(thing, "name") == name) cloud_.remove(id);
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Schedules, PlanRun, ::testing::ValuesIn(kSchedules));

TEST_P(PlanRun, WhatIsNotThereIsCreatedAndWhatIsAsItShouldBeStays) {
  plan(thing("a"));
  EXPECT_THAT(changes(), ElementsAre("create mock_thing.a"));
  EXPECT_TRUE(planned_->plan.applyable);
  EXPECT_EQ(after("mock_thing.a", "id"), "(unknown)");
  EXPECT_THAT(outside(), IsEmpty()) << "planning changes nothing";
  apply();
  plan(thing("a"));
  EXPECT_THAT(changes(), IsEmpty());
  EXPECT_FALSE(planned_->plan.applyable);
}

TEST_P(PlanRun, AChangedArgumentIsAnUpdateOrAReplacement) {
  make(thing("a", "zone = \"x\""));
  plan(thing("a", "zone = \"x\"\n  labels = { k = \"v\" }"));
  EXPECT_THAT(changes(), ElementsAre("update mock_thing.a"));
  plan(thing("a", "zone = \"y\""));
  EXPECT_THAT(changes(), ElementsAre("replace mock_thing.a (replace_because_cannot_update)"));
  EXPECT_EQ(after("mock_thing.a", "id"), "(unknown)");
  EXPECT_THAT(change("mock_thing.a")->details->replace_paths,
              ElementsAre(value::Path().with_attribute("zone")));
}

TEST_P(PlanRun, CreatingFirstSpreadsToWhatIsNeeded) {
  const auto text = [&](std::string_view zone) {
    return thing("a", fmt::format("zone = \"{}\"", zone)) +
           thing("b", "labels = { a = mock_thing.a.id }") +
           thing("c",
                 "labels = { b = mock_thing.b.id }\n  lifecycle { create_before_destroy = true }");
  };
  make(text("x"));
  plan(text("y"));
  EXPECT_THAT(changes(),
              ElementsAre("replace, creating first, mock_thing.a (replace_because_cannot_update)",
                          "update mock_thing.b"));
}

TEST_P(PlanRun, IgnoredChangesAreNone) {
  make(thing("a", "zone = \"x\"\n  labels = { k = \"1\", l = \"1\" }"));
  plan(thing("a",
             "zone = \"y\"\n  labels = { k = \"2\", l = \"1\" }\n"
             "  lifecycle { ignore_changes = [zone, labels[\"k\"]] }"));
  EXPECT_THAT(changes(), IsEmpty());
  plan(thing("a",
             "zone = \"y\"\n  labels = { k = \"2\", l = \"2\" }\n"
             "  lifecycle { ignore_changes = [zone, labels[\"k\"]] }"));
  EXPECT_THAT(changes(), ElementsAre("update mock_thing.a"));
  plan(thing("a", "zone = \"z\"\n  lifecycle { ignore_changes = all }"));
  EXPECT_THAT(changes(), IsEmpty());
}

TEST_P(PlanRun, AReplacementCanBeTriggeredByAnotherResource) {
  const auto text = [&](std::string_view labels, std::string_view trigger) {
    return thing("a", fmt::format("zone = \"x\"\n  labels = {{ k = \"{}\" }}", labels)) +
           thing("b", fmt::format("lifecycle {{ replace_triggered_by = [{}] }}", trigger));
  };
  make(text("1", "mock_thing.a"));
  plan(text("2", "mock_thing.a"));
  EXPECT_THAT(changes(),
              ElementsAre("replace mock_thing.b (replace_by_triggers)", "update mock_thing.a"));
  plan(text("2", "mock_thing.a.labels"));
  EXPECT_THAT(changes(),
              ElementsAre("replace mock_thing.b (replace_by_triggers)", "update mock_thing.a"));
  plan(text("2", "mock_thing.a.zone"));
  EXPECT_THAT(changes(), ElementsAre("update mock_thing.a"));
  plan(text("1", "mock_thing.a"));
  EXPECT_THAT(changes(), IsEmpty());
}

TEST_P(PlanRun, AnInstanceThatGoesTriggersNoReplacement) {
  const auto text = [&](int count) {
    return fmt::format("resource \"mock_thing\" \"a\" {{\n  count = {}\n  name = \"a\"\n}}\n",
                       count) +
           thing("b", "lifecycle { replace_triggered_by = [mock_thing.a[1]] }");
  };
  make(text(2));
  plan(text(1));
  EXPECT_THAT(changes(), ElementsAre("delete mock_thing.a[1] (delete_because_count_index)"));
  apply();
  plan(text(1));
  EXPECT_THAT(shown(), ElementsAre("main.tf:7 Reference to missing resource instance"));
}

TEST_P(PlanRun, PreventDestroyRefusesPlansThatDestroy) {
  const std::string kept = "lifecycle { prevent_destroy = true }";
  make(thing("a", "zone = \"x\"\n  " + kept));
  plan(thing("a", "zone = \"y\"\n  " + kept));
  EXPECT_THAT(shown(), ElementsAre("main.tf:1 Resource instance cannot be destroyed"));
  EXPECT_TRUE(planned_->plan.errored);
  EXPECT_FALSE(planned_->plan.applyable);
  plan_destroy(thing("a", "zone = \"x\"\n  " + kept));
  EXPECT_THAT(shown(), ElementsAre("main.tf:1 Resource instance cannot be destroyed"));
  plan(thing("a", "zone = \"x\"\n  labels = {}\n  " + kept));
  EXPECT_THAT(shown(), IsEmpty());
}

TEST_P(PlanRun, PreventDestroyAllowsReplacingWhatIsLeftAlone) {
  const std::string kept = "lifecycle {\n    prevent_destroy = true\n    destroy = false\n  }";
  make(thing("a", "zone = \"x\"\n  " + kept));
  plan(thing("a", "zone = \"y\"\n  " + kept));
  EXPECT_THAT(shown(), IsEmpty());
  plan_destroy(thing("a", "zone = \"x\"\n  " + kept));
  EXPECT_THAT(shown(), IsEmpty());
}

TEST_P(PlanRun, WhatIsNotDeclaredIsDeletedForAReason) {
  make(thing("a") + thing("b", "count = 3") + thing("c", "for_each = toset([\"k\", \"l\"])") +
       thing("d", "lifecycle { enabled = true }") + thing("e"));
  plan(thing("b", "count = 1") + thing("c", "for_each = toset([\"l\"])") +
       thing("d", "lifecycle { enabled = false }") + thing("e", "count = 2"));
  EXPECT_THAT(changes(), ElementsAre("create mock_thing.e[1]",
                                     "delete mock_thing.a (delete_because_no_resource_config)",
                                     "delete mock_thing.b[1] (delete_because_count_index)",
                                     "delete mock_thing.b[2] (delete_because_count_index)",
                                     "delete mock_thing.c[\"k\"] (delete_because_each_key)",
                                     "delete mock_thing.d (delete_because_enabled_false)",
                                     "keep mock_thing.e[0] from mock_thing.e"));
}

TEST_P(PlanRun, AskedReplacementsAndTaintedObjectsAreReplaced) {
  make(thing("a") + thing("b"));
  PlanOptions options;
  options.replace = {instance("mock_thing.a")};
  plan(thing("a") + thing("b"), options);
  EXPECT_THAT(changes(), ElementsAre("replace mock_thing.a (replace_by_request)"));

  state::ObjectFields fields = object("mock_thing.b")->fields();
  fields.status = state::ObjectStatus::Tainted;
  const state::Resource* resource = state_.resource(addrs::resource_of(instance("mock_thing.b")));
  state_.set_object(instance("mock_thing.b"), "", state::Object(fields),
                    {resource->provider(), {}});
  plan(thing("a") + thing("b"));
  EXPECT_THAT(changes(), ElementsAre("replace mock_thing.b (replace_because_tainted)"));
}

TEST_P(PlanRun, DriftIsFoundAndPutRight) {
  make(thing("a", "zone = \"x\"") + thing("b"));
  change_outside("a", "zone", "elsewhere");
  remove_outside("b");
  plan(thing("a", "zone = \"x\"") + thing("b"));
  EXPECT_THAT(drift(), ElementsAre("delete mock_thing.b", "update mock_thing.a"));
  EXPECT_THAT(changes(), ElementsAre("create mock_thing.b",
                                     "replace mock_thing.a (replace_because_cannot_update)"));
  EXPECT_EQ(planned_->previous.object(instance("mock_thing.b"))->attributes(),
            object("mock_thing.b")->attributes());
  EXPECT_EQ(planned_->prior.object(instance("mock_thing.b")), nullptr);
}

TEST_P(PlanRun, DriftIsFoundAlsoWhereArgumentsFail) {
  make(thing("a", "zone = \"x\"") + thing("b"));
  change_outside("a", "zone", "elsewhere");
  plan(thing("a", "zone = tostring(tonumber(mock_thing.b.name))") + thing("b"));
  EXPECT_TRUE(planned_->plan.errored);
  EXPECT_THAT(drift(), ElementsAre("update mock_thing.a"));
  EXPECT_NE(planned_->prior.object(instance("mock_thing.a"))->attributes(),
            object("mock_thing.a")->attributes());
}

TEST_P(PlanRun, OnlyProvidersOfWhatIsDestroyedAreConfigured) {
  const std::string text = R"(
    resource "mock_thing" "a" {
      for_each = toset(["k"])
      name     = each.key
    }
    provider "mock" {
      alias  = "other"
      region = mock_thing.a["k"].name
    }
    resource "mock_item" "i" {
      provider = mock.other
    }
  )";
  plan_destroy(text);
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(calls("configure"), IsEmpty());
  make(text);
  plan_destroy(text);
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(changes(), ElementsAre("delete mock_item.i", "delete mock_thing.a[\"k\"]"));
}

TEST_P(PlanRun, WhatIsNotDestroyedNeedsNoProvider) {
  make(thing("a") + "provider \"mock\" { alias = \"other\" }\n" +
       "resource \"mock_item\" \"i\" { provider = mock.other }\n");
  diag::Diagnostics none;
  PlanOptions options;
  options.mode = plans::Mode::Destroy;
  options.targets = {*addrs::parse_text("mock_thing.a", addrs::parse_target, none)};
  options.refresh = false;
  plan("", options);
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(changes(), ElementsAre("delete mock_thing.a"));
}

TEST_P(PlanRun, WhatBecameOfALeftoverIsNoDrift) {
  make(thing("a", "zone = \"x\""));
  const state::Resource* resource = state_.resource(addrs::resource_of(instance("mock_thing.a")));
  state_.set_object(instance("mock_thing.a"), "00000001", *object("mock_thing.a"),
                    {resource->provider(), {}});
  change_outside("a", "zone", "elsewhere");
  plan(thing("a", "zone = \"elsewhere\""));
  EXPECT_THAT(drift(), ElementsAre("update mock_thing.a"));
  EXPECT_THAT(changes(), ElementsAre("delete mock_thing.a deposed"));
}

TEST_P(PlanRun, DriftHasTheIdentitiesOfItsObject) {
  const auto identity = [](std::string_view text) {
    return Value::object({{"arn", Value::string(text)}});
  };
  cloud_.script.apply = [&](const providers::ApplyRequest&, providers::ApplyAnswer& answer) {
    answer.identity = identity("made");
  };
  cloud_.script.read = [&](const providers::ReadRequest&, providers::ReadAnswer& answer) {
    answer.identity = identity("read");
  };
  make(thing("a", "zone = \"x\""));
  change_outside("a", "zone", "elsewhere");
  plan(thing("a", "zone = \"x\""));
  ASSERT_THAT(drift(), ElementsAre("update mock_thing.a"));
  const plans::ChangeDetails* details = planned_->plan.drift[0].details.get();
  ASSERT_NE(details, nullptr);
  EXPECT_EQ(providers::text_of(details->identity_before, "arn"), "made");
  EXPECT_EQ(providers::text_of(details->identity_after, "arn"), "read");
  remove_outside("a");
  plan(thing("a", "zone = \"x\""));
  ASSERT_THAT(drift(), ElementsAre("delete mock_thing.a"));
  EXPECT_TRUE(planned_->plan.drift[0].details->identity_after.is_null());
}

TEST_P(PlanRun, WithoutRefreshTheStateIsBelieved) {
  make(thing("a", "zone = \"x\""));
  change_outside("a", "zone", "elsewhere");
  PlanOptions options;
  options.refresh = false;
  const std::size_t reads = calls("read mock_thing").size();
  plan(thing("a", "zone = \"x\""), options);
  EXPECT_THAT(changes(), IsEmpty());
  EXPECT_THAT(drift(), IsEmpty());
  EXPECT_EQ(calls("read mock_thing").size(), reads);
}

TEST_P(PlanRun, RefreshOnlyTakesOverWhatWasFound) {
  make(thing("a", "zone = \"x\"") + thing("b"));
  change_outside("a", "zone", "elsewhere");
  remove_outside("b");
  PlanOptions options;
  options.mode = plans::Mode::RefreshOnly;
  plan(thing("a", "zone = \"x\"") + thing("b"), options);
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(changes(), IsEmpty());
  EXPECT_THAT(drift(), ElementsAre("delete mock_thing.b", "update mock_thing.a"));
  EXPECT_TRUE(planned_->plan.applyable);
  const std::size_t made = calls("apply").size();
  apply();
  EXPECT_EQ(calls("apply").size(), made);
  EXPECT_THAT(objects(), ElementsAre("mock_thing.a a"));
  EXPECT_THAT(std::string(object("mock_thing.a")->attributes()), HasSubstr("elsewhere"));
}

TEST_P(PlanRun, DataSourcesAreReadNowOrLaterForAReason) {
  const std::string data = "data \"mock_list\" \"l\" {\n  prefix = \"a\"\n  %\n}\n";
  const auto with = [&](std::string_view rest) {
    return std::string(data).replace(data.find('%'), 1, rest);
  };
  plan(thing("a") + with(""));
  EXPECT_THAT(changes(), ElementsAre("create mock_thing.a"));
  EXPECT_THAT(calls("read_data"), ElementsAre("read_data mock_list"));

  plan(thing("a") + with("depends_on = [mock_thing.a]"));
  EXPECT_THAT(changes(), ElementsAre("create mock_thing.a",
                                     "read data.mock_list.l (read_because_dependency_pending)"));
  EXPECT_EQ(after("data.mock_list.l", "ids"), "(unknown)");
  plan(thing("a") + "data \"mock_list\" \"l\" { prefix = mock_thing.a.id }\n");
  EXPECT_THAT(changes(), ElementsAre("create mock_thing.a",
                                     "read data.mock_list.l (read_because_config_unknown)"));
  plan("check \"c\" {\n" + with("") +
       "assert {\n condition = length(data.mock_list.l.ids) == 0\n error_message = \"No.\"\n "
       "}\n}\n");
  EXPECT_THAT(changes(), ElementsAre("read data.mock_list.l (read_because_check_nested)"));
  EXPECT_EQ(calls("read_data").size(), 2U) << "only those that were not deferred";
}

TEST_P(PlanRun, WhatADataSourceWillReadIsSensitiveBeforeItIsRead) {
  plan(thing("a") + "data \"mock_list\" \"l\" { prefix = mock_thing.a.id }\n" +
       "resource \"mock_item\" \"i\" { name = data.mock_list.l.token }\n");
  EXPECT_THAT(shown(), IsEmpty());
  const Value name = *change("mock_item.i")->after.plain().find("name");
  EXPECT_TRUE(name.is_unknown());
  EXPECT_TRUE(name.marks().is_sensitive());
}

TEST_P(PlanRun, ADataSourceWithConditionsWaitsForAllThatItNeeds) {
  const std::string list = R"(
    locals { p = length(mock_thing.a.name) > 0 ? "a" : "b" }
    data "mock_list" "l" {
      prefix = local.p
      lifecycle {
        postcondition {
          condition     = length(self.ids) > 0
          error_message = "None."
        }
      }
    }
  )";
  plan(thing("a") + list);
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(changes(), ElementsAre("create mock_thing.a",
                                     "read data.mock_list.l (read_because_dependency_pending)"));
  apply();
  EXPECT_THAT(shown(), IsEmpty());
}

TEST_P(PlanRun, ADataSourceThatNamesAResourceWaitsForItsChanges) {
  const std::string list = "data \"mock_list\" \"l\" { prefix = mock_thing.a.name }\n";
  make(thing("a") + list);
  plan(thing("a") + list);
  EXPECT_THAT(changes(), IsEmpty());
  plan(thing("a", "labels = { k = \"v\" }") + list);
  EXPECT_THAT(changes(), ElementsAre("read data.mock_list.l (read_because_dependency_pending)",
                                     "update mock_thing.a"));
  // Through a local it is only the value that counts.
  plan(thing("a", "labels = { k = \"v\" }") +
       "locals { p = mock_thing.a.name }\ndata \"mock_list\" \"l\" { prefix = local.p }\n");
  EXPECT_THAT(changes(), ElementsAre("update mock_thing.a"));
}

TEST_P(PlanRun, DependsOnOfADataSourceMeansTheNamedResourceAndNotWhatThatNeeds) {
  const auto text = [](std::string_view labels, std::string_view depends_on) {
    return thing("a", labels) + thing("b", "zone = mock_thing.a.zone") +
           "module \"m\" {\n source = \"./m\"\n zone = mock_thing.a.zone\n}\n" +
           fmt::format("data \"mock_list\" \"l\" {{\n prefix = \"b\"\n depends_on = [{}]\n}}\n",
                       depends_on);
  };
  write("./m", R"(
    variable "zone" {}
    resource "mock_thing" "c" {
      name = "c"
      zone = var.zone
    }
    output "o" { value = mock_thing.c.id }
  )");
  const char kLabels[] = "labels = { k = \"v\" }";
  make(text("", "mock_thing.b"));
  plan(text(kLabels, "mock_thing.b"));
  EXPECT_THAT(changes(), ElementsAre("update mock_thing.a"));
  // Modules and outputs have no changes, so that all behind them counts.
  for (const char* named : {"mock_thing.a", "module.m", "module.m.o"}) {
    plan(text(kLabels, named));
    EXPECT_THAT(changes(), ElementsAre("read data.mock_list.l (read_because_dependency_pending)",
                                       "update mock_thing.a"))
        << named;
  }
}

TEST_P(PlanRun, ADataSourceWaitsForInstancesToGo) {
  const auto data = [](std::string_view depends_on) {
    return fmt::format("data \"mock_list\" \"l\" {{\n prefix = \"x\"\n depends_on = [{}]\n}}\n",
                       depends_on);
  };
  make(thing("a", "count = 2") + data("mock_thing.a"));
  plan(thing("a", "count = 1") + data("mock_thing.a"));
  EXPECT_THAT(changes(), ElementsAre("delete mock_thing.a[1] (delete_because_count_index)",
                                     "read data.mock_list.l (read_because_dependency_pending)"));
  write("./m", thing("a"));
  const auto modules = [](std::string_view keys) {
    return fmt::format("module \"m\" {{\n for_each = toset([{}])\n source = \"./m\"\n}}\n", keys);
  };
  make(modules("\"x\", \"y\"") + data("module.m"));
  plan(modules("\"x\"") + data("module.m"));
  EXPECT_THAT(changes(),
              ElementsAre("delete module.m[\"y\"].mock_thing.a (delete_because_no_module)",
                          "read data.mock_list.l (read_because_dependency_pending)"));
}

TEST_P(PlanRun, ADataSourceWaitsForResourcesToGoThatItsModulesDeclareNoMore) {
  const std::string in_root = R"(
    module "m" { source = "./m" }
    data "mock_list" "l" {
      prefix     = "x"
      depends_on = [module.m]
    }
  )";
  const std::string in_module = R"(
    module "m" { source = "./m" }
    module "reads" {
      source     = "./reads"
      depends_on = [module.m]
    }
  )";
  const std::string gone = "delete module.m.mock_thing.b (delete_because_no_resource_config)";
  write("./reads", "data \"mock_list\" \"l\" { prefix = \"x\" }\n");
  for (const std::string& text : {in_root, in_module}) {
    write("./m", thing("a") + thing("b"));
    make(text);
    write("./m", thing("a"));
    const std::string data = text == in_root ? "data.mock_list.l" : "module.reads.data.mock_list.l";
    plan(text);
    EXPECT_THAT(changes(),
                UnorderedElementsAre(gone, "read " + data + " (read_because_dependency_pending)"));
    plan(text, {.mode = plans::Mode::RefreshOnly});
    EXPECT_THAT(changes(), IsEmpty());
    destroy("");
  }
}

TEST_P(PlanRun, ADataSourceDoesNotWaitForDeposedObjectsToGo) {
  const std::string data =
      "data \"mock_list\" \"l\" {\n prefix = \"x\"\n depends_on = [mock_thing.a]\n}\n";
  make(thing("a") + data);
  const addrs::AbsResourceInstance address = instance("mock_thing.a");
  const addrs::AbsProviderInstance provider{
      state_.resource(addrs::resource_of(address))->provider()};
  state_.set_object(address, "00000001", *object("mock_thing.a"), provider);
  plan(thing("a") + data);
  EXPECT_THAT(changes(), ElementsAre("delete mock_thing.a deposed"));
}

TEST_P(PlanRun, ACheckSaysAllThatItsDataSourceReports) {
  diag::Severity severity = diag::Severity::Warning;
  cloud_.script.data = [&](const providers::DataRequest&, providers::DataAnswer& answer) {
    answer.problems.push_back({severity, "Old list", "Take the new one.", {}});
    if (severity == diag::Severity::Error) {
      answer.problems.push_back({diag::Severity::Warning, "Slow", "", {}});
    }
  };
  const std::string text = R"(
    check "c" {
      data "mock_list" "l" {
        prefix = "x"
      }
      assert {
        condition     = data.mock_list.l.prefix == "x"
        error_message = "Another prefix."
      }
    }
  )";
  plan(text);
  ASSERT_EQ(diags_.size(), 1U);
  EXPECT_TRUE(diags_.items().front().of_check) << "the apply says it again";
  EXPECT_THAT(diags_.items().front().rule_of, IsEmpty()) << "the check has not failed";
  severity = diag::Severity::Error;
  plan(text);
  ASSERT_EQ(planned_->plan.checks.size(), 1U);
  ASSERT_EQ(planned_->plan.checks[0].instances.size(), 1U);
  EXPECT_THAT(planned_->plan.checks[0].instances[0].problems,
              ElementsAre("2 problems:\n\n- Old list: Take the new one.\n- Slow"));
}

TEST_P(PlanRun, WhatIsSensitiveByNowIsAChangeToTheState) {
  make(thing("a", "secret = \"s\""));
  const addrs::AbsResourceInstance address = instance("mock_thing.a");
  state::ObjectFields fields = object("mock_thing.a")->fields();
  EXPECT_EQ(fields.sensitive_paths.size(), 1U);
  fields.sensitive_paths.clear();
  const addrs::AbsProviderInstance provider{
      state_.resource(addrs::resource_of(address))->provider()};
  state_.set_object(address, "", state::Object(fields), provider);
  plan(thing("a", "secret = \"s\""));
  EXPECT_THAT(drift(), ElementsAre("update mock_thing.a"));
  EXPECT_THAT(changes(), IsEmpty());
}

TEST_P(PlanRun, AProviderIsConfiguredBeforeItIsAskedAboutTheState) {
  make(thing("a") + thing("b") + thing("c"));
  const std::size_t before = cloud_.calls().size();
  plan("");
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(changes(), ::testing::SizeIs(3));
  EXPECT_EQ(cloud_.calls()[before], "configure");
}

TEST_P(PlanRun, AProviderThatCannotBeConfiguredIsNotAskedAboutTheState) {
  make(thing("a") + "provider \"mock\" {}\n");
  const std::size_t reads = calls("read").size();
  cloud_.fail("configure");
  plan("provider \"mock\" {}\n");
  EXPECT_THAT(shown(), ElementsAre(HasSubstr("Mock failure")));
  EXPECT_EQ(calls("read").size(), reads);
}

TEST_P(PlanRun, DataOfAModuleWaitsOnlyForChangesOfItsOwnInstance) {
  write("./m", R"(
    variable "zone" {}
    resource "mock_thing" "a" {
      name = "a"
      zone = var.zone
    }
    data "mock_list" "l" {
      prefix     = "a"
      depends_on = [mock_thing.a]
    }
  )");
  const auto text = [](std::string_view zone) {
    return fmt::format(
        "module \"m\" {{\n for_each = {{ x = \"1\", y = \"{}\" }}\n source = \"./m\"\n zone = "
        "each.value\n}}\n",
        zone);
  };
  make(text("1"));
  plan(text("2"));
  EXPECT_THAT(changes(),
              ElementsAre("read module.m[\"y\"].data.mock_list.l (read_because_dependency_pending)",
                          "replace module.m[\"y\"].mock_thing.a (replace_because_cannot_update)"));
}

TEST_P(PlanRun, AnImportedObjectIsReadAndCompared) {
  make(thing("a", "zone = \"x\""));
  const std::string id = cloud_.things().begin()->first;
  state_ = {};
  const std::string block = fmt::format("import {{\n  to = mock_thing.b\n  id = \"{}\"\n}}\n", id);
  plan(block + "resource \"mock_thing\" \"b\" {\n  name = \"a\"\n  zone = \"x\"\n}\n");
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(changes(), ElementsAre("keep mock_thing.b imported"));
  plan(block + "resource \"mock_thing\" \"b\" {\n  name = \"other\"\n  zone = \"x\"\n}\n");
  EXPECT_THAT(changes(), ElementsAre("update mock_thing.b imported"));
  apply();
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(objects(), ElementsAre("mock_thing.b other"));
  EXPECT_EQ(cloud_.things().size(), 1U);
}

TEST_P(PlanRun, ImportsAreFoundWhileOtherResourcesArePlanned) {
  constexpr int kEach = 20;
  std::string before;
  for (int i = 0; i < kEach; ++i) before += thing(fmt::format("a{}", i));
  make(before);
  state_ = {};
  std::string text;
  for (const auto& [id, object] : cloud_.things()) {
    const std::string name(object.plain().find("name")->unmarked().as_string());
    text += fmt::format("import {{\n  to = mock_thing.{}\n  id = \"{}\"\n}}\n", name, id);
    text += thing(name) + thing("new_" + name);
  }
  plan(text);
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_EQ(std::ranges::count_if(
                changes(), [](const std::string& one) { return one.ends_with(" imported"); }),
            kEach);
  EXPECT_EQ(changes().size(), std::size_t{2} * kEach);
}

TEST_P(PlanRun, WhatDoesNotExistCannotBeImported) {
  plan("import {\n  to = mock_thing.b\n  id = \"nowhere\"\n}\n" + thing("b"));
  EXPECT_THAT(shown(), ElementsAre("- Unexpected number of imported objects"));
  cloud_.script.import = [](const providers::ImportRequest&, providers::ImportAnswer& answer) {
    answer.objects = {
        {"mock_thing",
         Value::null(
             providers::mock_schema().resources.find("mock_thing")->second.block.implied_type()),
         {},
         Value::null()}};
  };
  plan("import {\n  to = mock_thing.b\n  id = \"nowhere\"\n}\n" + thing("b"));
  EXPECT_THAT(shown(), ElementsAre("- Cannot import non-existent remote object"));
}

TEST_P(PlanRun, AMovedObjectKeepsWhatItIs) {
  make(thing("a"));
  const std::string b = "resource \"mock_thing\" \"b\" { name = \"a\" }\n";
  plan(b + "moved {\n  from = mock_thing.a\n  to = mock_thing.b\n}\n");
  EXPECT_THAT(changes(), ElementsAre("keep mock_thing.b from mock_thing.a"));
  EXPECT_TRUE(planned_->plan.applyable);
  apply();
  EXPECT_THAT(objects(), ElementsAre("mock_thing.b a"));
  EXPECT_EQ(calls("apply").size(), 1U);
}

TEST_P(PlanRun, AnObjectCanBecomeOneOfAnotherTypeIfTheProviderSaysHow) {
  make(thing("a"));
  const std::string item = "resource \"mock_item\" \"b\" { name = \"a\" }\n";
  const std::string moved = "moved {\n  from = mock_thing.a\n  to = mock_item.b\n}\n";
  cloud_.script.read = [](const providers::ReadRequest& request, providers::ReadAnswer& answer) {
    answer.object = request.current;  // the mock knows it as a thing
  };
  plan(item + moved);
  EXPECT_THAT(shown(), IsEmpty());
  EXPECT_THAT(changes(), ElementsAre("keep mock_item.b from mock_thing.a"));
  EXPECT_THAT(calls("move"), ElementsAre("move mock_thing mock_item"));
  apply();
  EXPECT_THAT(objects(), ElementsAre("mock_item.b a"));

  plan(
      "resource \"mock_shapes\" \"c\" {}\nmoved {\n  from = mock_item.b\n  to = "
      "mock_shapes.c\n}\n");
  EXPECT_EQ(shown().size(), 1U);
  EXPECT_TRUE(planned_->plan.errored);
}

TEST_P(PlanRun, AFailureLeavesTheRestOfThePlan) {
  cloud_.fail("plan mock_thing a");
  plan(thing("a") + thing("b", "labels = { a = mock_thing.a.id }") + thing("c"));
  EXPECT_THAT(shown(), ElementsAre(HasSubstr("Mock failure")));
  EXPECT_THAT(changes(), ElementsAre("create mock_thing.c"));
  EXPECT_TRUE(planned_->plan.errored);
  EXPECT_FALSE(planned_->plan.applyable);
}

TEST_P(PlanRun, EveryFailureIsReportedOnceInTheOrderOfTheProgram) {
  const std::string text = thing("a", "count = 20");
  cloud_.fail("plan mock_thing a");
  plan(text);
  EXPECT_EQ(diags_.items().size(), 20U);
  std::vector<std::string> addresses;
  for (const auto& each : diags_.items()) addresses.push_back(each.address);
  std::vector<std::string> expected;
  for (int i = 0; i < 20; ++i) expected.push_back(fmt::format("mock_thing.a[{}]", i));
  EXPECT_EQ(addresses, expected);
}

TEST_P(PlanRun, LeftAloneWhereDestroyIsFalse) {
  make(thing("a", "zone = \"x\"\n  lifecycle { destroy = false }"));
  plan(thing("a", "zone = \"y\"\n  lifecycle { destroy = false }"));
  EXPECT_THAT(changes(), ElementsAre("replace, forgetting, mock_thing.a "
                                     "(replace_because_cannot_update)"));
  apply();
  EXPECT_THAT(outside(), ElementsAre("a", "a"));
  EXPECT_THAT(calls("destroy"), IsEmpty());
  plan("");
  EXPECT_THAT(changes(),
              ElementsAre("forget mock_thing.a (forgot_because_lifecycle_destroy_in_state)"));
  apply();
  EXPECT_THAT(objects(), IsEmpty());
  EXPECT_THAT(outside(), ElementsAre("a", "a"));
}

TEST_P(PlanRun, RemovedBlocksForgetOrDestroy) {
  make(thing("a") + thing("b"));
  plan(R"(
    removed {
      from = mock_thing.a
      lifecycle { destroy = false }
    }
    removed {
      from = mock_thing.b
      lifecycle { destroy = true }
    }
  )");
  EXPECT_THAT(changes(), ElementsAre("delete mock_thing.b (delete_because_no_resource_config)",
                                     "forget mock_thing.a (delete_because_no_resource_config)"));
  apply();
  EXPECT_THAT(outside(), ElementsAre("a"));
  EXPECT_THAT(objects(), IsEmpty());
}

TEST_P(PlanRun, ANewerSchemaVersionInTheStateIsRefused) {
  make(thing("a"));
  state::ObjectFields fields = object("mock_thing.a")->fields();
  fields.schema_version = 7;
  const state::Resource* resource = state_.resource(addrs::resource_of(instance("mock_thing.a")));
  state_.set_object(instance("mock_thing.a"), "", state::Object(fields),
                    {resource->provider(), {}});
  plan(thing("a"));
  EXPECT_THAT(shown(), ElementsAre("- Resource instance managed by newer provider version"));
}

TEST_P(PlanRun, SensitiveValuesStaySo) {
  variables_["secret"] = Value::string("hunter2");
  make("variable \"secret\" { sensitive = true }\n" + thing("a", "labels = { k = var.secret }"));
  EXPECT_EQ(object("mock_thing.a")->fields().sensitive_paths.size(), 2U);
  // Only the mark changes: the provider is not asked to do anything, but it is an update.
  const std::size_t made = calls("apply").size();
  events_.clear();
  make(thing("a", "labels = { k = \"hunter2\" }"));
  EXPECT_EQ(calls("apply").size(), made);
  EXPECT_THAT(events_.all(), ElementsAre("start refresh mock_thing.a", "end refresh mock_thing.a",
                                         "start update mock_thing.a", "end update mock_thing.a"));
  EXPECT_EQ(object("mock_thing.a")->fields().sensitive_paths.size(), 1U);
}

TEST_P(PlanRun, ReplacementKeepsTheMarksOfTheSchema) {
  const std::string user =
      "resource \"mock_item\" \"i\" { name = coalesce(mock_thing.a.secret, \"none\") }\n";
  for (const bool creates_first : {false, true}) {
    const std::string more = creates_first ? "lifecycle { create_before_destroy = true }" : "";
    make(thing("a", "secret = \"hunter2\"\nzone = \"x\"\n" + more) + user);
    plan(thing("a", "secret = \"hunter2\"\nzone = \"y\"\n" + more) + user);
    EXPECT_THAT(changes(), ElementsAre(creates_first ? "replace, creating first, mock_thing.a "
                                                       "(replace_because_cannot_update)"
                                                     : "replace mock_thing.a "
                                                       "(replace_because_cannot_update)"));
    EXPECT_TRUE(change("mock_thing.a")->after.plain().find("secret")->marks().is_sensitive());
    apply();
    EXPECT_THAT(shown(), IsEmpty());
    EXPECT_EQ(object("mock_item.i")->fields().sensitive_paths.size(), 1U);
    destroy(thing("a") + user);
  }
}

TEST_P(PlanRun, ASensitiveIdIsNotInEvents) {
  make(thing("a"));
  const addrs::AbsResourceInstance address = instance("mock_thing.a");
  state::ObjectFields fields = object("mock_thing.a")->fields();
  fields.sensitive_paths.push_back(value::Path{}.with_attribute("id"));
  const addrs::AbsProviderInstance provider{
      state_.resource(addrs::resource_of(address))->provider()};
  state_.set_object(address, "", state::Object(fields), provider);
  events_.clear();
  plan(thing("a"));
  EXPECT_THAT(events_.labels(), IsEmpty());
}

}  // namespace
}  // namespace tofu::engine

// Random configurations are planned and applied one after the other, with operations that fail,
// interrupts, and changes from outside; the result is compared with a simple model of what should
// exist.
//
// Whatever fails, nothing that exists may be missing in the state. As soon as nothing fails any
// more, exactly what is declared exists.
//
// TOFU_MODEL_ROUNDS says how many histories there are (30 without it), TOFU_MODEL_SEED which one
// is the first. A failure names its seed; with that and one round it is replayed. What fails
// depends on the seed and the call, not on the order of calls.
#include <cstdlib>
#include <functional>
#include <gmock/gmock.h>
#include <map>
#include <random>
#include <set>

#include "tests/engine/run_fixture.h"
#include "value/json.h"

namespace tofu::engine {
namespace {

using ::testing::IsEmpty;
using value::Value;

std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
  const char* given = std::getenv(name);
  return given == nullptr ? otherwise : std::strtoull(given, nullptr, 10);
}

// A resource as it is declared.
struct Declared {
  int count = -1;  // -1: one instance without a key
  std::string zone = "x";
  int label = 0;
  bool creates_first = false;
  std::set<int> needs = {};  // numbers of earlier resources
};

using Config = std::map<int, Declared>;  // by number

std::string text_of(const Config& config) {
  std::string text;
  for (const auto& [number, each] : config) {
    std::string labels = fmt::format("l = \"{}\"", each.label);
    for (const int needed : each.needs) {
      if (config.contains(needed)) {
        labels += fmt::format(", n{0} = join(\",\", mock_thing.r{0}[*].id)", needed);
      }
    }
    text += fmt::format("resource \"mock_thing\" \"r{}\" {{\n", number);
    if (each.count >= 0) text += fmt::format("  count = {}\n", each.count);
    text += fmt::format("  name = \"r{}\"\n  zone = \"{}\"\n  labels = {{ {} }}\n", number,
                        each.zone, labels);
    // So that calls for different instances differ.
    if (each.count >= 0) text += "  secret = count.index\n";
    if (each.creates_first) text += "  lifecycle { create_before_destroy = true }\n";
    text += "}\n";
  }
  return text;
}

// "r3 x 5": what should exist, however often.
std::multiset<std::string> expected(const Config& config) {
  std::multiset<std::string> all;
  for (const auto& [number, each] : config) {
    for (int i = 0; i < (each.count < 0 ? 1 : each.count); ++i) {
      all.insert(fmt::format("r{} {} {}", number, each.zone, each.label));
    }
  }
  return all;
}

Config changed(Config config, std::mt19937_64& random) {
  const auto below = [&](std::uint64_t limit) { return static_cast<int>(random() % limit); };
  const int edits = 1 + below(4);
  for (int i = 0; i < edits; ++i) {
    const int number = below(6);
    const auto found = config.find(number);
    if (found == config.end()) {
      Declared made;
      made.count = below(5) - 1;
      made.creates_first = below(4) == 0;
      for (int other = 0; other < number; ++other) {
        if (below(3) == 0) made.needs.insert(other);
      }
      config.emplace(number, std::move(made));
      continue;
    }
    switch (below(6)) {
      case 0: config.erase(found); break;
      case 1: found->second.zone = found->second.zone == "x" ? "y" : "x"; break;
      case 2: found->second.label += 1; break;
      case 3: found->second.count = below(5) - 1; break;
      case 4: found->second.creates_first = !found->second.creates_first; break;
      default: found->second.needs.clear(); break;
    }
  }
  return config;
}

class ModelRun : public EngineRun {
 protected:
  void play(std::uint64_t seed);

 private:
  // Whether this call fails, one time in `times`.
  bool chance(const std::string& what, std::uint64_t times) const {
    return std::hash<std::string>()(fmt::format("{} {} {}", seed_, step_, what)) % times == 0;
  }
  void go_wrong(const providers::ApplyRequest& request, providers::ApplyAnswer& answer);
  void meddle(std::mt19937_64& random);
  void expect_all_known() const;
  void expect_as_declared(const Config& config) const;
  std::multiset<std::string> outside_now() const;

  std::uint64_t seed_ = 0;
  int step_ = 0;
};

// A call fails before it did anything, or after it.
void ModelRun::go_wrong(const providers::ApplyRequest& request, providers::ApplyAnswer& answer) {
  const bool is_new = request.prior.is_null();
  const bool is_gone = request.planned.is_null();
  const Value& about = is_gone ? request.prior : request.planned;
  const std::string call =
      fmt::format("{} {} {}",
                  is_gone  ? "destroy"
                  : is_new ? "create"
                           : "update",
                  providers::text_of(about, "name"), providers::text_of(about, "secret"));
  if (chance("stop at " + call, 40)) stop_.request_stop();
  if (chance("before " + call, 6)) {
    if (is_new) {
      cloud_.remove(providers::text_of(answer.object, "id"));
      answer.object = request.prior;
    } else {
      cloud_.put(providers::text_of(request.prior, "id"), request.prior);
      answer.object = request.prior;
    }
    answer.problems.push_back(providers::problem("Refused", call));
  } else if (!is_gone && chance("after " + call, 8)) {
    answer.problems.push_back(providers::problem("Half done", call));
  }
}

// Removes or changes something from outside.
void ModelRun::meddle(std::mt19937_64& random) {
  for (const auto& [id, thing] : cloud_.things()) {
    switch (random() % 12) {
      case 0: cloud_.remove(id); break;
      case 1: cloud_.put(id, providers::with_attribute(thing, "zone", Value::string("z"))); break;
      default: break;
    }
  }
}

std::multiset<std::string> ModelRun::outside_now() const {
  std::multiset<std::string> all;
  for (const auto& [id, thing] : cloud_.things()) {
    const Value* labels = thing.plain().find("labels");
    std::string label;
    if (!labels->is_null()) {
      const auto keys = labels->plain().map_keys();
      for (std::size_t i = 0; i < keys.size(); ++i) {
        if (keys[i].plain().as_string() == "l")
          label = labels->plain().items()[i].plain().as_string();
      }
    }
    all.insert(fmt::format("{} {} {}", providers::text_of(thing, "name"),
                           providers::text_of(thing, "zone"), label));
  }
  return all;
}

// Nothing exists that the state does not have, current or deposed.
void ModelRun::expect_all_known() const {
  std::set<std::string> known;
  for (const state::Resource* resource : state_.resources()) {
    resource->for_each([&](const state::Instance& each) {
      const auto add = [&](const state::Object& object) {
        const auto json = value::parse_json(object.attributes());
        if (json) known.insert(providers::text_of(*json, "id"));
      };
      if (each.current() != nullptr) add(*each.current());
      for (const auto& [key, object] : each.deposed()) add(object);
    });
  }
  for (const auto& [id, thing] : cloud_.things()) {
    EXPECT_TRUE(known.contains(id))
        << providers::text_of(thing, "name") << " " << id << " exists and is not in the state";
  }
}

void ModelRun::expect_as_declared(const Config& config) const {
  EXPECT_EQ(outside_now(), expected(config));
  EXPECT_EQ(objects().size(), expected(config).size());
  for (const std::string& object : objects()) {
    EXPECT_THAT(object, ::testing::Not(::testing::HasSubstr("tainted")));
    EXPECT_THAT(object, ::testing::Not(::testing::HasSubstr("deposed")));
  }
}

void ModelRun::play(std::uint64_t seed) {
  seed_ = seed;
  std::mt19937_64 random(seed);
  state_ = {};
  cloud_.clear();
  Config config;
  const int steps = 2 + static_cast<int>(random() % 4);
  for (step_ = 0; step_ < steps; ++step_) {
    config = changed(std::move(config), random);
    meddle(random);
    stop_ = {};
    cloud_.script.apply = [this](const providers::ApplyRequest& request,
                                 providers::ApplyAnswer& answer) { go_wrong(request, answer); };
    plan(text_of(config));
    ASSERT_THAT(shown(), IsEmpty()) << text_of(config);
    apply();
    for (const auto& each : diags_.items()) {
      ASSERT_THAT(each.summary, ::testing::AnyOf("Refused", "Half done", "execution halted"))
          << each.detail;
    }
    expect_all_known();
    if (HasFailure()) return;
  }
  stop_ = {};
  cloud_.script.apply = {};
  plan(text_of(config));
  ASSERT_THAT(shown(), IsEmpty()) << text_of(config);
  apply();
  ASSERT_THAT(shown(), IsEmpty()) << text_of(config) << diags_.items()[0].detail;
  expect_as_declared(config);
  plan(text_of(config));
  EXPECT_THAT(changes(), IsEmpty()) << text_of(config);
  destroy(text_of(config));
  expect_as_declared({});
}

INSTANTIATE_TEST_SUITE_P(Schedules, ModelRun, ::testing::ValuesIn(kSchedules));

TEST_P(ModelRun, WhatIsDeclaredExistsAsSoonAsNothingGoesWrong) {
  const std::uint64_t first = number_from("TOFU_MODEL_SEED", 1);
  const std::uint64_t rounds = number_from("TOFU_MODEL_ROUNDS", 30);
  for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, fmt::format("seed {}", seed));
    play(seed);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace tofu::engine

#include "engine/provisioner.h"

#include <atomic>
#include <gtest/gtest.h>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "schema/provisioners.h"
#include "schema/schema.h"

namespace tofu::engine {
namespace {

using value::Attr;
using value::Type;
using value::Value;

Value text(std::string_view words) { return Value::string(words); }

Value texts(const std::vector<std::string>& all) {
  std::vector<Value> items;
  for (const std::string& each : all) items.push_back(text(each));
  return Value::list(Type::string(), std::move(items));
}

// The block with these arguments; all others are null.
Value block_with(const schema::Block& schema, const std::vector<Attr>& given) {
  const Type type = schema.implied_type();
  std::vector<Value> items;
  for (const auto& attribute : type.attributes()) {
    Value item = Value::null(attribute.type);
    for (const Attr& each : given) {
      if (each.name == attribute.name) item = each.value;
    }
    items.push_back(std::move(item));
  }
  return Value::object(type, std::move(items));
}

class Provisioner : public testing::Test {
 protected:
  // Runs it. What went wrong, or nothing.
  std::string run(std::string type, const std::vector<Attr>& arguments) {
    ProvisionerRun run;
    run.config = block_with(*schema::provisioner_schema(type), arguments);
    run.connection = connection;
    run.type = std::move(type);
    run.output = [this](std::string_view line) { printed.emplace_back(line); };
    run.stop = stop.get_token();
    const auto result = run_provisioner(run);
    return result ? "" : result.error().what;
  }
  void connect_with(const std::vector<Attr>& arguments) {
    connection = block_with(schema::connection_schema(), arguments);
  }

  Value connection;
  std::vector<std::string> printed;
  std::stop_source stop;
  std::atomic<int> started = 0;
};

using LocalExec = Provisioner;

TEST_F(LocalExec, RunsTheCommandInAShellAndShowsItsLines) {
  EXPECT_EQ(run("local-exec", {{"command", text("echo one; echo two >&2; printf '%s' \"$0\"")}}),
            "");
  EXPECT_EQ(printed,
            (std::vector<std::string>{
                R"(Executing: ["/bin/sh" "-c" "echo one; echo two >&2; printf '%s' \"$0\""])",
                "one", "two", "/bin/sh"}));
}

TEST_F(LocalExec, QuietHidesTheCommandButNotWhatItPrints) {
  EXPECT_EQ(run("local-exec", {{"command", text("echo heard")}, {"quiet", Value::boolean(true)}}),
            "");
  EXPECT_EQ(printed,
            (std::vector<std::string>{"local-exec: Executing: Suppressed by quiet=true", "heard"}));
}

TEST_F(LocalExec, TheCommandIsTheLastArgumentOfTheInterpreter) {
  EXPECT_EQ(run("local-exec", {{"command", text("a  b")},
                               {"interpreter", texts({"printf", "<%s><%s>", "first"})}}),
            "");
  EXPECT_EQ(printed.back(), "<first><a  b>");
}

TEST_F(LocalExec, EnvironmentAndWorkingDirectoryAreThoseOfTheBlock) {
  const Value environment = Value::map(Type::string(), {{"GREETING", text("hello there")},
                                                        {"NOTHING", Value::null(Type::string())}});
  EXPECT_EQ(run("local-exec", {{"command", text("echo \"$GREETING ${NOTHING-unset}\"; pwd")},
                               {"environment", environment},
                               {"working_dir", text("/usr")}}),
            "");
  EXPECT_EQ(printed.at(1), "hello there unset");
  EXPECT_EQ(printed.at(2), "/usr");
}

TEST_F(LocalExec, AnotherExitStatusIsAnErrorThatSaysNothingOfTheCommand) {
  EXPECT_EQ(run("local-exec", {{"command", text("echo hunter2; exit 7")}}),
            "the command ended with exit status 7");
  EXPECT_EQ(printed.back(), "hunter2");
}

TEST_F(LocalExec, WhatCannotBeRunIsToldApart) {
  EXPECT_EQ(run("local-exec", {{"command", text("true")}, {"working_dir", text("/no/such/place")}}),
            "the working directory is not there, or is no directory");
  EXPECT_EQ(
      run("local-exec",
          {{"command", text("true")}, {"interpreter", texts({"no-such-program-anywhere"})}}),
      "no-such-program-anywhere cannot be run: starting it failed: No such file or directory");
  EXPECT_EQ(run("local-exec", {{"command", text("")}}), "the command is empty");
  EXPECT_EQ(run("local-exec", {{"command", text(std::string_view("true\0false", 10))}}),
            "the command or its environment has a zero byte in it");
}

TEST_F(LocalExec, StoppingEndsTheCommandWithAllThatItStarted) {
  const std::jthread stopper([this] {
    while (started == 0) std::this_thread::yield();
    stop.request_stop();
  });
  ProvisionerRun run;
  run.type = "local-exec";
  run.config = block_with(*schema::provisioner_schema("local-exec"),
                          {{"command", text("sleep 1000 & echo started; wait")}});
  run.output = [this](std::string_view line) { started += line == "started" ? 1 : 0; };
  run.stop = stop.get_token();
  const auto result = run_provisioner(run);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "it was interrupted");
}

}  // namespace
}  // namespace tofu::engine

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/file.h"
#include "process/process.h"
#include "tests/provisioners/loopback_sshd.h"
#include "tests/provisioners/provisioned.h"

namespace tofu::provisioners {
namespace {

using value::Attr;
using value::Value;

// Against a server on loopback. Skipped where there can be none.
class OverSsh : public Provisioned {
 protected:
  void SetUp() override {
    const std::string reason = LoopbackSshd::why_not();
    if (!reason.empty()) GTEST_SKIP() << reason;
    // The user's own keys are not tried.
    ::unsetenv("SSH_AUTH_SOCK");
    server = std::make_unique<LoopbackSshd>();
    place = server->directory + "/place";
    std::filesystem::create_directory(place);
    connect();
  }

  // With what is usual, and this besides or instead.
  void connect(const std::vector<Attr>& more = {}) {
    std::vector<Attr> arguments = {{"host", text("127.0.0.1")},
                                   {"port", Value::integer(server->port)},
                                   {"user", text(LoopbackSshd::user())},
                                   {"private_key", text(server->file("user"))},
                                   {"script_path", text(place + "/script_%RAND%.sh")},
                                   {"timeout", text("30s")}};
    arguments.insert(arguments.end(), more.begin(), more.end());
    connection = block_with(schema::connection_schema(), arguments);
  }
  std::string run_inline(const std::vector<std::string>& lines) {
    return run("remote-exec", {{"inline", texts(lines)}});
  }
  // What was printed after the connection was made.
  std::vector<std::string> output() const {
    const auto connected = std::ranges::find(printed, "Connected.");
    return {connected == printed.end() ? connected : connected + 1, printed.end()};
  }
  std::string copied(const std::string& name) const {
    const auto content = base::read_file(place + "/" + name);
    return content ? *content : content.error().what;
  }
  bool is_empty() const { return std::filesystem::is_empty(place); }

  std::unique_ptr<LoopbackSshd> server;
  std::string place;
};

using Lines = std::vector<std::string>;

TEST_F(OverSsh, InlineCommandsAreOneScriptWhoseLinesAreShown) {
  EXPECT_EQ(run_inline({"word=one", "echo $word", "echo two >&2", "printf three"}), "");
  EXPECT_EQ(output(), (Lines{"one", "two", "three"}));
  EXPECT_TRUE(is_empty()) << "the script was left behind";
}

TEST_F(OverSsh, AFailedScriptIsAnErrorAndLeavesNothingBehind) {
  EXPECT_EQ(run_inline({"echo hunter2", "exit 9"}), "the script ended with exit status 9");
  EXPECT_EQ(output(), Lines{"hunter2"});
  EXPECT_TRUE(is_empty());
}

TEST_F(OverSsh, ScriptsRunInTheirOrderOverOneConnection) {
  const std::string first = server->directory + "/first";
  const std::string second = server->directory + "/second";
  std::ofstream(first) << "echo first";
  std::ofstream(second) << "#!/usr/bin/env -S cat\nsecond\n";
  EXPECT_EQ(run("remote-exec", {{"scripts", texts({first, second})}}), "");
  EXPECT_EQ(output(), (Lines{"first", "#!/usr/bin/env -S cat", "second"}));
  EXPECT_EQ(server->connections, 1);
}

TEST_F(OverSsh, AScriptThatCannotBeReadIsFoundBeforeConnecting) {
  EXPECT_EQ(run("remote-exec", {{"script", text("/no/such/script")}}),
            "the script /no/such/script cannot be read: no such file or directory");
  EXPECT_EQ(run("remote-exec", {{"inline", texts({"true", ""})}}), "an element of inline is empty");
  EXPECT_EQ(server->connections, 0);
}

TEST_F(OverSsh, StoppingEndsTheScriptOnTheOtherMachine) {
  stop_at = "started";
  // What a script without a terminal would survive.
  EXPECT_EQ(run_inline({"echo $$ > " + place + "/pid", "echo started", "sleep 1000"}),
            "it was interrupted");
  const pid_t script = std::stoi(copied("pid"));
  while (::kill(script, 0) == 0) std::this_thread::yield();  // or the test never ends
}

TEST_F(OverSsh, ContentBecomesAFile) {
  const std::string content = std::string("line\n\0'quoted' $HOME\n", 21);
  EXPECT_EQ(run("file", {{"content", text(content)}, {"destination", text(place + "/it's here")}}),
            "");
  EXPECT_EQ(copied("it's here"), content);
  struct stat status {};
  ::stat((place + "/it's here").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777U, 0644U);
  EXPECT_TRUE(printed.empty());
}

TEST_F(OverSsh, ALargeFileArrivesWhole) {
  std::string content(5'000'001, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 7 % 251);
  home = server->directory;
  std::ofstream(home + "/large") << content;
  EXPECT_EQ(run("file", {{"source", text("~/large")}, {"destination", text(place + "/copy")}}), "");
  EXPECT_EQ(copied("copy"), content);
}

TEST_F(OverSsh, ADirectoryIsCopiedWithOrWithoutItself) {
  const std::string from = server->directory + "/from";
  std::filesystem::create_directories(from + "/inner/empty");
  std::ofstream(from + "/a") << "1";
  std::ofstream(from + "/inner/b") << "2";
  std::ofstream(from + "/nothing").flush();
  std::filesystem::create_symlink("inner", from + "/link");
  EXPECT_EQ(run("file", {{"source", text(from)}, {"destination", text(place)}}), "");
  EXPECT_EQ(copied("from/a"), "1");
  EXPECT_EQ(copied("from/inner/b"), "2");
  EXPECT_EQ(copied("from/link/b"), "2");
  EXPECT_EQ(copied("from/nothing"), "");
  EXPECT_TRUE(std::filesystem::is_directory(place + "/from/inner/empty"));
  EXPECT_EQ(run("file", {{"source", text(from + "/")}, {"destination", text(place)}}), "");
  EXPECT_EQ(copied("a"), "1");
  EXPECT_EQ(run("file", {{"source", text(from)}, {"destination", text(place + "/new")}}), "");
  EXPECT_EQ(copied("new/a"), "1");
}

TEST_F(OverSsh, WhatCannotBeCopiedIsSaid) {
  EXPECT_EQ(run("file", {{"content", text("x")}, {"destination", text(place + "/missing/file")}}),
            "copying failed: scp: " + place + "/missing: No such file or directory");
  EXPECT_EQ(run("file", {{"source", text("/no/such")}, {"destination", text(place)}}),
            "/no/such cannot be read: no such file or directory");
  const std::string loop = server->directory + "/loop";
  std::filesystem::create_directory(loop);
  std::filesystem::create_symlink(".", loop + "/again");
  EXPECT_NE(run("file", {{"source", text(loop)}, {"destination", text(place)}}), "");
  std::filesystem::create_directory(place + "/taken");
  EXPECT_EQ(run("file", {{"content", text("x")}, {"destination", text(place + "/taken")}}),
            "copying failed: scp: " + place + "/taken: Is a directory");
}

TEST_F(OverSsh, TheTargetIsReachedThroughABastion) {
  LoopbackSshd bastion;
  connect({{"bastion_host", text("127.0.0.1")},
           {"bastion_port", Value::integer(bastion.port)},
           {"bastion_private_key", text(bastion.file("user"))},
           {"bastion_host_key", text(bastion.file("host.pub"))},
           {"host_key", text(server->file("host.pub"))}});
  EXPECT_EQ(run_inline({"echo $TOFU_TEST"}), "");
  EXPECT_EQ(output(), Lines{server->directory});
  EXPECT_EQ(bastion.connections, 1);
  EXPECT_EQ(server->connections, 1);
}

TEST_F(OverSsh, OnlyTheRightHostKeyIsAccepted) {
  connect({{"host_key", text(server->file("host.pub"))}});
  EXPECT_EQ(run_inline({"true"}), "");
  server->make_key("other");
  connect({{"host_key", text(server->file("other.pub"))}, {"timeout", text("6s")}});
  const std::string problem = run_inline({"true"});
  EXPECT_NE(problem.find("Host key verification failed"), std::string::npos) << problem;
}

TEST_F(OverSsh, ARefusedConnectionIsTriedAgain) {
  server->refusals = 1;
  EXPECT_EQ(run_inline({"echo there"}), "");
  EXPECT_EQ(output(), Lines{"there"});
  EXPECT_EQ(server->connections, 2);
}

TEST_F(OverSsh, WhenTheTimeIsUpTheLastReasonIsGiven) {
  server->make_key("stranger");
  connect({{"private_key", text(server->file("stranger"))}, {"timeout", text("6s")}});
  const std::string problem = run_inline({"true"});
  EXPECT_TRUE(problem.starts_with("connecting to 127.0.0.1 timed out; last error: ")) << problem;
  EXPECT_NE(problem.find("Permission denied"), std::string::npos) << problem;
}

TEST_F(OverSsh, KeysOfTheTypeRsaAreUsed) {
  server->make_key("rsa", "rsa");
  server->allow("rsa");
  connect({{"private_key", text(server->file("rsa"))}});
  EXPECT_EQ(run_inline({"true"}), "");
}

TEST_F(OverSsh, AKeyOfTheAgentIsUsedUnlessTheAgentIsNotWanted) {
  const std::string socket = server->directory + "/agent";
  const auto started = process::run_guarded({{"ssh-agent", "-a", socket}});
  ASSERT_TRUE(started && started->exit_status == 0);
  const std::size_t at = started->output.find("SSH_AGENT_PID=") + 14;
  const pid_t agent = std::stoi(started->output.substr(at));
  ::setenv("SSH_AUTH_SOCK", socket.c_str(), 1);
  EXPECT_TRUE(process::run_guarded({{"ssh-add", "-q", server->directory + "/user"}}));
  connect({{"private_key", Value::null(value::Type::string())}});
  EXPECT_EQ(run_inline({"ssh-add -l | wc -l"}), "") << "the agent is forwarded";
  EXPECT_EQ(output(), Lines{"1"});
  printed.clear();
  connect({{"private_key", Value::null(value::Type::string())},
           {"agent", Value::boolean(false)},
           {"timeout", text("500ms")}});
  EXPECT_NE(run_inline({"true"}), "");
  ::unsetenv("SSH_AUTH_SOCK");
  ::kill(agent, SIGTERM);
  while (::access(socket.c_str(), F_OK) == 0) std::this_thread::yield();
}

}  // namespace
}  // namespace tofu::provisioners

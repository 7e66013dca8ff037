#include "provisioners/provisioner.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "process/process.h"
#include "provisioners/provisioner_ssh_files.h"
#include "tests/provisioners/provisioned.h"

namespace tofu::provisioners {
namespace {

using value::Type;
using value::Value;

using LocalExec = Provisioned;

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
  EXPECT_EQ(run("local-exec", {{"command", text("echo hunter2; exit 7")}}), "exit status 7");
  EXPECT_EQ(printed.back(), "hunter2");
}

TEST_F(LocalExec, WhatCannotBeRunIsToldApart) {
  EXPECT_EQ(run("local-exec", {{"command", text("true")}, {"working_dir", text("/no/such/place")}}),
            "the working directory does not exist or is not a directory");
  EXPECT_EQ(
      run("local-exec",
          {{"command", text("true")}, {"interpreter", texts({"no-such-program-anywhere"})}}),
      "no-such-program-anywhere cannot be run: starting it failed: No such file or directory");
  EXPECT_EQ(run("local-exec", {{"command", text("")}}), "the command is empty");
  EXPECT_EQ(run("local-exec", {{"command", text(std::string_view("true\0false", 10))}}),
            "the command or its environment has a zero byte in it");
}

TEST_F(LocalExec, StoppingEndsTheCommandWithAllThatItStarted) {
  stop_at = "started";
  EXPECT_EQ(run("local-exec", {{"command", text("sleep 1000 & echo started; wait")}}),
            "it was interrupted");
}

class Connections : public Provisioned {
 protected:
  std::string with(const std::vector<value::Attr>& arguments) {
    connection = block_with(schema::connection_schema(), arguments);
    return run("remote-exec", {{"inline", texts({"true"})}});
  }
};

TEST_F(Connections, WithoutABlockThereIsNone) {
  EXPECT_EQ(run("remote-exec", {{"inline", texts({"true"})}}), "it has no connection block");
  EXPECT_EQ(run("file", {{"content", text("x")}, {"destination", text("/x")}}),
            "it has no connection block");
}

TEST_F(Connections, OnlySshIsSupported) {
  EXPECT_EQ(with({{"host", text("h")}, {"type", text("winrm")}}),
            "connections of the type \"winrm\" are not supported; Windows machines can be reached "
            "over ssh");
  EXPECT_EQ(with({{"host", text("h")}, {"type", text("telnet")}}),
            "the connection type \"telnet\" does not exist");
  EXPECT_EQ(with({{"host", text("h")}, {"proxy_host", text("p")}}),
            "proxy_host is not supported; a bastion_host can be used instead");
}

TEST_F(Connections, MistakesAreFoundBeforeAnythingIsTried) {
  EXPECT_EQ(with({{"host", text("")}}), "the connection has no host");
  EXPECT_EQ(with({{"host", text("h")}, {"port", Value::integer(70000)}}),
            "port must be a whole number up to 65535");
  EXPECT_EQ(with({{"host", text("h")}, {"target_platform", text("amiga")}}),
            "target_platform must be \"unix\" or \"windows\"");
  EXPECT_EQ(with({{"host", text("h")}, {"private_key", text("~/.ssh/id_rsa")}}),
            "private_key is not a private key; it must be the text of a key, as file() returns it");
  EXPECT_EQ(
      with({{"host", text("h")},
            {"private_key", text("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n")}}),
      "private_key is protected by a passphrase, which is not supported: decrypt it, or load "
      "it into an agent");
}

TEST_F(Connections, NothingCanBeSlippedIntoTheConfigurationOfSsh) {
  const std::string hostile = "x\nProxyCommand touch /tmp/owned";
  EXPECT_EQ(with({{"host", text(hostile)}}),
            "host has a newline or another control character in it");
  EXPECT_EQ(with({{"host", text("h")}, {"user", text(hostile)}}),
            "user has a newline or another control character in it");
  EXPECT_EQ(with({{"host", text("h")}, {"host_key", text(hostile)}}),
            "host_key has a newline or another control character in it");
  EXPECT_EQ(
      with({{"host", text("h")}, {"bastion_host", text("b")}, {"bastion_user", text(hostile)}}),
      "bastion_user has a newline or another control character in it");
  EXPECT_EQ(with({{"host", text("h")}, {"agent_identity", text(hostile)}}),
            "agent_identity or script_path has a newline or another control character in it");
}

TEST_F(Connections, NothingThatAShellOrSshReadsAsMoreThanANameIsAccepted) {
  const std::string mark = testing::TempDir() + "/injected";
  const std::vector<std::string> hostile = {"a'$(touch " + mark + ")'",
                                            "$(touch " + mark + ")",
                                            "`touch " + mark + "`",
                                            "a;touch " + mark,
                                            "a\"b",
                                            "a b",
                                            "-oProxyCommand=true",
                                            "a|b",
                                            "a&b",
                                            "a%h",
                                            "${HOME}",
                                            "a>b",
                                            "(a)",
                                            "a\\",
                                            "a#b"};
  for (const std::string& each : hostile) {
    for (const std::string name : {"host", "user", "bastion_host", "bastion_user"}) {
      std::vector<value::Attr> arguments = {{name, text(each)}};
      if (name != "host") arguments.push_back({"host", text("h")});
      if (name == "bastion_user") arguments.push_back({"bastion_host", text("b")});
      const std::string error = with(arguments);
      EXPECT_TRUE(error.starts_with(name + " has the character ") ||
                  error.starts_with(name + " begins with ") ||
                  error.starts_with(name + " ends with "))
          << name << " = " << each << ": " << error;
    }
  }
  for (const char* each : {"$(id)", "`id`", "'id'", "\"id\"", "${HOME}/id", "-i"}) {
    const std::string error = with({{"host", text("h")}, {"agent_identity", text(each)}});
    EXPECT_TRUE(error.starts_with("agent_identity ")) << each << ": " << error;
  }
  EXPECT_FALSE(std::filesystem::exists(mark));
}

TEST_F(Connections, OrdinaryNamesOfMachinesAndUsersAreAccepted) {
  for (const char* host :
       {"web-1.example.com", "192.0.2.1", "fe80::1%eth0", "[2001:db8::1]", "host_with_underscores",
        "b\xC3\xBC"
        "cher.example"}) {
    for (const char* user : {"root", "DOMAIN\\admin", "someone@corp.example", "svc.deploy-2"}) {
      const auto read = read_connection(
          block_with(schema::connection_schema(), {{"host", text(host)}, {"user", text(user)}}));
      EXPECT_TRUE(read) << host << " " << user << ": " << (read ? "" : read.error().what);
    }
  }
}

TEST_F(Connections, PathsOfWindowsAreNoCommands) {
  EXPECT_EQ(with({{"host", text("h")},
                  {"target_platform", text("windows")},
                  {"script_path", text("C:/x.cmd&calc")}}),
            "script_path has the character '&' in it, which no path of a Windows machine can have "
            "here");
  connection = block_with(schema::connection_schema(), {{"host", text("h")}});
  EXPECT_EQ(run("file", {{"content", text("x")}, {"destination", text("/tmp/a\nC0644 1 b")}}),
            "the destination has a newline in it, so nothing can be copied there");
}

// What ssh makes of the files that it is given.
class FilesForSsh : public testing::Test {
 protected:
  static std::string understood(const SshFiles& files) {
    const auto ran = process::run_guarded({{"ssh", "-G", "-F", files.config(), "target"}});
    return ran ? "\n" + ran->output + ran->errors : ran.error().what;
  }
  static std::string answer_for_password(const SshFiles& files) {
    for (const auto& [name, program] : files.environment()) {
      if (name != "SSH_ASKPASS") continue;
      const auto ran = process::run_guarded({{program, "password:"}});
      return ran ? ran->output + ran->errors : ran.error().what;
    }
    return "nobody answers";
  }
};

TEST_F(FilesForSsh, NamesAreUnderstoodAsTheyWereWritten) {
  SshSettings settings;
  settings.target = {.host = "fe80::1%eth0", .port = 2222, .user = "DOM\\some \"one\" # 'x'"};
  const auto files = SshFiles::make(settings, "/tmp/socket");
  ASSERT_TRUE(files);
  const std::string config = understood(*files);
  EXPECT_NE(config.find("\nhostname fe80::1%eth0\n"), std::string::npos) << config;
  EXPECT_NE(config.find("\nuser DOM\\some \"one\" # 'x'\n"), std::string::npos) << config;
  EXPECT_NE(config.find("\nport 2222\n"), std::string::npos) << config;
  EXPECT_NE(config.find("\nbatchmode yes\n"), std::string::npos) << config;
  EXPECT_EQ(answer_for_password(*files), "nobody answers");
}

TEST_F(FilesForSsh, TheShellThatRunsTheProxyCommandSeesNothingOfTheConfiguration) {
  SshSettings settings;
  settings.target = {.host = "a'$(id)'`id`", .port = 2222, .user = "u"};
  settings.bastion = SshHost{.host = "b'$(id)'", .port = 2223, .user = "v"};
  const auto files = SshFiles::make(settings, "/tmp/socket");
  ASSERT_TRUE(files);
  const std::string config = understood(*files);
  const std::size_t begin = config.find("\nproxycommand ");
  ASSERT_NE(begin, std::string::npos) << config;
  const std::string command = config.substr(begin + 1, config.find('\n', begin + 1) - begin - 1);
  EXPECT_EQ(command.find("id"), std::string::npos) << command;
  EXPECT_NE(command.find(" -W \"$TOFU_SSH_FORWARD_TO\" bastion"), std::string::npos) << command;
  const auto environment = files->environment();
  EXPECT_NE(std::ranges::find(environment, std::pair<std::string, std::string>(
                                               "TOFU_SSH_FORWARD_TO", "[a'$(id)'`id`]:2222")),
            environment.end());
}

TEST_F(FilesForSsh, APasswordIsAnsweredAndStandsNowhereElse) {
  SshSettings settings;
  settings.target = {.host = "h", .user = "u", .password = "p$w \"x' \\n%h"};
  const auto files = SshFiles::make(settings, "/tmp/socket");
  ASSERT_TRUE(files);
  EXPECT_EQ(answer_for_password(*files), settings.target.password);
  EXPECT_EQ(base::read_file(files->config())->find("p$w"), std::string::npos);
  for (const auto& [name, text] : files->environment())
    EXPECT_EQ(text.find("p$w"), std::string::npos);
  const std::string config = understood(*files);
  EXPECT_NE(config.find("\nbatchmode no\n"), std::string::npos) << config;
}

TEST_F(FilesForSsh, TheAgentIsLeftOutIfItIsNotWanted) {
  SshSettings settings;
  settings.target = {.host = "h", .user = "u"};
  settings.agent = false;
  const auto files = SshFiles::make(settings, "/tmp/socket");
  ASSERT_TRUE(files);
  const std::string config = understood(*files);
  EXPECT_NE(config.find("\nidentityagent none\n"), std::string::npos) << config;
  EXPECT_NE(config.find("\nforwardagent no\n"), std::string::npos) << config;
}

TEST_F(Connections, ADamagedKeyIsNotTriedAgainAndAgain) {
  EXPECT_EQ(with({{"host", text("127.0.0.1")},
                  {"private_key", text("-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n")}}),
            "a private key of the connection cannot be read: it is damaged, or protected by a "
            "passphrase, which is not supported");
}

}  // namespace
}  // namespace tofu::provisioners

// An ssh server on loopback, for tests: a process of OpenSSH's sshd for each connection.
//
// It lets in this user, by keys that it makes. Its files are in a directory of its own,
// which goes away with it.
#pragma once

#include <arpa/inet.h>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <netinet/in.h>
#include <pwd.h>
#include <spawn.h>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/file.h"
#include "process/process.h"

extern char** environ;

namespace tofu::provisioners {

class LoopbackSshd {
 public:
  static constexpr const char* kProgram = "/usr/sbin/sshd";

  // Empty if there can be one here, or else why not.
  static std::string why_not() {
    if (::access(kProgram, X_OK) != 0) return "there is no sshd (Debian: openssh-server)";
    // Where sshd goes to give up privileges: made when the machine starts it as a service.
    if (::getuid() == 0 && ::access("/run/sshd", F_OK) != 0 && ::mkdir("/run/sshd", 0755) != 0) {
      return "there is no /run/sshd";
    }
    return "";
  }

  LoopbackSshd() {
    std::string pattern = "/tmp/tofu-sshd-XXXXXX";
    directory = ::mkdtemp(pattern.data());
    make_key("host");
    make_key("user");
    std::filesystem::copy(directory + "/user.pub", directory + "/authorized");
    std::ofstream(directory + "/config")
        << "HostKey " << directory << "/host\nAuthorizedKeysFile " << directory << "/authorized\n"
        << "PidFile none\nUsePAM no\nStrictModes no\nPasswordAuthentication no\n"
        << "PermitRootLogin yes\nAllowAgentForwarding yes\nPrintMotd no\n"
        << "SetEnv TOFU_TEST=" << directory << "\n";
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    socklen_t length = sizeof address;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
    ::listen(listener_, 16);
    port = ntohs(address.sin_port);
    thread_ = std::jthread([this] { serve(); });
  }
  LoopbackSshd(const LoopbackSshd&) = delete;
  LoopbackSshd& operator=(const LoopbackSshd&) = delete;
  ~LoopbackSshd() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
    for (const pid_t each : servers_) {
      ::kill(each, SIGTERM);
      ::waitpid(each, nullptr, 0);
    }
    std::filesystem::remove_all(directory);
  }

  std::string file(const std::string& name) const {
    return *base::read_file(directory + "/" + name);
  }
  static std::string user() { return ::getpwuid(::getuid())->pw_name; }
  void make_key(const std::string& name, const std::string& type = "ed25519") const {
    (void)process::run_guarded(
        {{"ssh-keygen", "-q", "-t", type, "-N", "", "-C", name, "-f", directory + "/" + name}})
        .ok();
  }
  void allow(const std::string& name) const {
    std::ofstream(directory + "/authorized", std::ios::app) << file(name + ".pub");
  }

  std::string directory;
  std::uint16_t port = 0;
  std::atomic<int> connections = 0;  // that were made
  std::atomic<int> refusals = 0;     // to make before one is let in

 private:
  void serve() {
    while (true) {
      const int accepted = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (accepted < 0) return;
      ++connections;
      if (refusals > 0) {
        --refusals;
      } else {
        servers_.push_back(start(accepted));
      }
      ::close(accepted);
    }
  }
  pid_t start(int connection) const {
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, connection, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, connection, STDOUT_FILENO);
    const std::string config = directory + "/config";
    const std::string log = directory + "/log";
    const char* arguments[] = {kProgram, "-i", "-f", config.c_str(), "-E", log.c_str(), nullptr};
    char* const environment[] = {nullptr};  // not this one, which tests change meanwhile
    pid_t server = 0;
    ::posix_spawn(&server, kProgram, &actions, nullptr, const_cast<char* const*>(arguments),
                  environment);
    ::posix_spawn_file_actions_destroy(&actions);
    return server;
  }

  int listener_ = -1;
  std::vector<pid_t> servers_;
  std::jthread thread_;
};

}  // namespace tofu::provisioners

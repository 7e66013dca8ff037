#include "provisioners/provisioner_ssh.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/stop_wait.h"
#include "base/task.h"
#include "base/temporary_directory.h"
#include "provisioners/provisioner_parts.h"
#include "provisioners/provisioner_ssh_files.h"

namespace tofu::provisioners {

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kTarget = "target";  // our name for the machine; its own is configured

struct Problem {
  std::string what = {};  // empty: there was no answer at all
  bool is_final = false;  // another attempt would fare no better
};

// The process that keeps the connection. It is ended with the object.
class Keeper {
 public:
  explicit Keeper(process::GuardedProcess process) : process_(std::move(process)) {
    process_.deadline = {};
    process_.stop = ended_.get_token();
    process_.on_output = [this](std::string_view) { return settle(true), true; };
    thread_ = std::jthread([this] { task_.run([this] { run(); }); });
  }
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  ~Keeper() { ended_.request_stop(); }

  // Whether there is a connection. False when it failed or the time is up.
  bool wait(Clock::time_point until, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    settled_.wait_until(lock, stop, until, [this] { return connected_.has_value(); });
    return connected_.value_or(false);
  }
  // Why there is none.
  Problem problem() {
    ended_.request_stop();
    if (thread_.joinable()) thread_.join();
    task_.check();
    return problem_;
  }

 private:
  void settle(bool connected) {
    const std::lock_guard lock(mutex_);
    if (!connected_) connected_ = connected;
    settled_.notify_all();
  }
  void run() {
    const auto result = process::run_guarded(process_);
    if (result) {
      problem_.what = last_words(result->errors);
    } else if (!ended_.stop_requested()) {
      problem_ = {"ssh cannot be run: " + result.error().what, true};
    }
    settle(false);
  }

  process::GuardedProcess process_;
  base::Task task_;
  std::stop_source ended_;
  Problem problem_;
  std::mutex mutex_;  // for connected_
  std::condition_variable_any settled_;
  std::optional<bool> connected_;
  std::jthread thread_;
};

std::string describe(const SshHost& host) {
  std::string with;
  const auto add = [&](bool has, std::string_view what) {
    if (has) with += fmt::format("{}{}", with.empty() ? ", with a " : " and a ", what);
  };
  add(!host.private_key.empty(), "private key");
  add(!host.certificate.empty(), "certificate");
  add(!host.password.empty(), "password");
  return fmt::format(
      "{} port {} as {}{}, {}", host.host, host.port, host.user, with,
      host.host_key.empty() ? "without checking its host key" : "checking its host key");
}

}  // namespace

std::string last_words(std::string_view errors) {
  std::vector<std::string_view> lines;
  while (!errors.empty()) {
    const std::size_t end = errors.find_first_of("\r\n");
    const std::string_view line = errors.substr(0, end);
    if (!line.empty()) lines.push_back(line);
    if (end == std::string_view::npos) break;
    errors.remove_prefix(end + 1);
  }
  if (lines.empty()) return "ssh did not say why";
  std::string words(lines.back());
  if (lines.size() > 1) words = fmt::format("{}; {}", lines[lines.size() - 2], words);
  while (words.ends_with('.')) words.pop_back();
  return words;
}

struct SshConnection::Impl {
  base::TemporaryDirectory directory;  // of the socket
  SshFiles files;
  bool is_windows;
  std::unique_ptr<Keeper> keeper = nullptr;

  process::GuardedProcess process(std::vector<std::string> more) const {
    process::GuardedProcess process;
    process.arguments = {"ssh", "-F", files.config()};
    process.arguments.insert(process.arguments.end(), more.begin(), more.end());
    process.environment = files.environment();
    return process;
  }
  // Nothing, or why there is no connection.
  std::optional<Problem> connect(Clock::time_point until, const std::stop_token& stop) {
    // The local command is run when the connection is there and can be used.
    auto made = std::make_unique<Keeper>(process({"-M", "-N", "-o", "PermitLocalCommand=yes", "-o",
                                                  "LocalCommand=echo connected", kTarget}));
    if (!made->wait(until, stop)) return made->problem();
    keeper = std::move(made);
    return std::nullopt;
  }
};

SshConnection::SshConnection(std::unique_ptr<Impl> inside) : impl_(std::move(inside)) {}
SshConnection::~SshConnection() = default;

base::Result<std::unique_ptr<SshConnection>> SshConnection::open(const SshSettings& settings,
                                                                 const Output& output,
                                                                 const std::stop_token& stop) {
  // Paths of sockets are short, whatever the user's directory for such things is.
  auto directory = base::TemporaryDirectory::make("/tmp", "tofu-ssh");
  if (!directory) return directory.error();
  auto files = SshFiles::make(settings, directory->path() + "/socket");
  if (!files) return files.error();
  if (auto fits = files->check_keys(); !fits) return fits.error();
  auto inside =
      std::make_unique<Impl>(Impl{std::move(*directory), std::move(*files), settings.is_windows});
  const Clock::time_point end = Clock::now() + settings.timeout;
  constexpr std::chrono::seconds kMaxPause{20};
  std::chrono::seconds delay{1};
  std::string reason = "no response";  // of the last attempt that had the time to fail
  while (true) {
    if (output) {
      output(fmt::format("Connecting over ssh to {}...", describe(settings.target)));
      if (settings.bastion) {
        output(fmt::format("  through the bastion {}", describe(*settings.bastion)));
      }
    }
    const auto problem = inside->connect(end, stop);
    if (!problem) break;
    if (problem->is_final) return base::Error{problem->what};
    if (!problem->what.empty()) reason = problem->what;
    const Clock::duration left = end - Clock::now();
    const bool goes_on = !stop.stop_requested() && left > delay && base::sleep_for(delay, stop);
    if (stop.stop_requested()) return base::Error{"it was interrupted"};
    if (!goes_on) {
      return base::Error{
          fmt::format("connecting to {} timed out; last error: {}", settings.target.host, reason)};
    }
    delay = std::min(2 * delay, kMaxPause);
  }
  if (output) output("Connected.");
  return std::make_unique<SshConnection>(std::move(inside));
}

base::Result<process::GuardedResult> SshConnection::talk(const std::string& command,
                                                         process::GuardedProcess process,
                                                         const std::stop_token& stop) const {
  process::GuardedProcess all = impl_->process({"-T", kTarget, command});
  process.arguments = std::move(all.arguments);
  process.environment = std::move(all.environment);
  process.deadline = {};
  process.stop = stop;
  return process::run_guarded(process);
}

base::Result<int> SshConnection::run(const std::string& command, const Output& output,
                                     const std::stop_token& stop) const {
  process::GuardedProcess process =
      impl_->process({impl_->is_windows ? "-T" : "-tt", kTarget, command});
  const Output without_return = [&](std::string_view line) {
    output(line.substr(0, line.find_last_not_of('\r') + 1));
  };
  Lines lines(without_return);
  process.deadline = {};
  process.stop = stop;
  process.joins_errors = impl_->is_windows;  // else both are one on the terminal already
  process.on_output = [&](std::string_view text) { return lines.add(text), true; };
  process.on_quiet = [&] { lines.flush(); };
  const auto ended = process::run_guarded(process);
  lines.flush();
  if (!ended) {
    if (stop.stop_requested()) return base::Error{"it was interrupted"};
    return base::Error{"ssh cannot be run: " + ended.error().what};
  }
  constexpr int kNoConnection = 255;
  if (ended->exit_status == kNoConnection && !ended->errors.empty()) {
    return base::Error{"the connection broke: " + last_words(ended->errors)};
  }
  return ended->exit_status;
}

}  // namespace tofu::provisioners

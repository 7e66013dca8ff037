#include "providers/plugin_process.h"

#include <array>
#include <cerrno>
#include <sys/epoll.h>
#include <unistd.h>

#include "providers/handshake.h"

namespace tofu::providers {

namespace {

// How often it is asked whether a process has ended, when that is waited for.
constexpr std::chrono::milliseconds kPoll{2};

constexpr int kPiecesAtOnce = 16;

// The available output. Nothing: not now; empty: the end.
std::optional<std::string_view> read_some(int descriptor, std::array<char, 65536>& buffer) {
  while (true) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count >= 0) return std::string_view(buffer.data(), static_cast<std::size_t>(count));
    if (errno == EAGAIN) return std::nullopt;
    if (errno != EINTR) return std::string_view();
  }
}

}  // namespace

PluginProcess::~PluginProcess() {
  if (timer_) loop_.cancel(*timer_);
  if (reads_output_) loop_.forget(child_->output());
  if (reads_errors_) loop_.forget(child_->errors());
}

base::Result<void> PluginProcess::start(
    const PluginExecutable& executable,
    const std::vector<std::pair<std::string, std::string>>& environment,
    std::function<void(std::optional<std::string>)> on_line) {
  auto started = process::ChildProcess::start({executable.path}, environment, executable.program);
  if (!started) return started.error();
  child_.emplace(std::move(*started));
  on_line_ = std::move(on_line);
  reads_output_ = reads_errors_ = true;
  loop_.watch(child_->output(), EPOLLIN, [this](std::uint32_t) { read_output(); });
  loop_.watch(child_->errors(), EPOLLIN, [this](std::uint32_t) { read_errors(); });
  return {};
}

void PluginProcess::read_output() {
  std::array<char, 65536> buffer;
  const auto piece = read_some(child_->output(), buffer);
  if (!piece) return;
  if (piece->empty()) {
    loop_.forget(child_->output());
    reads_output_ = false;
  }
  if (!on_line_) {
    if (!piece->empty()) log_.unexpected("standard output", *piece);
    return;
  }
  output_ += *piece;
  const std::size_t feed = output_.find('\n');
  const bool is_whole = feed != std::string::npos || output_.size() > kMaxHandshake;
  if (!is_whole && !piece->empty()) return;
  const auto on_line = std::exchange(on_line_, nullptr);
  std::optional<std::string> line;
  if (!output_.empty()) line = std::exchange(output_, {}).substr(0, feed);
  on_line(std::move(line));
}

void PluginProcess::read_errors() {
  std::array<char, 65536> buffer;
  // A plugin that never stops writing must not keep the loop from everything else.
  for (int pieces = 0; pieces < kPiecesAtOnce && reads_errors_; ++pieces) {
    const auto piece = read_some(child_->errors(), buffer);
    if (!piece) return;
    if (!piece->empty()) {
      log_.receive(*piece);
      continue;
    }
    log_.end();
    loop_.forget(child_->errors());
    reads_errors_ = false;
  }
}

void PluginProcess::await_end(std::chrono::milliseconds limit,
                              std::function<void(std::optional<int>)> done) {
  on_end_ = std::move(done);
  end_limit_ = IoLoop::Clock::now() + limit;
  poll_end();
}

void PluginProcess::poll_end() {
  timer_.reset();
  const std::optional<int> status = child_ ? child_->ended() : 0;
  if (!status && IoLoop::Clock::now() < end_limit_) {
    timer_ = loop_.after(kPoll, [this] { poll_end(); });
    return;
  }
  // Its child processes may hold its standard error open: what is there now is all.
  if (child_) read_errors();
  const auto done = std::exchange(on_end_, nullptr);
  if (done) done(status);
}

void PluginProcess::kill() {
  if (child_) child_->kill();
}

}  // namespace tofu::providers

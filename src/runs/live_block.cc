#include "runs/live_block.h"

#include <chrono>
#include <fmt/format.h>
#include <string>

#include "base/terminal.h"

namespace tofu::runs {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kUsualWidth = 80;
constexpr std::size_t kTallest = 12;  // a line for each call that runs, and one above
constexpr int kStandardOutput = 1;
constexpr std::chrono::seconds kInterval{1};
constexpr std::chrono::milliseconds kShortest{50};  // between drawings because of events

std::size_t width_now() {
  const auto width = base::terminal_width(kStandardOutput);
  return width && *width > 1 ? static_cast<std::size_t>(*width) : kUsualWidth;
}

// Without what only changes colors.
std::size_t columns_of(std::string_view line) {
  std::size_t columns = 0;
  bool in_escape = false;
  for (const char c : line) {
    if (c == '\x1b') in_escape = true;
    const bool continues = (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
    if (!in_escape && !continues) ++columns;
    if (in_escape && c == 'm') in_escape = false;
  }
  return columns;
}

}  // namespace

LiveBlock::LiveBlock(cli::Output& out, std::size_t total)
    : out_(out), block_(total, Clock::now(), true), thread_([this] { work(); }) {}

LiveBlock::~LiveBlock() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
  erase(width_now());
  out_.flush();
}

void LiveBlock::work() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kInterval, [this] { return ends_; })) draw();
}

void LiveBlock::on(const plans::Event& event, std::string_view above) {
  const std::lock_guard lock(mutex_);
  block_.on(event, Clock::now());
  if (!above.empty()) {
    erase(width_now());
    out_.write(above);
  } else if (Clock::now() - drawn_at_ < kShortest) {
    return;  // thousands of events a second cannot be seen
  }
  draw();
}

// A terminal that became narrower has broken lines that are too long for it.
void LiveBlock::erase(std::size_t width) {
  std::size_t rows = 0;
  for (const std::size_t columns : drawn_) rows += columns == 0 ? 1 : (columns + width - 1) / width;
  if (rows != 0) out_.write(fmt::format("\r\x1b[{}A\x1b[J", rows));
  drawn_.clear();
}

void LiveBlock::draw() {
  const std::size_t width = width_now();
  drawn_at_ = Clock::now();
  erase(width);
  // A line as wide as the terminal would break on some.
  for (const std::string& line : block_.lines(Clock::now(), width - 1, kTallest)) {
    out_.line(line);
    drawn_.push_back(columns_of(line));
  }
  out_.flush();
}

}  // namespace tofu::runs

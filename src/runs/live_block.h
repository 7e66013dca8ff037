// The block of a terminal that shows how far an apply is, drawn again with every event and
// every second.
//
// Lines that stay are written above it. The width is asked anew for each drawing, because
// people change it. When it goes away, so does the block.
//
// Threads: any. No other code writes to the terminal while it lives.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "cli/output.h"
#include "plans/events.h"
#include "views/progress_block.h"

namespace tofu::runs {

class LiveBlock {
 public:
  // `total` is how many actions there are. `out` is a terminal that moves its cursor.
  LiveBlock(cli::Output& out, std::size_t total);
  LiveBlock(const LiveBlock&) = delete;
  LiveBlock& operator=(const LiveBlock&) = delete;
  ~LiveBlock();

  // `above` are whole lines, or nothing.
  void on(const plans::Event& event, std::string_view above);

 private:
  void work();
  void erase(std::size_t width);
  void draw();

  cli::Output& out_;
  std::mutex mutex_;  // for everything below
  std::condition_variable changed_;
  views::ProgressBlock block_;
  std::vector<std::size_t> drawn_;  // how long each line is that is there now
  views::ProgressBlock::Time drawn_at_ = {};
  bool ends_ = false;
  std::thread thread_;  // started last
};

}  // namespace tofu::runs

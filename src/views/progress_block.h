// Progress of an apply, as one block of a terminal that is redrawn: the overall progress, the
// running operations with their durations, and the slow ones.
//
//   [##########                    ] 100 of 300, 1 failed, 1m5s
//     aws_instance.a: creating, 12s
//     aws_instance.b: creating, 1m4s (slow)
//     and 8 more
//
// Fed with the events of a run; what time it is and how wide the terminal is comes from
// outside, so that a recorded run can be replayed. Drawing is for the caller: every line
// fits the width.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "plans/events.h"

namespace tofu::views {

class ProgressBlock {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // `total` is how many actions the plan has, replacements counting as two.
  ProgressBlock(std::size_t total, Time start, bool color)
      : total_(total), start_(start), color_(color) {}

  void on(const plans::Event& event, Time now);
  // At most `height` lines of at most `width` columns, without line feeds.
  std::vector<std::string> lines(Time now, std::size_t width, std::size_t height) const;

 private:
  struct Running {
    std::string address;
    std::string what;  // "creating"
    Time since;
  };

  void begin(const plans::Subject& subject, std::string what, Time now);
  void end(const plans::Subject& subject);
  std::string head(Time now, std::size_t width) const;
  std::string line(const Running& running, Time now, std::size_t width) const;

  std::size_t total_;
  Time start_;
  bool color_;
  std::vector<Running> running_;  // oldest first
  std::size_t done_ = 0;
  std::size_t failed_ = 0;
};

// How many actions a plan has.
std::size_t action_count(const plans::Plan& plan);

}  // namespace tofu::views

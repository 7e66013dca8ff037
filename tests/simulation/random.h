// Random numbers that follow from a seed alone, on every machine. Making a generator costs nothing,
// so that each part of a history can have its own.
#pragma once

#include <cstdint>

namespace tofu::simulation {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  // splitmix64
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB;
    return mixed ^ mixed >> 31;
  }
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }
  // True one time in `times`.
  bool one_in(std::uint64_t times) { return below(times) == 0; }

 private:
  std::uint64_t state_;
};

}  // namespace tofu::simulation

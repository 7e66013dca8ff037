// Plays histories in a simulated world and says which of them are not as they have to be.
//
//   simulate [--seconds N] [--first] [SEED] [COUNT]
//
// That is COUNT histories from SEED on, or as many as there is time for. Without a seed, the clock
// gives one. A violation is printed with its seed and the shortest history that shows it; after
// three of them it ends, with --first after one that is not made shorter. Then the status is 1.
#include <charconv>
#include <chrono>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <vector>

#include "base/thread.h"
#include "syntax/ast.h"
#include "tests/simulation/history.h"
#include "tests/simulation/world.h"

namespace {

using tofu::simulation::History;
using tofu::simulation::Tally;

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

void show(std::uint64_t seed, const std::string& violation) {
  fmt::print("seed {}: {}\n", seed, violation);
  Tally ignored;
  const History shortest =
      tofu::simulation::shorten(tofu::simulation::history_of(seed), [&](const History& history) {
        return tofu::simulation::violation_of(history, ignored).has_value();
      });
  std::string log;
  const auto last = tofu::simulation::violation_of(shortest, ignored, &log);
  fmt::print("The shortest history: {}\n{}{}\n", last.value_or("(it does not repeat)"),
             tofu::simulation::describe(shortest), log);
}

struct Options {
  std::uint64_t seed = 0;
  std::uint64_t count = 10'000;
  std::chrono::seconds limit = std::chrono::hours(24 * 365);
  bool ends_at_first = false;
};

bool read(const std::vector<std::string_view>& arguments, Options& options) {
  const auto clock = std::chrono::system_clock::now().time_since_epoch();
  options.seed = static_cast<std::uint64_t>(clock.count()) % 1'000'000'000 * 1'000;
  int numbers = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--first") {
      options.ends_at_first = true;
      continue;
    }
    const bool is_limit = arguments[i] == "--seconds";
    if (is_limit && ++i == arguments.size()) return false;
    const auto given = number(arguments[i]);
    if (!given || (!is_limit && ++numbers > 2)) return false;
    if (is_limit) {
      options.limit = std::chrono::seconds(*given);
      options.count = ~std::uint64_t{0};
    } else {
      (numbers == 1 ? options.seed : options.count) = *given;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  tofu::base::allow_stack(tofu::syntax::kTaskStack);
  Options options;
  if (!read(std::vector<std::string_view>(argv + 1, argv + argc), options)) {
    fmt::print(stderr, "Usage: simulate [--seconds N] [--first] [SEED] [COUNT]\n");
    return 2;
  }
  fmt::print("Histories from seed {} on.\n", options.seed);
  Tally tally;
  std::uint64_t played = 0;
  std::uint64_t failed = 0;
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::steady_clock::now() - start; };
  const std::uint64_t most = options.ends_at_first ? 1 : 3;
  for (; played < options.count && failed < most && elapsed() < options.limit; ++played) {
    const std::uint64_t now = options.seed + played;
    const auto violation = tofu::simulation::violation_of(tofu::simulation::history_of(now), tally);
    if (!violation) continue;
    ++failed;
    if (options.ends_at_first) {
      fmt::print("seed {}: {}\n", now, *violation);
    } else {
      show(now, *violation);
    }
  }
  const double seconds = std::chrono::duration<double>(elapsed()).count();
  fmt::print(
      "{} histories in {:.1f} s ({:.0f} per second): {} runs, {} incidents, {} objects created\n",
      played, seconds, static_cast<double>(played) / seconds, tally.runs, tally.incidents,
      tally.objects);
  // The continuous build counts this program as one, and each violation.
  fmt::print("test programs: {} passed, {} failed\n", failed == 0 ? 1 : 0, failed);
  return failed == 0 ? 0 : 1;
}

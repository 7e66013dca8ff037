#include "plans/order_codec.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tofu::plans {

namespace {

using value::PackReader;
using value::PackWriter;

constexpr std::size_t kMaxNodes = std::size_t{1} << 31;
constexpr std::int64_t kNone = -1;  // what stands for BoundRows::kNone

// The subjects before, by kind of step: those of one kind mostly follow each other.
using LastSubjects = std::array<std::int64_t, kStepKindCount>;

class OrderWriter {
 public:
  explicit OrderWriter(PackWriter& pack) : pack_(pack) {}

  void write(const BoundRows& rows, const ExecutionOrder& order) {
    pack_.array(10);
    pack_.number(order.program);
    pack_.number(order.rows);
    write_numbers(rows.modules);
    write_numbers(rows.resources);
    write_numbers(rows.providers);
    write_numbers(rows.checks);
    write_numbers(order.rows_with_steps);
    write_steps(order.steps);
    write_waits(order.waits);
    write_numbers(order.forgets);
  }

 private:
  void write_number(std::int64_t number, std::int64_t& last) {
    pack_.integer(number - last);
    last = number;
  }

  void write_numbers(std::span<const std::uint32_t> numbers) {
    pack_.array(numbers.size());
    std::int64_t last = 0;
    for (const std::uint32_t number : numbers) {
      write_number(number == BoundRows::kNone ? kNone : std::int64_t{number}, last);
    }
  }

  void write_steps(std::span<const Step> steps) {
    pack_.array(steps.size());
    LastSubjects last{};
    for (const Step& step : steps) {
      pack_.number(static_cast<std::uint64_t>(step.kind));
      write_number(step.subject, last[static_cast<std::size_t>(step.kind)]);
    }
  }

  // Each edge as its difference from that of the node before.
  void write_waits(const base::Waits& waits) {
    pack_.array(waits.size());
    std::vector<std::int64_t> last;
    for (std::uint32_t node = 0; node < waits.size(); ++node) {
      const auto edges = waits.of(node);
      pack_.array(edges.size());
      last.resize(std::max(last.size(), edges.size()));
      for (std::size_t i = 0; i < edges.size(); ++i) write_number(edges[i], last[i]);
    }
  }

  PackWriter& pack_;
};

class OrderReader {
 public:
  OrderReader(std::size_t change_count, PackReader& pack)
      : change_count_(change_count), pack_(pack) {}

  ExecutionOrder read(BoundRows& rows) {
    ExecutionOrder order;
    pack_.array_of(10);
    order.program = pack_.number();
    order.rows = static_cast<std::uint32_t>(pack_.below(kMaxNodes));
    rows.modules = read_numbers(order.rows, kNone);
    rows.resources = read_numbers(order.rows, kNone);
    rows.providers = read_numbers(order.rows, kNone);
    rows.checks = read_numbers(order.rows, kNone);
    order.rows_with_steps = read_numbers(order.rows);
    read_steps(order);
    read_waits(order);
    order.forgets = read_numbers(change_count_);
    return order;
  }

 private:
  // The next number: one from `least` on, and below `count`. 0 after an error.
  std::int64_t read_number(std::size_t count, std::int64_t& last, std::int64_t least = 0) {
    constexpr std::int64_t kMaxDifference = std::int64_t{1} << 33;
    const std::int64_t difference = pack_.integer();
    if (difference < -kMaxDifference || difference > kMaxDifference) pack_.fail();
    if (pack_.failed()) return 0;
    last += difference;
    if (last >= least && last < static_cast<std::int64_t>(count)) return last;
    pack_.fail();
    return 0;
  }

  std::vector<std::uint32_t> read_numbers(std::size_t count, std::int64_t least = 0) {
    std::vector<std::uint32_t> numbers;
    std::int64_t last = 0;
    const std::size_t size = pack_.array();
    for (std::size_t i = 0; i < size && !pack_.failed(); ++i) {
      const std::int64_t number = read_number(count, last, least);
      numbers.push_back(number == kNone ? BoundRows::kNone : static_cast<std::uint32_t>(number));
    }
    return numbers;
  }

  void read_steps(ExecutionOrder& order) {
    const std::size_t size = pack_.array();
    LastSubjects last{};
    for (std::size_t i = 0; i < size && !pack_.failed(); ++i) {
      Step step;
      step.kind = static_cast<StepKind>(pack_.below(kStepKindCount));
      std::int64_t& before = last[static_cast<std::size_t>(step.kind)];
      step.subject = static_cast<std::uint32_t>(read_number(subjects(step.kind, order), before));
      order.steps.push_back(step);
    }
    if (order.steps.size() >= kMaxNodes) pack_.fail();
  }

  // How many things a step of this kind may be about.
  std::size_t subjects(StepKind kind, const ExecutionOrder& order) const {
    switch (kind) {
      case StepKind::Expand:
      case StepKind::Rest: return order.rows;
      case StepKind::Make:
      case StepKind::Destroy: return change_count_;
      case StepKind::Barrier:
      case StepKind::Forget: return 1;  // none, which is written as 0
    }
    return 0;
  }

  void read_waits(ExecutionOrder& order) {
    const std::size_t node_count = order.rows + order.steps.size();
    const std::size_t lists = order.rows_with_steps.size() + order.steps.size();
    if (pack_.array() != lists) pack_.fail();
    std::vector<std::int64_t> last;
    for (std::size_t node = 0; node < lists && !pack_.failed(); ++node) {
      const std::size_t edges = pack_.array();
      for (std::size_t i = 0; i < edges && !pack_.failed(); ++i) {
        if (i == last.size()) last.push_back(0);
        order.waits.edges.push_back(static_cast<std::uint32_t>(read_number(node_count, last[i])));
      }
      order.waits.close();
    }
  }

  const std::size_t change_count_;
  PackReader& pack_;
};

}  // namespace

void write_order(const BoundRows& rows, const ExecutionOrder& order, PackWriter& pack) {
  OrderWriter(pack).write(rows, order);
}

ExecutionOrder read_order(std::size_t change_count, BoundRows& rows, PackReader& pack) {
  return OrderReader(change_count, pack).read(rows);
}

}  // namespace tofu::plans

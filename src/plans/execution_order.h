// The order in which the changes of a plan are applied, and the rows of the program that they
// belong to.
//
// The nodes of the order are the rows of the program that the plan was made with, then steps. Steps
// exist only if the plan destroys or forgets something: one for each object that is destroyed and
// one for each that is made, beside steps that only hold others back. All other rows wait for what
// the program says. Everything is a number, so that a plan file can have the order; the numbers
// mean something for programs of one fingerprint only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/graph.h"

namespace tofu::plans {

// The rows of a program that the addresses of a plan stand for.
struct BoundRows {
  static constexpr std::uint32_t kNone = 0xffffffff;  // the configuration has no such thing

  std::vector<std::uint32_t> modules;    // by ModuleId: the module's number in the tree
  std::vector<std::uint32_t> resources;  // by ResourceId
  std::vector<std::uint32_t> providers;  // by ProviderId: the configuration that it stands for
  std::vector<std::uint32_t> checks;     // by position in Plan::checks

  bool operator==(const BoundRows&) const = default;
};

enum class StepKind : std::uint8_t {
  Barrier,  // does nothing
  Expand,   // finds the instances of a row
  Make,     // makes, changes or reads one of them
  Rest,     // does what there is to do about the instances of a row that do not change
  Destroy,  // destroys one object
  Forget,   // forgets all that is only forgotten
};
inline constexpr std::size_t kStepKindCount = static_cast<std::size_t>(StepKind::Forget) + 1;

struct Step {
  StepKind kind = StepKind::Barrier;
  std::uint32_t subject = 0;  // of Expand and Rest: a row; of Make and Destroy: a change
  bool operator==(const Step&) const = default;
};

struct ExecutionOrder {
  std::uint64_t program = 0;  // the fingerprint
  std::uint32_t rows = 0;     // of the program; steps have the numbers from here on
  std::vector<Step> steps;
  std::vector<std::uint32_t> rows_with_steps;  // ascending: their instances are made in steps
  base::Waits waits;                           // of the rows with steps, then of all steps
  std::vector<std::uint32_t> forgets;          // changes, of the step Forget
};

}  // namespace tofu::plans

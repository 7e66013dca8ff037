#include "engine/saved_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "engine/order.h"
#include "engine/program_rows.h"

namespace tofu::engine {

namespace {

using plans::Action;
using plans::Step;
using plans::StepKind;

// Whether the steps of an order make every change of its plan once, each in the row of its
// resource. Their numbers are those of rows, changes and nodes that exist: the codec sees to that.
class StepCheck {
 public:
  StepCheck(const plans::Plan& plan, const ExecutionGraph& graph)
      : plan_(plan), graph_(graph), expand_(graph.order.rows), rest_(graph.order.rows) {}

  bool fits() {
    std::vector<std::uint8_t> made(plan_.changes.size());
    std::vector<std::uint8_t> gone(plan_.changes.size());
    for (std::uint32_t node = graph_.order.rows; node < graph_.waits.size(); ++node) {
      const Step& step = graph_.step(node);
      switch (step.kind) {
        case StepKind::Barrier: break;
        case StepKind::Expand:
        case StepKind::Rest: {
          std::uint32_t& place = (step.kind == StepKind::Expand ? expand_ : rest_)[step.subject];
          if (place != 0 || !graph_.has_steps[step.subject]) return false;
          place = node;
          break;
        }
        case StepKind::Make: ++made[step.subject]; break;
        case StepKind::Destroy: ++gone[step.subject]; break;
        case StepKind::Forget:
          for (const std::uint32_t change : graph_.order.forgets) ++gone[change];
          break;
      }
    }
    for (std::size_t i = 0; i < plan_.changes.size(); ++i) {
      const plans::ResourceChange& change = plan_.changes[i];
      const bool goes = destroys(change.action) || change.action == Action::Forget;
      if (made[i] != (is_declared(change) && makes(change.action) ? 1 : 0)) return false;
      if (gone[i] != (goes ? 1 : 0)) return false;
    }
    return are_rows_connected() && are_makes_connected();
  }

 private:
  std::uint32_t row_of(const plans::ResourceChange& change) const {
    return plan_.rows.resources[change.resource.index];
  }
  bool is_declared(const plans::ResourceChange& change) const {
    return row_of(change) != plans::BoundRows::kNone;
  }
  bool waits(std::uint32_t node, std::uint32_t waits_for) const {
    return std::ranges::find(graph_.waits.of(node), waits_for) != graph_.waits.of(node).end();
  }

  // A row ends after the rest of its instances, and they wait until the row is expanded.
  bool are_rows_connected() const {
    return std::ranges::all_of(graph_.order.rows_with_steps, [&](std::uint32_t row) {
      return expand_[row] != 0 && rest_[row] != 0 && waits(rest_[row], expand_[row]) &&
             waits(row, rest_[row]);
    });
  }
  // So do those that are made. There may be many of a row, so their row is not searched for each.
  bool are_makes_connected() const {
    std::vector<bool> is_waited_for(graph_.waits.size());
    for (const std::uint32_t row : graph_.order.rows_with_steps) {
      for (const std::uint32_t node : graph_.waits.of(row)) is_waited_for[node] = true;
    }
    for (std::uint32_t node = graph_.order.rows; node < graph_.waits.size(); ++node) {
      const Step& step = graph_.step(node);
      if (step.kind != StepKind::Make) continue;
      const std::uint32_t row = row_of(plan_.changes[step.subject]);
      if (!graph_.has_steps[row] || !is_waited_for[node] || !waits(node, expand_[row])) {
        return false;
      }
    }
    return true;
  }

  const plans::Plan& plan_;
  const ExecutionGraph& graph_;
  std::vector<std::uint32_t> expand_;  // by row: its step; 0: none
  std::vector<std::uint32_t> rest_;    // likewise
};

plans::BoundRows all_rows(const eval::Program& program, const plans::Plan& plan) {
  plans::BoundRows rows = bound_rows(program, plan.addresses);
  rows.checks = bound_checks(program, plan.checks);
  return rows;
}

bool has_order(const eval::Program& program, const plans::Plan& plan) {
  if (!plan.order || plan.order->rows != program.objects.size() ||
      plan.order->program != fingerprint(program)) {
    return false;
  }
  const plans::ExecutionOrder& order = *plan.order;
  const bool is_ascending =
      std::ranges::adjacent_find(order.rows_with_steps, std::greater_equal()) ==
      order.rows_with_steps.end();
  if (!is_ascending || plan.rows != all_rows(program, plan)) return false;
  if (order.steps.empty() && !order.rows_with_steps.empty()) return false;
  if (order.steps.empty()) {
    return std::ranges::none_of(plan.changes, [](const plans::ResourceChange& change) {
      return destroys(change.action) || change.action == Action::Forget;
    });
  }
  const ExecutionGraph graph = execution_graph(program, order);
  return eval::order(graph.waits).cycles.empty() && StepCheck(plan, graph).fits();
}

}  // namespace

diag::Checked<void> complete_order(const eval::Program& program, Planned& planned,
                                   diag::Diagnostics& diags) {
  if (has_order(program, planned.plan)) return true;
  planned.plan.rows = all_rows(program, planned.plan);
  return set_order(program, planned.plan, planned.prior, diags);
}

}  // namespace tofu::engine

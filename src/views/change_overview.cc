#include "views/change_overview.h"

#include <array>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "views/change_header.h"
#include "views/diff_text.h"

namespace tofu::views {

namespace {

using plans::Action;

struct Line {
  const plans::ResourceChange* first = nullptr;  // of the instances of one resource
  std::size_t instances = 0;
};

struct Section {
  Action action;
  std::string_view title;
};

constexpr std::array<Section, 8> kSections{{
    {Action::Create, "created"},
    {Action::Update, "updated in-place"},
    {Action::DeleteThenCreate, "destroyed and created again"},
    {Action::CreateThenDelete, "created again, then destroyed"},
    {Action::ForgetThenCreate, "forgotten and created again"},
    {Action::Delete, "destroyed"},
    {Action::Forget, "forgotten"},
    {Action::Read, "read"},
}};

std::vector<Line> lines_of(const plans::Plan& plan, const std::vector<std::uint32_t>& shown,
                           Action action) {
  std::vector<Line> lines;
  const plans::ResourceChange* last = nullptr;
  for (const std::uint32_t i : shown) {
    const plans::ResourceChange& change = plan.changes[i];
    if (change.action != action) continue;
    if (last == nullptr || last->resource != change.resource) {
      lines.push_back({&change, 1});
    } else {
      ++lines.back().instances;
    }
    last = &change;
  }
  return lines;
}

}  // namespace

std::string change_overview(const plans::Plan& plan, const std::vector<std::uint32_t>& shown,
                            const Paint& paint) {
  if (shown.size() < kLongPlan) return "";
  std::string text = "\n" + paint.bold("Overview of this plan") + "\n";
  for (const Section& section : kSections) {
    const std::vector<Line> lines = lines_of(plan, shown, section.action);
    if (lines.empty()) continue;
    text += fmt::format("\nTo be {}:\n", section.title);
    const std::string symbol = action_symbol(section.action, paint) + " ";
    for (const Line& line : lines) {
      const bool several = line.instances > 1;
      text += symbol;
      append_address(text, plan.addresses, line.first->resource,
                     several ? addrs::InstanceKey() : line.first->key);
      if (several) text += fmt::format(" ({} instances)", line.instances);
      text += '\n';
    }
  }
  return text;
}

}  // namespace tofu::views

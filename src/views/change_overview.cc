#include "views/change_overview.h"

#include <array>
#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "views/diff_text.h"

namespace tofu::views {

namespace {

using plans::Action;

struct Line {
  std::string address;  // of the instance, or of the resource if there are several
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
      lines.push_back({plan.addresses.instance(change.resource, change.key).to_string(), 1});
    } else if (++lines.back().instances == 2) {
      lines.back().address = plan.addresses.instance(change.resource, {}).to_string();
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
    for (const Line& line : lines) {
      text += action_symbol(section.action, paint) + " " + line.address;
      if (line.instances > 1) text += fmt::format(" ({} instances)", line.instances);
      text += '\n';
    }
  }
  return text;
}

}  // namespace tofu::views

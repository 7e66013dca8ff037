#include "views/progress_block.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/overloaded.h"
#include "base/unicode.h"
#include "diag/wrap.h"
#include "views/apply_progress.h"

namespace tofu::views {

namespace {

using plans::Action;
using std::chrono::seconds;

constexpr seconds kSlow{30};
constexpr std::size_t kWidestBar = 40;
constexpr std::size_t kNarrowestBar = 10;

std::string_view doing(Action action) {
  switch (action) {
    case Action::Create: return "creating";
    case Action::Update: return "modifying";
    case Action::Delete: return "destroying";
    case Action::Read: return "reading";
    case Action::DeleteThenCreate:
    case Action::CreateThenDelete:
    case Action::ForgetThenCreate: return "replacing";
    case Action::NoOp:
    case Action::Forget: return "";
  }
  base::broken_promise("an action out of range");
}

std::string name_of(const plans::Subject& subject) {
  std::string text = subject.address.to_string();
  if (!subject.deposed.empty()) text += " (deposed object " + subject.deposed + ")";
  return diag::safe_for_terminal(text);
}

// The beginning of a text that is too long. Other control sequences are removed: keys may have any
// characters.
std::string fitted(std::string_view text, std::size_t width) {
  std::string out;
  std::size_t columns = 0;
  while (!text.empty()) {
    const std::size_t length = base::decode_utf8(text).length;
    const bool is_control = length == 1 && (text[0] < ' ' || text[0] == '\x7f') &&
                            static_cast<unsigned char>(text[0]) < 0x80;
    if (columns + 1 > width) break;
    if (is_control) {
      out.push_back('?');
    } else {
      out += text.substr(0, length);
    }
    ++columns;
    text.remove_prefix(length);
  }
  if (text.empty() || width < 4) return out;
  // Makes space for dots by removing characters from the end.
  for (int i = 0; i < 3; ++i) {
    while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xc0U) == 0x80U)
      out.pop_back();
    if (!out.empty()) out.pop_back();
  }
  return out + "...";
}

seconds whole_seconds(std::chrono::steady_clock::duration elapsed) {
  return std::max(seconds(0), std::chrono::duration_cast<seconds>(elapsed));
}

}  // namespace

std::size_t action_count(const plans::Plan& plan) {
  std::size_t count = 0;
  for (const plans::ResourceChange& change : plan.changes) {
    const bool counts = !doing(change.action).empty();
    const bool destroys_too =
        change.action == Action::DeleteThenCreate || change.action == Action::CreateThenDelete;
    count += counts ? 1 + static_cast<std::size_t>(destroys_too) : 0;
  }
  return count;
}

void ProgressBlock::begin(const plans::Subject& subject, std::string what, Time now) {
  running_.push_back({name_of(subject), std::move(what), now});
}

void ProgressBlock::end(const plans::Subject& subject) {
  const auto found = std::ranges::find(running_, name_of(subject), &Running::address);
  if (found != running_.end()) running_.erase(found);
}

void ProgressBlock::on(const plans::Event& event, Time now) {
  std::visit(base::Overloaded{
                 [&](const plans::ApplyStart& e) {
                   const std::string_view what = doing(e.action);
                   if (!what.empty()) begin(e.subject, std::string(what), now);
                 },
                 [&](const plans::ApplyComplete& e) {
                   end(e.subject);
                   if (!doing(e.action).empty()) ++done_;
                 },
                 [&](const plans::ApplyErrored& e) {
                   end(e.subject);
                   ++done_;
                   ++failed_;
                 },
                 [&](const plans::ProvisionStart& e) {
                   const auto found =
                       std::ranges::find(running_, name_of(e.subject), &Running::address);
                   if (found != running_.end()) found->what = "provisioning with " + e.provisioner;
                 },
                 [](const auto&) {},
             },
             event);
}

std::string ProgressBlock::head(Time now, std::size_t width) const {
  const std::size_t total = std::max(total_, done_);
  std::string counts = fmt::format(" {} of {}", done_, total);
  if (failed_ != 0) counts += fmt::format(", {} failed", failed_);
  counts += ", " + duration_text(whole_seconds(now - start_));
  const std::size_t left = width > counts.size() + 2 ? width - counts.size() - 2 : 0;
  if (left < kNarrowestBar) return fitted(counts.substr(1), width);
  const std::size_t bar = std::min(left, kWidestBar);
  const std::size_t full = total == 0 ? bar : bar * done_ / total;
  std::string text = "[" + std::string(full, '#') + std::string(bar - full, ' ') + "]" + counts;
  return color_ ? "\x1b[1m" + text + "\x1b[0m" : text;
}

std::string ProgressBlock::line(const Running& running, Time now, std::size_t width) const {
  const seconds elapsed = whole_seconds(now - running.since);
  const bool is_slow = elapsed >= kSlow;
  const std::string rest =
      fmt::format(": {}, {}{}", running.what, duration_text(elapsed), is_slow ? " (slow)" : "");
  const std::size_t room = width > rest.size() + 2 ? width - rest.size() - 2 : 0;
  std::string text = fitted("  " + fitted(running.address, room) + rest, width);
  return color_ && is_slow ? "\x1b[33m" + text + "\x1b[0m" : text;
}

std::vector<std::string> ProgressBlock::lines(Time now, std::size_t width,
                                              std::size_t height) const {
  std::vector<std::string> out;
  if (height == 0 || width == 0) return out;
  out.push_back(head(now, width));
  const std::size_t room = height - 1;
  const bool all = running_.size() <= room;
  const std::size_t shown = all || room == 0 ? std::min(running_.size(), room) : room - 1;
  // Those that run longest are what people wait for.
  for (std::size_t i = 0; i < shown; ++i) out.push_back(line(running_[i], now, width));
  if (!all && room != 0) {
    out.push_back(fitted(fmt::format("  and {} more", running_.size() - shown), width));
  }
  return out;
}

}  // namespace tofu::views

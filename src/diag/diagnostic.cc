#include "diag/diagnostic.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

namespace tofu::diag {

using Entry = Diagnostics::Entry;

Entry& Entry::detail(std::string text) { return it().detail = std::move(text), *this; }
Entry& Entry::at(SourceRange subject) { return it().subject = subject, *this; }
Entry& Entry::at(std::optional<SourceRange> subject) { return it().subject = subject, *this; }
Entry& Entry::within(SourceRange context) { return it().context = context, *this; }
Entry& Entry::in(std::string block) { return it().in = std::move(block), *this; }
Entry& Entry::about(std::string address) { return it().address = std::move(address), *this; }

Entry& Entry::values(std::vector<ShownValue> shown) {
  return it().values = std::move(shown), *this;
}

Entry& Entry::call(ShownCall shown) { return it().call = std::move(shown), *this; }

Entry& Entry::difference(std::optional<ShownDifference> shown) {
  return it().difference = std::move(shown), *this;
}

Diagnostics::Diagnostics(const Diagnostics& other)
    : items_(other.items_), errors_(other.errors_), kept_errors_(other.kept_errors_) {}
Diagnostics::Diagnostics(Diagnostics&& other) noexcept = default;
Diagnostics& Diagnostics::operator=(const Diagnostics& other) { return *this = Diagnostics(other); }
Diagnostics& Diagnostics::operator=(Diagnostics&& other) noexcept = default;
Diagnostics::~Diagnostics() = default;

Entry Diagnostics::error(std::string summary) { return add(Severity::Error, std::move(summary)); }

Entry Diagnostics::warning(std::string summary) {
  return add(Severity::Warning, std::move(summary));
}

bool Diagnostics::is_full(Severity severity) const {
  if (items_.size() < kMaxKept) return false;
  return (severity == Severity::Error ? kept_errors_ : items_.size() - kept_errors_) >= kMaxKept;
}

// One that was left out has an index beyond the last.
Diagnostic& Diagnostics::entry(std::size_t index) {
  if (index < items_.size()) return items_[index];
  if (!left_out_) left_out_ = std::make_unique<Diagnostic>();
  return *left_out_;
}

Entry Diagnostics::add(Severity severity, std::string summary) {
  if (severity == Severity::Error) ++errors_;
  if (is_full(severity)) return {this, std::numeric_limits<std::size_t>::max()};
  if (severity == Severity::Error) ++kept_errors_;
  Diagnostic& added = items_.emplace_back();
  added.severity = severity;
  added.summary = std::move(summary);
  return {this, items_.size() - 1};
}

void Diagnostics::add(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::Error) ++errors_;
  if (is_full(diagnostic.severity)) return;
  if (diagnostic.severity == Severity::Error) ++kept_errors_;
  items_.push_back(std::move(diagnostic));
}

void Diagnostics::take(Diagnostics&& other) {
  if (&other == this) return;
  const std::size_t left_out = other.errors_ - other.kept_errors_;
  if (items_.empty()) {
    items_.swap(other.items_);
    errors_ += other.kept_errors_;
    kept_errors_ = other.kept_errors_;
  } else if (items_.size() + other.items_.size() <= kMaxKept) {
    items_.insert(items_.end(), std::make_move_iterator(other.items_.begin()),
                  std::make_move_iterator(other.items_.end()));
    errors_ += other.kept_errors_;
    kept_errors_ += other.kept_errors_;
  } else {
    for (Diagnostic& each : other.items_) add(std::move(each));
  }
  errors_ += left_out;
  other.clear();
}

void Diagnostics::clear() {
  items_.clear();
  errors_ = 0;
  kept_errors_ = 0;
}

void Diagnostics::sort_by_place() {
  std::ranges::stable_sort(items_, [](const Diagnostic& a, const Diagnostic& b) {
    if (!a.subject || !b.subject) return a.subject.has_value() && !b.subject.has_value();
    return *a.subject < *b.subject;
  });
}

void Diagnostics::sort_for_display(const SourceMap& sources) {
  std::ranges::stable_sort(items_, [&](const Diagnostic& a, const Diagnostic& b) {
    if (a.severity != b.severity) return a.severity == Severity::Warning;
    if (!a.subject || !b.subject) return !a.subject.has_value() && b.subject.has_value();
    const auto key = [&](const SourceRange& range) {
      const std::string_view name = sources.name(range.file);
      // Pieces of one file count from its beginning, so they mix with the whole.
      const std::uint32_t start = sources.position(range.file, 0).byte;
      return std::tuple(std::ranges::count(name, '/'), name, start + range.begin,
                        start + range.end);
    };
    if (a.subject->file == b.subject->file) return *a.subject < *b.subject;
    return key(*a.subject) < key(*b.subject);
  });
}

}  // namespace tofu::diag

#include "diag/diagnostic.h"

#include <algorithm>
#include <iterator>
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

Diagnostics::Diagnostics(const Diagnostics& other) = default;
Diagnostics::Diagnostics(Diagnostics&& other) noexcept = default;
Diagnostics& Diagnostics::operator=(const Diagnostics& other) = default;
Diagnostics& Diagnostics::operator=(Diagnostics&& other) noexcept = default;
Diagnostics::~Diagnostics() = default;

Entry Diagnostics::error(std::string summary) { return add(Severity::Error, std::move(summary)); }

Entry Diagnostics::warning(std::string summary) {
  return add(Severity::Warning, std::move(summary));
}

Entry Diagnostics::add(Severity severity, std::string summary) {
  if (severity == Severity::Error) ++errors_;
  Diagnostic& added = items_.emplace_back();
  added.severity = severity;
  added.summary = std::move(summary);
  return {this, items_.size() - 1};
}

void Diagnostics::add(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::Error) ++errors_;
  items_.push_back(std::move(diagnostic));
}

void Diagnostics::take(Diagnostics&& other) {
  if (&other == this) return;
  if (items_.empty()) {
    items_.swap(other.items_);
  } else {
    items_.insert(items_.end(), std::make_move_iterator(other.items_.begin()),
                  std::make_move_iterator(other.items_.end()));
  }
  errors_ += other.errors_;
  other.clear();
}

void Diagnostics::clear() {
  items_.clear();
  errors_ = 0;
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

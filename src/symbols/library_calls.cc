#include "symbols/library_calls.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "value/hash.h"

namespace tofu::symbols {

namespace {

using syntax::Arguments;
using value::Value;

constexpr std::size_t kMaxCached = 4'096;
constexpr std::size_t kMaxWeight = std::size_t{64} << 20;
// Values are weighed by looking at so many of their parts; larger ones count as a
// sixteenth of everything that may be kept.
constexpr std::size_t kMaxParts = 1'000;
constexpr std::size_t kHeavy = kMaxWeight / 16;
std::uint64_t hash_of(const LibraryFunction& function, Arguments arguments) {
  std::uint64_t hash = reinterpret_cast<std::uintptr_t>(&function);
  for (const Value& argument : arguments) hash = value::mix(hash, argument.hash());
  return hash;
}

// About the bytes that a value takes, without those that it shares with others.
std::size_t weight_of(const Value& whole) {
  std::size_t weight = 0;
  std::size_t parts = 0;
  std::vector<Value> open{whole.unmarked()};
  while (!open.empty()) {
    const Value part = std::move(open.back());
    open.pop_back();
    if (++parts > kMaxParts) return std::max(weight, kHeavy);
    weight += sizeof(Value) + 32;
    switch (part.kind()) {
      case value::Kind::String: weight += part.plain().as_string().size(); break;
      case value::Kind::List:
      case value::Kind::Set:
      case value::Kind::Map:
      case value::Kind::Tuple:
      case value::Kind::Object:
        if (part.plain().size() > kMaxParts) return std::max(weight, kHeavy);
        for (const Value& item : part.plain().items()) open.push_back(item.unmarked());
        break;
      case value::Kind::Null:
      case value::Kind::Unknown:
      case value::Kind::Bool:
      case value::Kind::Number:
      case value::Kind::Capsule:
      case value::Kind::Marked: break;
    }
  }
  return weight;
}

std::size_t weight_of(Arguments arguments, const LibraryCalls::Outcome& outcome) {
  std::size_t weight = outcome ? weight_of(*outcome) : outcome.error().what.size();
  for (const Value& argument : arguments) weight += weight_of(argument);
  return weight;
}

}  // namespace

const LibraryCalls::Entry* LibraryCalls::find(const LibraryFunction& function, Arguments arguments,
                                              std::uint64_t hash) const {
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto at = begin; at != end; ++at) {
    const Entry& entry = *at->second;
    if (entry.function == &function &&
        std::ranges::equal(entry.arguments, arguments, value::raw_equal)) {
      return &entry;
    }
  }
  return nullptr;
}

void LibraryCalls::drop_oldest() {
  const Entry& oldest = entries_.front();
  const auto [begin, end] = by_hash_.equal_range(oldest.hash);
  by_hash_.erase(std::find_if(begin, end, [&](const auto& at) { return at.second == &oldest; }));
  weight_ -= oldest.weight;
  entries_.pop_front();
}

void LibraryCalls::keep(Entry entry) {
  if (entry.weight > kMaxWeight) return;
  weight_ += entry.weight;
  entries_.push_back(std::move(entry));
  by_hash_.emplace(entries_.back().hash, &entries_.back());
  while (entries_.size() > kMaxCached || weight_ > kMaxWeight) drop_oldest();
}

void LibraryCalls::leave() {
  const auto running = running_.find(std::this_thread::get_id());
  if (--running->second.depth == 0) running_.erase(running);
}

LibraryCalls::Outcome LibraryCalls::call(const LibraryFunction& function, Arguments arguments,
                                         const std::function<Outcome()>& compute) {
  const std::uint64_t hash = hash_of(function, arguments);
  {
    const std::lock_guard lock(mutex_);
    if (const Entry* known = find(function, arguments, hash)) return known->outcome;
    Running& running = running_[std::this_thread::get_id()];
    if (running.calls == kMaxCalls) {
      running.refused = true;
      return syntax::CallError{too_many_calls(), std::nullopt};
    }
    ++running.calls;
    ++running.depth;
  }
  Outcome outcome = compute();
  Entry entry{&function,
              {arguments.begin(), arguments.end()},
              outcome,
              hash,
              weight_of(arguments, outcome)};
  const std::lock_guard lock(mutex_);
  const bool refused = running_[std::this_thread::get_id()].refused;
  leave();
  // try() must not make a result of it, and with more calls left there might be one.
  if (refused) {
    return outcome ? syntax::CallError{too_many_calls(), std::nullopt} : std::move(outcome).error();
  }
  if (find(function, arguments, hash) == nullptr) keep(std::move(entry));
  return outcome;
}

std::string LibraryCalls::too_many_calls() {
  return fmt::format("this takes more than {} calls of functions in symbol libraries", kMaxCalls);
}

std::size_t LibraryCalls::kept() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

LibraryCalls::Evaluation::Evaluation(LibraryCalls& calls) : calls_(calls) {
  const std::lock_guard lock(calls_.mutex_);
  calls_.enter();
}

LibraryCalls::Evaluation::~Evaluation() {
  const std::lock_guard lock(calls_.mutex_);
  calls_.leave();
}

bool LibraryCalls::Evaluation::is_exhausted() const {
  const std::lock_guard lock(calls_.mutex_);
  return calls_.running_.at(std::this_thread::get_id()).refused;
}

}  // namespace tofu::symbols

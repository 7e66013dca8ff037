#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <numeric>
#include <utility>

#include "base/arena.h"
#include "base/unicode.h"
#include "value/hash.h"
#include "value/json.h"
#include "value/json_scanner.h"
#include "value/object_shape.h"

namespace tofu::value {
namespace {

// Builds values from the inside out on two stacks, so that depth costs nothing.
class ValueSink {
 public:
  ValueSink(JsonScanner& scanner, std::string_view source) : scanner_(scanner), source_(source) {}

  bool null() { return add(Value::null()); }
  bool boolean(bool truth) { return add(Value::boolean(truth)); }
  bool string(std::string_view text) { return add(Value::string(text)); }
  bool number(std::string_view text) {
    auto parsed = Number::parse(text);
    if (!parsed) return scanner_.fail("a number has an exponent that is too large");
    return add(Value::number(*std::move(parsed)));
  }
  bool open(bool is_object) {
    frames_.push_back({is_object, values_.size(), names_.size()});
    return true;
  }
  bool name(std::string_view text) {
    // OpenTofu looks attributes up by the name as written, and misses one that
    // normalizes to something else.
    if (!is_plain_ascii(text) && !base::is_nfc(text)) {
      return scanner_.fail(fmt::format("the property name {} is not in Unicode normal form C",
                                       base::quote_go(text)));
    }
    // A name without escapes stays where it stands; others are only lent.
    const bool in_source = std::less_equal<>()(source_.data(), text.data()) &&
                           std::less_equal<>()(text.data(), source_.data() + source_.size());
    names_.push_back(in_source ? text : unescaped_.copy(text));
    return true;
  }
  bool close() {
    const Frame frame = frames_.back();
    frames_.pop_back();
    std::vector<Value> items(
        std::make_move_iterator(values_.begin() + static_cast<std::ptrdiff_t>(frame.first_value)),
        std::make_move_iterator(values_.end()));
    values_.resize(frame.first_value);
    if (!frame.is_object) return add(Value::tuple(std::move(items)));
    return close_object(frame, std::move(items));
  }

  Value result() { return std::move(values_.front()); }

 private:
  struct Frame {
    bool is_object;
    std::size_t first_value;
    std::size_t first_name;
  };

  bool add(Value v) {
    values_.push_back(std::move(v));
    return true;
  }

  bool close_object(const Frame& frame, std::vector<Value> items) {
    std::span<std::string_view> names = std::span(names_).subspan(frame.first_name);
    const bool ascending =
        std::adjacent_find(names.begin(), names.end(), std::greater_equal<>()) == names.end();
    std::size_t count = items.size();
    if (!ascending) {
      const auto kept = sort_members(names, items);
      if (!kept) return false;
      count = *kept;
    }
    items.resize(count);
    Value made = object_of(names.first(count), std::move(items));
    names_.resize(frame.first_name);
    return add(std::move(made));
  }

  // Sorts by name and drops all but the last of a name; gives how many are left.
  std::optional<std::size_t> sort_members(std::span<std::string_view> names,
                                          std::vector<Value>& items) {
    std::vector<std::size_t> order(names.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return names[a] < names[b]; });
    std::vector<std::string_view> sorted_names;
    std::vector<Value> sorted_items;
    for (const std::size_t i : order) {
      if (sorted_names.empty() || sorted_names.back() != names[i]) {
        sorted_names.push_back(names[i]);
        sorted_items.push_back(std::move(items[i]));
        continue;
      }
      if (sorted_items.back().type() != items[i].type()) {
        scanner_.fail(fmt::format("an object has the property {} twice, with different types",
                                  base::quote_go(names[i])));
        return std::nullopt;
      }
      sorted_items.back() = std::move(items[i]);
    }
    std::copy(sorted_names.begin(), sorted_names.end(), names.begin());
    items = std::move(sorted_items);
    return items.size();
  }

  JsonScanner& scanner_;
  std::string_view source_;
  std::vector<Value> values_;
  std::vector<std::string_view> names_;
  std::vector<Frame> frames_;
  base::Arena unescaped_;
};

}  // namespace

base::Result<Value> parse_json(std::string_view text) {
  JsonScanner scanner(text);
  ValueSink sink(scanner, text);
  if (!scanner.walk(sink)) return scanner.error();
  // Go's reader takes a closing bracket behind the document for its end, and
  // jsondecode has always let that pass.
  const int behind = scanner.peek();
  if (behind != JsonScanner::kEnd && behind != ']' && behind != '}') {
    scanner.fail_unexpected("the end of the text");
    return scanner.error();
  }
  return sink.result();
}

}  // namespace tofu::value

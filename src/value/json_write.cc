#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <utility>

#include "base/json_text.h"
#include "value/assemble.h"
#include "value/convert.h"
#include "value/failure.h"
#include "value/json.h"
#include "value/operations.h"
#include "value/size_limit.h"

namespace tofu::value {
namespace {

// Whole numbers up to this size print all their digits at every precision.
constexpr std::int64_t kExactDigits = std::int64_t{1} << 53;

// Appends everything to one string. Values are written without recursion, as
// jsondecode reads them; only types that hold `any` are followed by it.
class Writer {
 public:
  // By the value's own type.
  bool write(const Value& root) {
    if (!begin(root)) return false;
    while (!open_.empty()) {
      // Parts that the value shares are written as often as they occur.
      if (out_.size() > kMaxTextSize) return open_.clear(), fail(text_too_long());
      Open& top = open_.back();
      const auto items = top.v->plain().items();
      if (top.next == items.size()) {
        out_ += top.v->kind() == Kind::Map || top.v->kind() == Kind::Object ? '}' : ']';
        open_.pop_back();
        continue;
      }
      if (top.next > 0) out_ += ',';
      if (top.v->kind() == Kind::Map) {
        append_name(top.v->plain().map_keys()[top.next].plain().as_string());
      } else if (top.v->kind() == Kind::Object) {
        append_name(top.v->type().attributes()[top.next].name);
      }
      if (!begin(items[top.next++])) return fail_inside();
    }
    return true;
  }

  // By a type that may be wider.
  bool write_as(const Value& v, Type type) {
    if (v.is_marked() || v.is_unknown() || v.type() == type) return write(v);
    if (type.is_dynamic()) return write_with_type(v);
    if (v.is_null() || !type.has_dynamic()) return write(v);
    if (depth_ > static_cast<int>(kMaxTypeNesting)) return fail("the type is nested too deeply");
    const bool braces = v.kind() == Kind::Map || v.kind() == Kind::Object;
    out_ += braces ? '{' : '[';
    ++depth_;
    for (std::size_t i = 0; i < v.plain().size(); ++i) {
      if (i > 0) out_ += ',';
      if (!write_part(v, i, type)) return false;
    }
    --depth_;
    out_ += braces ? '}' : ']';
    return true;
  }

  std::string take() { return std::move(out_); }
  PathError error() { return failure_.take(); }

 private:
  struct Open {
    const Value* v;
    std::size_t next;
  };

  bool fail(std::string what) {
    failure_.because(std::move(what));
    return false;
  }

  void fail_at(const Value& v, std::size_t i) {
    switch (v.kind()) {
      case Kind::Map: failure_.at_key(v.plain().map_keys()[i]); return;
      case Kind::Object: failure_.in_attribute(v.type().attributes()[i].name); return;
      case Kind::Set: failure_.at_key(v.plain().items()[i]); return;
      case Kind::List:
      case Kind::Tuple: failure_.at_position(i); return;
      case Kind::Null:
      case Kind::Unknown:
      case Kind::Bool:
      case Kind::Number:
      case Kind::String:
      case Kind::Capsule:
      case Kind::Marked: base::broken_promise("only what has parts fails at one");
    }
  }

  bool fail_inside() {
    for (; !open_.empty(); open_.pop_back()) fail_at(*open_.back().v, open_.back().next - 1);
    return false;
  }

  void append_name(std::string_view name) {
    base::append_json_string(out_, name);
    out_ += ':';
  }

  // Writes a value without parts, or opens one that has parts.
  bool begin(const Value& v) {
    switch (v.kind()) {
      case Kind::Null: out_ += "null"; return true;
      case Kind::Bool: out_ += v.plain().as_bool() ? "true" : "false"; return true;
      case Kind::Number: return append_number(v.plain().as_number());
      case Kind::String: base::append_json_string(out_, v.plain().as_string()); return true;
      case Kind::List:
      case Kind::Set:
      case Kind::Tuple:
      case Kind::Map:
      case Kind::Object:
        out_ += v.kind() == Kind::Map || v.kind() == Kind::Object ? '{' : '[';
        open_.push_back({&v, 0});
        return true;
      case Kind::Capsule:
        return fail(fmt::format("{} cannot be written as JSON", friendly_name(v.type())));
      case Kind::Unknown:
        return fail("the value is not known yet, so it cannot be written as JSON");
      case Kind::Marked: return fail("the value is marked, so it cannot be written as JSON");
    }
    return false;
  }

  bool append_number(const Number& number) {
    if (number.is_infinite()) return fail("JSON has no infinity");
    const auto whole = number.to_int64();
    if (!whole || *whole > kExactDigits || *whole < -kExactDigits || number.is_negative_zero()) {
      out_ += number.to_string();
      return true;
    }
    char digits[24];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), *whole);
    out_.append(digits, end.ptr);
    return true;
  }

  bool write_part(const Value& v, std::size_t i, Type type) {
    Type part;
    if (v.kind() == Kind::Object) {
      append_name(type.attributes()[i].name);
      part = type.attributes()[i].type;
    } else if (v.kind() == Kind::Tuple) {
      part = type.elements()[i];
    } else {
      if (v.kind() == Kind::Map) append_name(v.plain().map_keys()[i].plain().as_string());
      part = type.element();
    }
    if (write_as(v.plain().items()[i], part)) return true;
    fail_at(v, i);
    return false;
  }

  bool write_with_type(const Value& v) {
    const Type type = v.type();
    if (type.nesting() > kMaxTypeNesting) return fail("the value's type is nested too deeply");
    if (holds_capsule(type)) {
      return fail(fmt::format("{} cannot be written as JSON", friendly_name(type)));
    }
    out_ += "{\"value\":";
    if (!write(v)) return false;
    out_ += ",\"type\":";
    out_ += type_to_json(type);
    out_ += '}';
    return true;
  }

  std::string out_;
  std::vector<Open> open_;
  Failure failure_;
  int depth_ = 0;
};

// Whether JSON of `v` certainly has no infinity and not too much text.
bool is_surely_writable(const Value& v) {
  constexpr std::size_t kMaxEscapeLength = 6;
  constexpr std::size_t kAround = 32;  // what stands around a part, and all of a usual number
  std::size_t size = 0;
  std::vector<const Value*> left{&v};
  while (!left.empty() && size < kMaxTextSize) {
    const Plain& plain = left.back()->unmarked();
    left.pop_back();
    size += kAround;
    switch (plain.kind()) {
      case Kind::Null:
      case Kind::Unknown:
      case Kind::Bool: break;
      case Kind::Number:
        if (!plain.as_number().to_int64()) {
          if (plain.as_number().is_infinite()) return false;
          size += plain.as_number().to_string().size();
        }
        break;
      case Kind::String: size += kMaxEscapeLength * plain.as_string().size(); break;
      case Kind::Object:
        for (const auto& attribute : plain.type().attributes()) {
          size += kMaxEscapeLength * attribute.name.size();
        }
        for (const Value& item : plain.items()) left.push_back(&item);
        break;
      case Kind::Map:
        for (const Value& key : plain.map_keys()) left.push_back(&key);
        for (const Value& item : plain.items()) left.push_back(&item);
        break;
      case Kind::List:
      case Kind::Set:
      case Kind::Tuple:
        for (const Value& item : plain.items()) left.push_back(&item);
        break;
      case Kind::Capsule:
      case Kind::Marked: return false;
    }
  }
  return left.empty() && size < kMaxTextSize;
}

}  // namespace

std::optional<PathError> json_problem(const Value& v) {
  if (is_surely_writable(v)) return std::nullopt;
  const auto known = transform(
      v.deep_unmarked(),
      [](void*, const Path&, const Value& part) -> PathResult<Value> {
        return part.is_unknown() ? Value::null(part.type()) : part;
      },
      nullptr);
  if (!known) return known.error();
  const auto written = to_json(*known);
  if (written) return std::nullopt;
  return written.error();
}

PathResult<std::string> to_json(const Value& v) {
  Writer writer;
  if (!writer.write(v)) return writer.error();
  return writer.take();
}

PathResult<std::string> to_json(const Value& v, Type type) {
  if (v.type() == type) return to_json(v);
  Writer writer;
  if (conforms(v.type(), type)) {
    if (!writer.write_as(v, type)) return writer.error();
    return writer.take();
  }
  const auto fitting = convert(v, type);
  if (!fitting) return fitting.error();
  if (!writer.write_as(*fitting, type.without_optional_attributes())) return writer.error();
  return writer.take();
}

}  // namespace tofu::value

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "value/assemble.h"
#include "value/convert.h"
#include "value/failure.h"
#include "value/json.h"
#include "value/msgpack.h"
#include "value/msgpack_bytes.h"
#include "value/msgpack_unknown.h"

namespace tofu::value {
namespace {

class Writer {
 public:
  bool write(const Value& v, Type type) {
    if (depth_ > static_cast<int>(kMaxTypeNesting)) return fail("the value is nested too deeply");
    if (v.is_marked()) return fail("the value is marked, so it cannot be sent to a provider");
    if (type.is_dynamic() && !v.type().is_dynamic()) return write_with_type(v);
    return write_plain(v.plain(), type);
  }

  std::string take() { return std::move(out_); }
  PathError error() { return failure_.take(); }

 private:
  bool write_plain(const Plain& v, Type type) {
    switch (v.kind()) {
      case Kind::Null: msgpack::append_nil(out_); return true;
      case Kind::Unknown: append_unknown(out_, v); return true;
      case Kind::Bool: msgpack::append_bool(out_, v.as_bool()); return true;
      case Kind::Number: append_number(out_, v.as_number()); return true;
      case Kind::String: return write_string(v.as_string());
      case Kind::List:
      case Kind::Set:
      case Kind::Tuple: return write_array(v, type);
      case Kind::Map: return write_map(v, type);
      case Kind::Object: return write_object(v, type);
      case Kind::Capsule:
        return fail(fmt::format("{} cannot be sent to a provider", friendly_name(v.type())));
      case Kind::Marked: break;
    }
    return false;
  }

  bool fail(std::string what) {
    failure_.because(std::move(what));
    return false;
  }

  bool write_string(std::string_view text) {
    if (text.size() > std::numeric_limits<std::uint32_t>::max()) {
      return fail("the string is longer than 4 GiB");
    }
    msgpack::append_string(out_, text);
    return true;
  }

  bool write_with_type(const Value& v) {
    if (v.type().nesting() > kMaxTypeNesting) return fail("the value is nested too deeply");
    if (holds_capsule(v.type())) {
      return fail(fmt::format("{} cannot be sent to a provider", friendly_name(v.type())));
    }
    msgpack::append_array(out_, 2);
    msgpack::append_binary(out_, type_to_json(v.type()));
    ++depth_;
    if (!write(v, v.type())) return false;
    --depth_;
    return true;
  }

  bool write_array(const Plain& v, Type type) {
    const auto items = v.items();
    msgpack::append_array(out_, items.size());
    ++depth_;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Type wanted = type.kind() == TypeKind::Tuple ? type.elements()[i] : type.element();
      if (write(items[i], wanted)) continue;
      v.kind() == Kind::Set ? failure_.at_key(items[i]) : failure_.at_position(i);
      return false;
    }
    --depth_;
    return true;
  }

  bool write_map(const Plain& v, Type type) {
    const auto keys = v.map_keys();
    const auto items = v.items();
    msgpack::append_map(out_, items.size());
    ++depth_;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!write_string(keys[i].plain().as_string()) || !write(items[i], type.element())) {
        failure_.at_key(keys[i]);
        return false;
      }
    }
    --depth_;
    return true;
  }

  bool write_object(const Plain& v, Type type) {
    const auto attributes = type.attributes();
    const auto items = v.items();
    constexpr std::size_t kUsualSize = 24;  // of a name with its value
    out_.reserve(out_.size() + kUsualSize * items.size());
    msgpack::append_map(out_, items.size());
    ++depth_;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!write_string(attributes[i].name) || !write(items[i], attributes[i].type)) {
        failure_.in_attribute(attributes[i].name);
        return false;
      }
    }
    --depth_;
    return true;
  }

  std::string out_;
  Failure failure_;
  int depth_ = 0;
};

}  // namespace

// The smallest form that keeps every bit: an integer, a double, or digits.
void append_number(std::string& out, const Number& number) {
  if (const auto whole = number.to_int64()) {
    msgpack::append_integer(out, *whole);
    return;
  }
  const double nearest = number.to_double();
  const bool exact = number.is_infinite() || (!number.is_integer() && std::isfinite(nearest) &&
                                              (Number::from_double(nearest) <=> number) == 0);
  if (exact) {
    msgpack::append_double(out, nearest);
  } else {
    msgpack::append_string(out, number.to_string());
  }
}

PathResult<std::string> to_msgpack(const Value& v, Type type) {
  Writer writer;
  if (conforms(v.type(), type)) {
    if (!writer.write(v, type)) return writer.error();
    return writer.take();
  }
  const auto fitting = convert(v, type);
  if (!fitting) return fitting.error();
  if (!writer.write(*fitting, type.without_optional_attributes())) return writer.error();
  return writer.take();
}

}  // namespace tofu::value

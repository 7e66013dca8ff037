#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "base/counted.h"
#include "base/unicode.h"
#include "value/assemble.h"
#include "value/failure.h"
#include "value/json.h"
#include "value/msgpack.h"
#include "value/msgpack_bytes.h"
#include "value/msgpack_unknown.h"

namespace tofu::value {
namespace {

// Strings of the language are valid UTF-8, whatever a provider sends.
Value string_of(std::string_view bytes) {
  return base::is_valid_utf8(bytes) ? Value::string(bytes)
                                    : Value::string(base::to_valid_utf8(bytes));
}

// Values that are probably the same as the one that is read, or the parts of them in its place.
class Alike {
 public:
  Alike() = default;
  explicit Alike(std::span<const Value> values) {
    for (const Value& each : values) add(&each);
  }

  // Of an object of the type `type`.
  Alike attribute(Type type, std::size_t index) const {
    return each([&](const Plain& of) -> const Value* {
      return of.kind() == Kind::Object && of.type() == type ? &of.items()[index] : nullptr;
    });
  }
  Alike position(std::size_t index) const {
    return each([&](const Plain& of) -> const Value* {
      const bool has_positions = of.kind() == Kind::List || of.kind() == Kind::Tuple;
      return has_positions && index < of.size() ? &of.items()[index] : nullptr;
    });
  }
  Alike key(std::string_view key) const {
    return each([&](const Plain& of) { return of.kind() == Kind::Map ? of.find(key) : nullptr; });
  }

  const Plain* with_text(std::string_view text) const {
    return find([&](const Plain& of) {
      return of.kind() == Kind::String && of.as_string() == text && base::is_valid_utf8(text);
    });
  }
  // The object that is made of exactly these.
  const Plain* with_items(Type type, std::span<const Value> items) const {
    return find([&](const Plain& of) {
      return of.kind() == Kind::Object && of.type() == type &&
             std::equal(items.begin(), items.end(), of.items().begin(), of.items().end(),
                        [](const Value& a, const Value& b) { return a.is_same(b); });
    });
  }

 private:
  void add(const Value* v) {
    if (v != nullptr && !v->is_marked() && count_ < values_.size()) values_[count_++] = &v->plain();
  }
  template <class PartOf>
  Alike each(PartOf&& part_of) const {
    Alike parts;
    for (std::size_t i = 0; i < count_; ++i) parts.add(part_of(*values_[i]));
    return parts;
  }
  template <class Fits>
  const Plain* find(Fits&& fits) const {
    for (std::size_t i = 0; i < count_; ++i) {
      if (fits(*values_[i])) return values_[i];
    }
    return nullptr;
  }

  std::array<const Plain*, 2> values_{};
  std::size_t count_ = 0;
};

class TypedReader {
 public:
  explicit TypedReader(std::string_view bytes) : reader_(bytes) {}

  PathResult<Value> read_all(Type type, std::span<const Value> alike) {
    Outcome result = read(type, Alike(alike));  // bytes behind it are ignored
    if (result) return *std::move(result);
    return failure_.take();
  }

 private:
  using Outcome = std::optional<Value>;

  std::nullopt_t required(Type type) {
    return failure_.because(fmt::format("{} is required", friendly_name(type)));
  }

  Outcome read(Type type, const Alike& alike) {
    if (depth_ >= static_cast<int>(kMaxTypeNesting))
      return failure_.because("the data is nested too deeply");
    const msgpack::Kind next = reader_.peek();
    if (next == msgpack::Kind::End) return failure_.because("the data ends early");
    if (next == msgpack::Kind::Extension) return read_unknown(type);
    if (next == msgpack::Kind::Nil) {
      reader_.nil();
      return Value::null(type);
    }
    ++depth_;
    Outcome result = read_known(type, alike);
    --depth_;
    return result;
  }

  Outcome read_known(Type type, const Alike& alike) {
    switch (type.kind()) {
      case TypeKind::Dynamic: return read_dynamic(alike);
      case TypeKind::Bool: {
        const auto truth = reader_.boolean();
        return truth ? Outcome(Value::boolean(*truth)) : required(type);
      }
      case TypeKind::Number: {
        auto number = read_number(reader_);
        return number ? Outcome(Value::number(*std::move(number))) : required(type);
      }
      case TypeKind::String: {
        const auto text = reader_.bytes();
        if (!text) return required(type);
        const Plain* same = alike.with_text(*text);
        return same != nullptr ? Value(*same) : string_of(*text);
      }
      case TypeKind::List:
      case TypeKind::Set: return read_sequence(type, alike);
      case TypeKind::Map: return read_map(type, alike);
      case TypeKind::Tuple: return read_tuple(type, alike);
      case TypeKind::Object: return read_object(type, alike);
      case TypeKind::Capsule:
        return failure_.because(
            fmt::format("{} cannot be received from a provider", friendly_name(type)));
    }
    return failure_.because("the type is not known");
  }

  Outcome read_unknown(Type type) {
    const auto extension = reader_.extension();
    if (!extension) return failure_.because("the data ends early");
    auto unknown = parse_unknown(*extension, type);
    if (!unknown) return failure_.because(unknown.error().what);
    return std::move(unknown).value();
  }

  Outcome read_sequence(Type type, const Alike& alike) {
    const auto length = reader_.array_length();
    if (!length) return required(type);
    std::vector<Value> items;
    // Every element takes a byte at least, so the data itself bounds this.
    items.reserve(std::min<std::size_t>(*length, reader_.left()));
    for (std::uint32_t i = 0; i < *length; ++i) {
      Outcome item = read(type.element(), alike.position(i));
      if (!item) return failure_.at_position(i);
      items.push_back(*std::move(item));
    }
    const auto element = items.empty() ? type.element() : settle_types(items);
    if (!element) return failure_.because("the elements must all have one type");
    return type.kind() == TypeKind::Set ? Value::set(*element, std::move(items))
                                        : Value::list(*element, std::move(items));
  }

  Outcome read_map(Type type, const Alike& alike) {
    const auto length = reader_.map_length();
    if (!length) return required(type);
    std::vector<std::string> keys;
    std::vector<Value> items;
    for (std::uint32_t i = 0; i < *length; ++i) {
      const auto key = reader_.bytes();
      if (!key) return failure_.because("a key of a map is not a string");
      keys.push_back(base::to_valid_utf8(*key));
      Outcome item = read(type.element(), alike.key(keys.back()));
      if (!item) return failure_.at_key(Value::string(keys.back()));
      items.push_back(*std::move(item));
    }
    const auto element = items.empty() ? type.element() : settle_types(items);
    if (!element) return failure_.because("the elements must all have one type");
    std::vector<MapEntry> entries;
    entries.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      entries.push_back({std::move(keys[i]), std::move(items[i])});
    }
    return Value::map(*element, std::move(entries));
  }

  Outcome read_tuple(Type type, const Alike& alike) {
    const auto length = reader_.array_length();
    if (!length) return required(type);
    const auto wanted = type.elements();
    if (*length != wanted.size()) {
      return failure_.because(fmt::format("a tuple of {} is required, not of {}",
                                          base::counted(wanted.size(), "element"), *length));
    }
    std::vector<Value> items;
    items.reserve(wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      Outcome item = read(wanted[i], alike.position(i));
      if (!item) return failure_.at_position(i);
      items.push_back(*std::move(item));
    }
    return Value::tuple(std::move(items));
  }

  Outcome read_object(Type type, const Alike& alike) {
    const auto length = reader_.map_length();
    if (!length) return required(type);
    const auto attributes = type.attributes();
    if (*length != attributes.size()) {
      return failure_.because(fmt::format("an object with {} is required, not with {}",
                                          base::counted(attributes.size(), "attribute"), *length));
    }
    std::vector<Value> items(attributes.size());
    std::vector<bool> seen(attributes.size(), false);
    for (std::size_t i = 0; i < attributes.size(); ++i) {
      const auto name = reader_.bytes();
      if (!name) return failure_.because("the name of an attribute is not a string");
      const auto index = type.attribute_index(*name);
      if (!index)
        return failure_.because(fmt::format("no attribute {} is expected", base::quote_go(*name)));
      if (seen[*index])
        return failure_.because(fmt::format("attribute {} is given twice", base::quote_go(*name)));
      seen[*index] = true;
      Outcome item = read(attributes[*index].type, alike.attribute(type, *index));
      if (!item) return failure_.in_attribute(*name);
      items[*index] = *std::move(item);
    }
    if (const Plain* same = alike.with_items(type, items)) return Value(*same);
    return object_of(type, std::move(items));
  }

  // [type as JSON, value]
  Outcome read_dynamic(const Alike& alike) {
    if (reader_.array_length() != 2u)
      return failure_.because("a value of any type is a pair of type and value");
    const auto json = reader_.bytes();
    if (!json) return failure_.because("a value of any type lacks its type");
    const auto type = parse_json_type(*json);
    if (!type) return failure_.because(type.error().what);
    return read(type->without_optional_attributes(), alike);
  }

  msgpack::Reader reader_;
  Failure failure_;
  int depth_ = 0;
};

// Finds the type that data without a schema stands for.
class ImpliedType {
 public:
  explicit ImpliedType(std::string_view bytes) : reader_(bytes) {}

  base::Result<Type> read_all() {
    const auto type = read();
    if (!type) return base::Error{fmt::format("{}, at byte {}", problem_, reader_.offset())};
    if (!reader_.at_end()) return base::Error{"more data follows the value"};
    return *type;
  }

 private:
  std::nullopt_t fail(const char* what) {
    problem_ = what;
    return std::nullopt;
  }

  std::optional<Type> read() {
    bool whole = true;
    Type type = Type::dynamic();
    switch (reader_.peek()) {
      case msgpack::Kind::Nil: reader_.nil(); break;
      case msgpack::Kind::Extension: whole = reader_.extension().has_value(); break;
      case msgpack::Kind::Bool:
        reader_.boolean();
        type = Type::boolean();
        break;
      case msgpack::Kind::Signed:
      case msgpack::Kind::Unsigned:
      case msgpack::Kind::Float:
        whole = reader_.skip();
        type = Type::number();
        break;
      case msgpack::Kind::String:
        whole = reader_.skip();
        type = Type::string();
        break;
      case msgpack::Kind::Array: return read_inside(&ImpliedType::read_tuple);
      case msgpack::Kind::Map: return read_inside(&ImpliedType::read_object);
      case msgpack::Kind::End: return fail("the data ends early");
      case msgpack::Kind::Binary:
      case msgpack::Kind::Unused: return fail("no type is implied by such data");
    }
    if (!whole) return fail("the data ends early");
    return type;
  }

  std::optional<Type> read_inside(std::optional<Type> (ImpliedType::*read_it)()) {
    if (depth_ >= static_cast<int>(kMaxTypeNesting)) return fail("the data is nested too deeply");
    ++depth_;
    const auto type = (this->*read_it)();
    --depth_;
    return type;
  }

  std::optional<Type> read_tuple() {
    const auto length = reader_.array_length();
    if (!length) return fail("the data ends early");
    std::vector<Type> elements;
    for (std::uint32_t i = 0; i < *length; ++i) {
      const auto element = read();
      if (!element) return std::nullopt;
      elements.push_back(*element);
    }
    return Type::tuple(elements);
  }

  std::optional<Type> read_object() {
    const auto length = reader_.map_length();
    if (!length) return fail("the data ends early");
    std::map<std::string, Type> attributes;
    for (std::uint32_t i = 0; i < *length; ++i) {
      const auto name = reader_.bytes();
      if (!name) return fail("the name of an attribute is not a string");
      const std::string key = base::to_nfc(base::to_valid_utf8(*name));
      const auto type = read();
      if (!type) return std::nullopt;
      attributes.insert_or_assign(key, *type);
    }
    std::vector<ObjectAttribute> list;
    list.reserve(attributes.size());
    for (const auto& [name, type] : attributes) list.push_back({name, type});
    return Type::object(std::move(list));
  }

  msgpack::Reader reader_;
  const char* problem_ = "";
  int depth_ = 0;
};

}  // namespace

std::optional<Number> read_number(msgpack::Reader& reader) {
  switch (reader.peek()) {
    case msgpack::Kind::Signed: {
      const auto whole = reader.signed_integer();
      return whole ? std::optional(Number(*whole)) : std::nullopt;
    }
    case msgpack::Kind::Unsigned: {
      const auto whole = reader.unsigned_integer();
      if (!whole) return std::nullopt;
      if (*whole <= static_cast<std::uint64_t>(INT64_MAX)) {
        return Number(static_cast<std::int64_t>(*whole));
      }
      return Number::parse_integer(std::to_string(*whole), 10);
    }
    case msgpack::Kind::Float: {
      const auto number = reader.floating();
      if (!number || std::isnan(*number)) return std::nullopt;
      return std::isinf(*number) ? Number::infinity(*number < 0) : Number::from_double(*number);
    }
    case msgpack::Kind::String:
    case msgpack::Kind::Binary: {
      const auto digits = reader.bytes();
      return digits ? Number::parse(*digits) : std::nullopt;
    }
    case msgpack::Kind::End:
    case msgpack::Kind::Nil:
    case msgpack::Kind::Bool:
    case msgpack::Kind::Array:
    case msgpack::Kind::Map:
    case msgpack::Kind::Extension:
    case msgpack::Kind::Unused: return std::nullopt;
  }
  return std::nullopt;
}

PathResult<Value> parse_msgpack(std::string_view bytes, Type type, std::span<const Value> alike) {
  return TypedReader(bytes).read_all(type.without_optional_attributes(), alike);
}

base::Result<Type> implied_msgpack_type(std::string_view bytes) {
  return ImpliedType(bytes).read_all();
}

}  // namespace tofu::value

#include "value/msgpack_unknown.h"

#include <limits>

#include "base/unicode.h"

namespace tofu::value {
namespace {

enum RefinementKey : std::uint8_t {
  kNullness = 1,
  kStringPrefix = 2,
  kNumberMin = 3,
  kNumberMax = 4,
  kLengthMin = 5,
  kLengthMax = 6,
};

constexpr std::int8_t kPlainExtension = 0;
constexpr std::int8_t kRefinedExtension = 12;
constexpr std::size_t kMaxBodyLength = 1024;
constexpr std::size_t kMaxPrefixLength = 256;

class RefinementWriter {
 public:
  void nullness(bool is_null) {
    begin(kNullness);
    msgpack::append_bool(body_, is_null);
  }
  void prefix(std::string_view text) {
    begin(kStringPrefix);
    msgpack::append_string(body_, text);
  }
  void bound(RefinementKey key, const Bound& bound) {
    begin(key);
    msgpack::append_array(body_, 2);
    append_number(body_, bound.limit);
    msgpack::append_bool(body_, bound.inclusive);
  }
  void length(RefinementKey key, std::uint64_t length) {
    begin(key);
    msgpack::append_integer(body_, static_cast<std::int64_t>(length));
  }

  void finish(std::string& out) const {
    if (entries_ == 0) {
      msgpack::append_extension(out, kPlainExtension, std::string_view("\0", 1));
      return;
    }
    std::string map;
    msgpack::append_map(map, entries_);
    msgpack::append_extension(out, kRefinedExtension, map + body_);
  }

 private:
  void begin(RefinementKey key) {
    ++entries_;
    msgpack::append_integer(body_, key);
  }

  std::string body_;
  std::size_t entries_ = 0;
};

// Reads the map inside an extension into refinements, checking each against the
// type; a contradiction between them must not reach Value::refined.
class RefinementReader {
 public:
  RefinementReader(std::string_view body, Type type) : reader_(body), type_(type) {}

  base::Result<Value> read() {
    const auto entries = reader_.map_length();
    if (!entries) return base::Error{"the extension of an unknown value holds no map"};
    if (type_.is_dynamic()) return Value::unknown(type_);
    for (std::uint32_t i = 0; i < *entries; ++i) {
      if (const char* problem = read_entry()) return base::Error{problem};
    }
    if (is_null_) return Value::null(type_);
    if (!narrowed({}, found_)) return base::Error{"the refinements of an unknown value disagree"};
    return Value::unknown(type_).refined(found_);
  }

 private:
  const char* read_entry() {
    const auto key = read_integer();
    if (!key) return "a refinement has no number";
    switch (*key) {
      case kNullness: {
        const auto is_null = reader_.boolean();
        if (!is_null) return "the refinement of being null is no bool";
        is_null_ = *is_null;
        found_.not_null = !*is_null;
        return nullptr;
      }
      case kStringPrefix: return read_prefix();
      case kNumberMin: return read_bound(found_.lower);
      case kNumberMax: return read_bound(found_.upper);
      case kLengthMin:
      case kLengthMax: return read_length(*key == kLengthMin);
      default:
        // A refinement of times to come. Without it more remains possible.
        return reader_.skip() ? nullptr : "a refinement has no value";
    }
  }

  const char* read_prefix() {
    if (type_ != Type::string()) return "only a string can have a prefix";
    const auto text = reader_.bytes();
    if (!text || !base::is_valid_utf8(*text)) return "the refinement of a prefix is no string";
    found_.prefix = base::to_nfc(*text);
    return nullptr;
  }

  const char* read_bound(std::optional<Bound>& bound) {
    if (type_ != Type::number()) return "only a number can have bounds";
    static constexpr const char* kWrong = "the bound of a number is no pair of number and bool";
    if (reader_.array_length() != 2u) return kWrong;
    auto limit = read_number(reader_);
    if (!limit) return kWrong;
    const auto inclusive = reader_.boolean();
    if (!inclusive) return kWrong;
    bound = Bound{*std::move(limit), *inclusive};
    return nullptr;
  }

  const char* read_length(bool lower) {
    if (!type_.is_collection()) return "only a collection can have bounds of its length";
    const auto length = read_integer();
    if (!length || *length < 0) return "the bound of a length is no whole number";
    if (lower) {
      found_.length_min = static_cast<std::uint64_t>(*length);
    } else if (*length == std::numeric_limits<std::int64_t>::max()) {
      found_.length_max = std::nullopt;
    } else {
      found_.length_max = static_cast<std::uint64_t>(*length);
    }
    return nullptr;
  }

  std::optional<std::int64_t> read_integer() {
    if (reader_.peek() == msgpack::Kind::Signed) return reader_.signed_integer();
    const auto large = reader_.unsigned_integer();
    if (!large || *large > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return std::nullopt;
    }
    return static_cast<std::int64_t>(*large);
  }

  msgpack::Reader reader_;
  Type type_;
  Refinements found_;
  bool is_null_ = false;
};

}  // namespace

void append_unknown(std::string& out, const Plain& unknown) {
  const Type type = unknown.type();
  const Refinements& known = unknown.refinements();
  RefinementWriter writer;
  if (!type.is_dynamic()) {
    if (known.not_null) writer.nullness(false);
    if (known.lower) writer.bound(kNumberMin, *known.lower);
    if (known.upper) writer.bound(kNumberMax, *known.upper);
    if (known.prefix.size() > kMaxPrefixLength) {
      writer.prefix(safe_prefix(std::string_view(known.prefix).substr(0, kMaxPrefixLength - 1)));
    } else if (!known.prefix.empty()) {
      writer.prefix(known.prefix);
    }
    if (known.length_min != 0) writer.length(kLengthMin, known.length_min);
    if (known.length_max) writer.length(kLengthMax, *known.length_max);
  }
  writer.finish(out);
}

base::Result<Value> parse_unknown(const msgpack::Reader::Extension& extension, Type type) {
  if (extension.body.size() <= 1) return Value::unknown(type);
  if (extension.type != kRefinedExtension) return base::Error{"the extension is not known"};
  if (extension.body.size() > kMaxBodyLength) {
    return base::Error{"the refinements of an unknown value take more than 1024 bytes"};
  }
  return RefinementReader(extension.body, type).read();
}

}  // namespace tofu::value

#include "value/pack.h"

#include <optional>
#include <span>
#include <utility>

#include "base/check.h"
#include "base/unicode.h"
#include "value/json.h"
#include "value/marked_paths.h"
#include "value/msgpack.h"

namespace tofu::value {

namespace {

// The marks that are kept; the sources of deprecated values are reported during planning.
constexpr std::uint64_t kSensitive = 1;
constexpr std::uint64_t kEphemeral = 2;

std::uint64_t flags_of(Marks marks) {
  return (marks.is_sensitive() ? kSensitive : 0) | (marks.is_ephemeral() ? kEphemeral : 0);
}

// The end has the place of the list of types, the highest byte first.
constexpr std::size_t kPlaceSize = 8;
constexpr std::size_t kLargePiece = std::size_t{64} << 10;

std::string place_text(std::uint64_t place) {
  std::string text(kPlaceSize, '\0');
  for (std::size_t i = 0; i < kPlaceSize; ++i) {
    text[i] = static_cast<char>(place >> 8 * (kPlaceSize - 1 - i) & 0xFF);
  }
  return text;
}

// Takes the place off the end; nothing if it is not inside of the rest.
std::optional<std::size_t> take_place(std::string_view& bytes) {
  if (bytes.size() < kPlaceSize) return std::nullopt;
  const std::string_view text = bytes.substr(bytes.size() - kPlaceSize);
  bytes.remove_suffix(kPlaceSize);
  std::uint64_t place = 0;
  for (const char c : text) place = place << 8 | static_cast<unsigned char>(c);
  if (place > bytes.size()) return std::nullopt;
  return static_cast<std::size_t>(place);
}

Marks marks_of(std::uint64_t flags) {
  Marks marks;
  if ((flags & kSensitive) != 0) marks = marks.with(Marks::sensitive());
  if ((flags & kEphemeral) != 0) marks = marks.with(Marks::ephemeral());
  return marks;
}

}  // namespace

PackWriter::PackWriter(Sink sink) : sink_(std::move(sink)) {
  if (sink_) body_.reserve(2 * kLargePiece);
}

void PackWriter::type(Type type) {
  const auto [row, is_new] = rows_.try_emplace(type, types_.size());
  if (is_new) types_.push_back(type);
  number(row->second);
}

void PackWriter::value(const Value& v) {
  const bool marked = v.contains_marks();
  const Value bare = marked ? Value(v.deep_unmarked()) : v;
  array(marked ? 3 : 2);
  type(bare.type());
  const auto packed = to_msgpack(bare, bare.type());
  TOFU_CHECK(packed.ok(), "a value without marks can be packed by its own type");
  bytes(*packed);
  if (sink_ && body_.size() >= kLargePiece) give();
  if (!marked) return;
  std::vector<PathMarks> places = unmark(v).marks;
  std::erase_if(places, [](const PathMarks& place) { return flags_of(place.marks) == 0; });
  array(places.size());
  for (const PathMarks& place : places) {
    array(2);
    path(place.path);
    number(flags_of(place.marks));
  }
}

void PackWriter::path(const Path& path) {
  array(path.steps.size());
  for (const PathStep& step : path.steps) {
    if (const auto* attribute = std::get_if<AttributeStep>(&step)) {
      text(attribute->name);
    } else {
      value(std::get<IndexStep>(step).key);
    }
  }
}

void PackWriter::give() {
  given_ += body_.size();
  sink_(body_);
  body_.clear();
}

std::string PackWriter::finish() {
  const std::uint64_t place = given_ + body_.size();
  array(types_.size());
  for (const Type type : types_) text(type_to_json(type));
  body_ += place_text(place);
  if (sink_) give();
  return std::exchange(body_, {});
}

PackReader::PackReader(std::string_view bytes) : reader_(std::string_view()) {
  const auto place = take_place(bytes);
  if (!place) {
    fail();
    return;
  }
  reader_ = msgpack::Reader(bytes.substr(*place));
  const std::size_t count = array();
  for (std::size_t i = 0; i < count && !failed_; ++i) {
    const auto parsed = parse_json_type(text());
    if (parsed) {
      types_.push_back(*parsed);
    } else {
      fail();
    }
  }
  if (!at_end()) fail();
  reader_ = msgpack::Reader(bytes.substr(0, *place));
}

std::size_t PackReader::array() {
  if (failed_) return 0;
  const auto length =
      reader_.peek() == msgpack::Kind::Array ? reader_.array_length() : std::nullopt;
  // Every item takes a byte at least.
  if (!length || *length > reader_.left()) {
    fail();
    return 0;
  }
  return *length;
}

void PackReader::array_of(std::size_t length) {
  if (array() != length) fail();
}

bool PackReader::nothing() {
  return !failed_ && reader_.peek() == msgpack::Kind::Nil && reader_.nil();
}

bool PackReader::flag() {
  const auto truth =
      !failed_ && reader_.peek() == msgpack::Kind::Bool ? reader_.boolean() : std::nullopt;
  if (!truth) fail();
  return truth.value_or(false);
}

std::uint64_t PackReader::number() {
  const std::int64_t whole = integer();
  if (whole < 0) fail();
  return whole < 0 ? 0 : static_cast<std::uint64_t>(whole);
}

std::int64_t PackReader::integer() {
  if (failed_) return 0;
  if (reader_.peek() == msgpack::Kind::Signed) {
    if (const auto whole = reader_.signed_integer()) return *whole;
  } else if (reader_.peek() == msgpack::Kind::Unsigned) {
    const auto whole = reader_.unsigned_integer();
    if (whole && *whole <= static_cast<std::uint64_t>(INT64_MAX)) {
      return static_cast<std::int64_t>(*whole);
    }
  }
  fail();
  return 0;
}

std::string PackReader::text() {
  const auto text =
      !failed_ && reader_.peek() == msgpack::Kind::String ? reader_.bytes() : std::nullopt;
  if (text && base::is_valid_utf8(*text)) return std::string(*text);
  fail();
  return {};
}

std::string_view PackReader::binary() {
  const auto bytes =
      !failed_ && reader_.peek() == msgpack::Kind::Binary ? reader_.bytes() : std::nullopt;
  if (!bytes) fail();
  return bytes.value_or("");
}

std::string PackReader::bytes() { return std::string(binary()); }

Type PackReader::type() {
  const std::size_t row = below(types_.size());
  return failed_ ? Type::dynamic() : types_[row];
}

Value PackReader::value(const Value& alike) {
  const std::size_t parts = array();
  if (parts != 2 && parts != 3) fail();
  const Type declared = type();
  const std::string_view packed = binary();
  if (failed_) return Value();
  const auto bare = parse_msgpack(packed, declared, std::span(&alike, 1));
  if (!bare) {
    fail();
    return Value();
  }
  if (parts == 2) return *bare;
  std::vector<PathMarks> places;
  const std::size_t count = array();
  for (std::size_t i = 0; i < count && !failed_; ++i) {
    array_of(2);
    Path where = path();
    places.push_back({std::move(where), marks_of(number())});
  }
  return failed_ ? Value() : mark(*bare, places);
}

Path PackReader::path() {
  Path path;
  const std::size_t count = array();
  for (std::size_t i = 0; i < count && !failed_; ++i) {
    if (next_is_text()) {
      path.steps.emplace_back(AttributeStep{text()});
    } else {
      path.steps.emplace_back(IndexStep{value()});
    }
  }
  return path;
}

std::size_t PackReader::below(std::size_t count) {
  const std::uint64_t whole = number();
  if (whole < count) return static_cast<std::size_t>(whole);
  fail();
  return 0;
}

}  // namespace tofu::value

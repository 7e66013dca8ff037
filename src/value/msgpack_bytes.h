// The MessagePack wire format: bytes to numbers, strings and lengths, and back.
//
// Knows nothing of values. Writing always takes the shortest form; reading
// takes every width.
//
// Promise: a declared length is only believed once that many bytes are there, so hostile input
// cannot cause large allocations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tofu::value::msgpack {

enum class Kind : std::uint8_t {
  End,  // no byte is left
  Nil,
  Bool,
  Signed,
  Unsigned,
  Float,
  String,
  Binary,
  Array,
  Map,
  Extension,
  Unused,  // the one code that means nothing
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  Kind peek() const;
  bool at_end() const { return at_ == bytes_.size(); }
  std::size_t left() const { return bytes_.size() - at_; }
  std::size_t offset() const { return at_; }

  // Each consumes one item of its kind, as returned by peek(), or returns nothing if bytes are
  // missing.
  bool nil();
  std::optional<bool> boolean();
  std::optional<std::int64_t> signed_integer();
  std::optional<std::uint64_t> unsigned_integer();
  std::optional<double> floating();
  std::optional<std::string_view> bytes();  // of a string or of binary data
  std::optional<std::uint32_t> array_length();
  std::optional<std::uint32_t> map_length();
  struct Extension {
    std::int8_t type;
    std::string_view body;
  };
  std::optional<Extension> extension();
  bool skip();  // one item of any kind, with all that is inside it

 private:
  std::optional<std::uint64_t> big_endian(std::size_t width);
  std::optional<std::uint8_t> code();
  std::optional<std::string_view> take(std::uint64_t count);
  std::optional<std::uint32_t> length(std::uint8_t fixed, std::uint8_t code16);

  std::string_view bytes_;
  std::size_t at_ = 0;
};

void append_nil(std::string& out);
void append_bool(std::string& out, bool truth);
void append_integer(std::string& out, std::int64_t whole);
void append_double(std::string& out, double number);
void append_string(std::string& out, std::string_view text);
void append_binary(std::string& out, std::string_view bytes);
void append_array(std::string& out, std::size_t length);
void append_map(std::string& out, std::size_t length);
void append_extension(std::string& out, std::int8_t type, std::string_view body);

}  // namespace tofu::value::msgpack

#include "value/msgpack_bytes.h"

#include <bit>
#include <limits>

namespace tofu::value::msgpack {
namespace {

// First bytes of the format, where they are not a range of their own.
enum Code : std::uint8_t {
  kNil = 0xC0,
  kFalse = 0xC2,
  kTrue = 0xC3,
  kBin8 = 0xC4,
  kExt8 = 0xC7,
  kFloat32 = 0xCA,
  kFloat64 = 0xCB,
  kUint8 = 0xCC,
  kUint64 = 0xCF,
  kInt8 = 0xD0,
  kInt64 = 0xD3,
  kFixExt1 = 0xD4,
  kFixExt16 = 0xD8,
  kStr8 = 0xD9,
  kArray16 = 0xDC,
  kMap16 = 0xDE,
  kFixMap = 0x80,
  kFixArray = 0x90,
  kFixStr = 0xA0,
};

Kind kind_of(std::uint8_t code) {
  if (code < kFixMap) return Kind::Signed;
  if (code < kFixArray) return Kind::Map;
  if (code < kFixStr) return Kind::Array;
  if (code < kNil) return Kind::String;
  if (code == kNil) return Kind::Nil;
  if (code < kFalse) return Kind::Unused;
  if (code < kBin8) return Kind::Bool;
  if (code < kExt8) return Kind::Binary;
  if (code < kFloat32) return Kind::Extension;
  if (code < kUint8) return Kind::Float;
  if (code < kInt8) return Kind::Unsigned;
  if (code < kFixExt1) return Kind::Signed;
  if (code < kStr8) return Kind::Extension;
  if (code < kArray16) return Kind::String;
  if (code < kMap16) return Kind::Array;
  if (code < 0xE0) return Kind::Map;
  return Kind::Signed;
}

void append_big_endian(std::string& out, std::uint64_t number, int width) {
  for (int shift = 8 * (width - 1); shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>(number >> shift));
  }
}

// `code8`, and the codes behind it, announce a length of 1, 2 or 4 bytes.
void append_length(std::string& out, std::uint8_t code8, std::size_t length) {
  const int width = length <= 0xFF ? 1 : length <= 0xFFFF ? 2 : 4;
  out.push_back(static_cast<char>(code8 + (width == 1 ? 0 : width == 2 ? 1 : 2)));
  append_big_endian(out, length, width);
}

// Containers: up to 15 in the code itself, otherwise 2 or 4 bytes.
void append_count(std::string& out, std::uint8_t fixed, std::uint8_t code16, std::size_t count) {
  if (count < 16) {
    out.push_back(static_cast<char>(fixed | count));
  } else if (count <= 0xFFFF) {
    out.push_back(static_cast<char>(code16));
    append_big_endian(out, count, 2);
  } else {
    out.push_back(static_cast<char>(code16 + 1));
    append_big_endian(out, count, 4);
  }
}

}  // namespace

Kind Reader::peek() const {
  return at_end() ? Kind::End : kind_of(static_cast<std::uint8_t>(bytes_[at_]));
}

std::optional<std::uint8_t> Reader::code() {
  if (at_end()) return std::nullopt;
  return static_cast<std::uint8_t>(bytes_[at_++]);
}

std::optional<std::string_view> Reader::take(std::uint64_t count) {
  if (count > left()) return std::nullopt;
  const std::string_view taken = bytes_.substr(at_, count);
  at_ += count;
  return taken;
}

std::optional<std::uint64_t> Reader::big_endian(std::size_t width) {
  const auto taken = take(width);
  if (!taken) return std::nullopt;
  std::uint64_t number = 0;
  for (const char c : *taken) number = (number << 8) | static_cast<std::uint8_t>(c);
  return number;
}

bool Reader::nil() {
  if (peek() != Kind::Nil) return false;
  ++at_;
  return true;
}

std::optional<bool> Reader::boolean() {
  if (peek() != Kind::Bool) return std::nullopt;
  return *code() == kTrue;
}

std::optional<std::int64_t> Reader::signed_integer() {
  if (peek() != Kind::Signed) return std::nullopt;
  const std::uint8_t first = *code();
  if (first < kInt8 || first > kInt64) return static_cast<std::int8_t>(first);
  const int width = 1 << (first - kInt8);
  const auto number = big_endian(static_cast<std::size_t>(width));
  if (!number) return std::nullopt;
  const int unused = 64 - 8 * width;  // shifting out and back spreads the sign
  return static_cast<std::int64_t>(*number << unused) >> unused;
}

std::optional<std::uint64_t> Reader::unsigned_integer() {
  if (peek() != Kind::Unsigned) return std::nullopt;
  return big_endian(std::size_t{1} << (*code() - kUint8));
}

std::optional<double> Reader::floating() {
  if (peek() != Kind::Float) return std::nullopt;
  if (*code() == kFloat32) {
    const auto bits = big_endian(4);
    if (!bits) return std::nullopt;
    return std::bit_cast<float>(static_cast<std::uint32_t>(*bits));
  }
  const auto bits = big_endian(8);
  if (!bits) return std::nullopt;
  return std::bit_cast<double>(*bits);
}

std::optional<std::string_view> Reader::bytes() {
  const Kind kind = peek();
  if (kind != Kind::String && kind != Kind::Binary) return std::nullopt;
  const std::uint8_t first = *code();
  if (first < kNil) return take(first - kFixStr);
  const auto count = big_endian(std::size_t{1} << (first - (kind == Kind::Binary ? kBin8 : kStr8)));
  return count ? take(*count) : std::nullopt;
}

std::optional<std::uint32_t> Reader::length(std::uint8_t fixed, std::uint8_t code16) {
  const std::uint8_t first = *code();
  if (first < kNil) return first - fixed;
  const auto count = big_endian(first == code16 ? 2 : 4);
  if (!count) return std::nullopt;
  return static_cast<std::uint32_t>(*count);
}

std::optional<std::uint32_t> Reader::array_length() {
  if (peek() != Kind::Array) return std::nullopt;
  return length(kFixArray, kArray16);
}

std::optional<std::uint32_t> Reader::map_length() {
  if (peek() != Kind::Map) return std::nullopt;
  return length(kFixMap, kMap16);
}

std::optional<Reader::Extension> Reader::extension() {
  if (peek() != Kind::Extension) return std::nullopt;
  const std::uint8_t first = *code();
  std::optional<std::uint64_t> count;
  if (first >= kFixExt1) {
    count = std::uint64_t{1} << (first - kFixExt1);
  } else {
    count = big_endian(std::size_t{1} << (first - kExt8));
  }
  const auto type = code();
  if (!count || !type) return std::nullopt;
  const auto body = take(*count);
  if (!body) return std::nullopt;
  return Extension{static_cast<std::int8_t>(*type), *body};
}

bool Reader::skip() {
  // Counts what is still owed instead of descending. Every item takes a byte, so
  // the data ends before a hostile count can matter.
  for (std::uint64_t owed = 1; owed > 0; --owed) {
    switch (peek()) {
      case Kind::Nil: nil(); break;
      case Kind::Bool: boolean(); break;
      case Kind::Signed:
        if (!signed_integer()) return false;
        break;
      case Kind::Unsigned:
        if (!unsigned_integer()) return false;
        break;
      case Kind::Float:
        if (!floating()) return false;
        break;
      case Kind::String:
      case Kind::Binary:
        if (!bytes()) return false;
        break;
      case Kind::Extension:
        if (!extension()) return false;
        break;
      case Kind::Array: {
        const auto length = array_length();
        if (!length) return false;
        owed += *length;
        break;
      }
      case Kind::Map: {
        const auto length = map_length();
        if (!length) return false;
        owed += 2 * std::uint64_t{*length};
        break;
      }
      case Kind::End:
      case Kind::Unused: return false;
    }
  }
  return true;
}

void append_nil(std::string& out) { out.push_back(static_cast<char>(kNil)); }

void append_bool(std::string& out, bool truth) {
  out.push_back(static_cast<char>(truth ? kTrue : kFalse));
}

void append_integer(std::string& out, std::int64_t whole) {
  if (whole >= -32 && whole < 128) {
    out.push_back(static_cast<char>(whole));
    return;
  }
  const bool negative = whole < 0;
  // How many bits a number needs beside its sign decides the width.
  const auto magnitude = static_cast<std::uint64_t>(negative ? ~whole : whole);
  const int bits = std::bit_width(magnitude) + (negative ? 1 : 0);
  const int power = bits <= 8 ? 0 : bits <= 16 ? 1 : bits <= 32 ? 2 : 3;
  out.push_back(static_cast<char>((negative ? kInt8 : kUint8) + power));
  append_big_endian(out, static_cast<std::uint64_t>(whole), 1 << power);
}

void append_double(std::string& out, double number) {
  out.push_back(static_cast<char>(kFloat64));
  append_big_endian(out, std::bit_cast<std::uint64_t>(number), 8);
}

void append_string(std::string& out, std::string_view text) {
  if (text.size() < 32) {
    out.push_back(static_cast<char>(kFixStr | text.size()));
  } else {
    append_length(out, kStr8, text.size());
  }
  out += text;
}

void append_binary(std::string& out, std::string_view bytes) {
  append_length(out, kBin8, bytes.size());
  out += bytes;
}

void append_array(std::string& out, std::size_t length) {
  append_count(out, kFixArray, kArray16, length);
}

void append_map(std::string& out, std::size_t length) {
  append_count(out, kFixMap, kMap16, length);
}

void append_extension(std::string& out, std::int8_t type, std::string_view body) {
  if (std::has_single_bit(body.size()) && body.size() <= 16) {
    out.push_back(static_cast<char>(kFixExt1 + std::bit_width(body.size()) - 1));
  } else {
    append_length(out, kExt8, body.size());
  }
  out.push_back(static_cast<char>(type));
  out += body;
}

}  // namespace tofu::value::msgpack

// Serialization of records that contain values, for plan files.
//
// MessagePack, with a list of the types that occur at the end, since thousands of values have one
// type. A value keeps its sensitive marks, and unknown parts keep their refinements. Large records
// are written piece by piece to a sink.
//
// The reader trusts nothing. After the first error it returns empty results: callers check once, at
// the end of a record.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "value/msgpack_bytes.h"
#include "value/path.h"
#include "value/type.h"
#include "value/value.h"

namespace tofu::value {

class PackWriter {
 public:
  using Sink = std::function<void(std::string_view piece)>;

  PackWriter() = default;  // finish() has everything
  explicit PackWriter(Sink sink);

  void array(std::size_t length) { msgpack::append_array(body_, length); }
  void nothing() { msgpack::append_nil(body_); }
  void flag(bool truth) { msgpack::append_bool(body_, truth); }
  void number(std::uint64_t whole) {
    msgpack::append_integer(body_, static_cast<std::int64_t>(whole));
  }
  void integer(std::int64_t whole) { msgpack::append_integer(body_, whole); }
  void text(std::string_view text) { msgpack::append_string(body_, text); }
  void bytes(std::string_view bytes) { msgpack::append_binary(body_, bytes); }
  void type(Type type);
  void value(const Value& v);
  void path(const Path& path);

  // The bytes that have not been passed to the sink yet, if there is one.
  std::string finish();

 private:
  void give();  // to the sink what there is
  struct TypeHash {
    std::size_t operator()(const Type& type) const { return type.hash(); }
  };

  Sink sink_;
  std::string body_;  // that part of it which the sink has not got
  std::uint64_t given_ = 0;
  std::vector<Type> types_;
  std::unordered_map<Type, std::size_t, TypeHash> rows_;  // in `types_`
};

class PackReader {
 public:
  // `bytes` outlives the reader.
  explicit PackReader(std::string_view bytes);

  bool failed() const { return failed_; }
  void fail() { failed_ = true; }
  bool at_end() const { return reader_.at_end(); }
  // How many bytes were read and are not looked at again.
  std::size_t offset() const { return reader_.offset(); }

  // How many items follow.
  std::size_t array();
  // An array of this many items; otherwise the reader has failed.
  void array_of(std::size_t length);
  // Whether the next item is nothing, which is then taken.
  bool nothing();
  bool flag();
  std::uint64_t number();
  std::int64_t integer();
  bool next_is_text() const { return reader_.peek() == msgpack::Kind::String; }
  std::string text();  // valid UTF-8
  std::string bytes();
  Type type();
  // Parts that it has in common with `alike` are shared with that.
  Value value(const Value& alike = Value());
  Path path();
  // A number below `count`, as an enumerator or an index is.
  std::size_t below(std::size_t count);

 private:
  std::string_view binary();

  msgpack::Reader reader_;
  bool failed_ = false;
  std::vector<Type> types_;
};

}  // namespace tofu::value

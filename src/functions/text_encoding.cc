#include <fmt/format.h>
#include <map>
#include <memory>
#include <mutex>

#include "base/base64.h"
#include "functions/charset.h"
#include "functions/define.h"
#include "functions/errors.h"
#include "functions/families.h"

namespace tofu::functions {

namespace {

using syntax::Arguments;
using syntax::CallResult;
using value::Type;
using value::Value;

// Charsets that were used before, because making one can take milliseconds and
// these functions are called in loops.
class Charsets {
 public:
  CallResult<const Charset*> find(std::string_view name) {
    const auto canonical = charset_name(name);
    if (!canonical) {
      return syntax::argument_error(1, "this is not the IANA name of a supported encoding");
    }
    const std::lock_guard lock(mutex_);
    auto& charset = made_[*canonical];
    if (!charset) charset = make_charset(*canonical);
    if (!charset) {
      return syntax::argument_error(
          1, fmt::format("this system has no tables for {}; its C library may be installed without "
                         "character set modules",
                         *canonical));
    }
    return charset.get();
  }

 private:
  std::mutex mutex_;  // a function may be called by several evaluations at once
  std::map<std::string_view, std::unique_ptr<const Charset>> made_;
};

CallResult<Value> textencodebase64(Charsets& charsets, Arguments args) {
  const auto charset = charsets.find(args[1].plain().as_string());
  if (!charset) return charset.error();
  const auto bytes = (*charset)->encode(args[0].plain().as_string());
  if (!bytes) {
    return syntax::argument_error(0, "the string has characters that this encoding does not have");
  }
  return Value::string(base::base64_encode(*bytes));
}

CallResult<Value> textdecodebase64(Charsets& charsets, Arguments args) {
  const auto charset = charsets.find(args[1].plain().as_string());
  if (!charset) return charset.error();
  const auto bytes = base::base64_decode(args[0].plain().as_string());
  if (!bytes) {
    return syntax::argument_error(
        0, fmt::format("this is not Base64: see the character at offset {}", bytes.error().offset));
  }
  const auto text = (*charset)->decode(*bytes);
  if (!text || text->find("\uFFFD") != std::string::npos) {
    return syntax::argument_error(0, "the bytes are not text in this encoding");
  }
  return Value::string(*text);
}

}  // namespace

void add_text_encoding(List& list) {
  const Type text = Type::string();
  // Shared: both functions use it, and either may be the last to go.
  const auto charsets = std::make_shared<Charsets>();
  define(list, "textencodebase64",
         "Writes a string in another character encoding, such as UTF-16LE, and encodes the bytes "
         "as Base64.")
      .takes("string", text)
      .takes("encoding", text)
      .gives(text)
      .as([charsets](Arguments args, Type) { return textencodebase64(*charsets, args); });
  define(list, "textdecodebase64",
         "Decodes Base64 and reads the bytes as text in another character encoding.")
      .takes("source", text)
      .takes("encoding", text)
      .gives(text)
      .as([charsets](Arguments args, Type) { return textdecodebase64(*charsets, args); });
}

}  // namespace tofu::functions

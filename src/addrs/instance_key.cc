#include "addrs/instance_key.h"

#include <fmt/format.h>
#include <iterator>

#include "base/check.h"
#include "base/unicode.h"

namespace tofu::addrs {

value::Value InstanceKey::value() const {
  if (const auto* whole = number()) return value::Value::integer(*whole);
  TOFU_CHECK(text() != nullptr, "only an instance with a key has a key value");
  return value::Value::string(*text());
}

std::string InstanceKey::to_string() const {
  if (const auto* whole = number()) return fmt::format("[{}]", *whole);
  if (const auto* name = text()) return "[" + quote(*name) + "]";
  return {};
}

base::Result<InstanceKey> parse_instance_key(const value::Value& key) {
  if (key.kind() == value::Kind::String) return InstanceKey(std::string(key.plain().as_string()));
  if (key.kind() == value::Kind::Number) {
    if (const auto whole = key.plain().as_number().to_int64()) return InstanceKey(*whole);
    return base::Error{"the number must be whole and not too large"};
  }
  return base::Error{"a string or a whole number is required"};
}

std::string quote(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const base::Decoded next = base::decode_utf8(text);
    switch (next.code) {
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '$':
      case '%':
        out += text[0];
        if (text.substr(1).starts_with('{')) out += text[0];
        break;
      default:
        if (base::is_printable(next.code)) {
          base::append_utf8(out, next.code);
        } else {
          const int digits = next.code < 0x10000 ? 4 : 8;
          fmt::format_to(std::back_inserter(out), "\\{}{:0{}x}", digits == 4 ? 'u' : 'U',
                         static_cast<std::uint32_t>(next.code), digits);
        }
    }
    text.remove_prefix(next.length);
  }
  return out + '"';
}

}  // namespace tofu::addrs

#include "base/idna.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utf8proc.h>

#include "base/unicode.h"

namespace tofu::base {

namespace {

constexpr std::string_view kAcePrefix = "xn--";
// A label of the domain name system has at most 63 bytes; more input than this
// is not a name, and Punycode is quadratic.
constexpr std::size_t kLongestLabel = 1'000;

// Parameters of RFC 3492, section 5.
constexpr std::uint32_t kBase = 36;
constexpr std::uint32_t kTMin = 1;
constexpr std::uint32_t kTMax = 26;
constexpr std::uint32_t kSkew = 38;
constexpr std::uint32_t kDamp = 700;
constexpr std::uint32_t kInitialBias = 72;
constexpr std::uint32_t kInitialCode = 128;

std::uint32_t adapted_bias(std::uint32_t delta, std::uint32_t points, bool first) {
  delta = first ? delta / kDamp : delta / 2;
  delta += delta / points;
  std::uint32_t k = 0;
  for (; delta > (kBase - kTMin) * kTMax / 2; k += kBase) delta /= kBase - kTMin;
  return k + (kBase - kTMin + 1) * delta / (delta + kSkew);
}

std::uint32_t threshold(std::uint32_t k, std::uint32_t bias) {
  return k <= bias ? kTMin : std::min(k - bias, kTMax);
}

char digit(std::uint32_t value) {
  return static_cast<char>(value < 26 ? 'a' + value : '0' + value - 26);
}

std::optional<std::uint32_t> digit_value(char c) {
  if (c >= 'a' && c <= 'z') return c - 'a';
  if (c >= '0' && c <= '9') return c - '0' + 26;
  return std::nullopt;
}

std::u32string code_points(std::string_view text) {
  std::u32string out;
  while (!text.empty()) {
    const Decoded decoded = decode_utf8(text);
    out += decoded.code;
    text.remove_prefix(decoded.length);
  }
  return out;
}

std::string punycode(std::u32string_view label) {
  std::string out;
  for (const char32_t code : label) {
    if (code < 0x80) out += static_cast<char>(code);
  }
  auto handled = static_cast<std::uint32_t>(out.size());
  const std::uint32_t basic = handled;
  if (basic > 0) out += '-';
  std::uint32_t next = kInitialCode;
  std::uint32_t delta = 0;
  std::uint32_t bias = kInitialBias;
  while (handled < label.size()) {
    char32_t smallest = 0x10FFFF;
    for (const char32_t code : label) {
      if (code >= next) smallest = std::min(smallest, code);
    }
    delta += (smallest - next) * (handled + 1);
    next = smallest;
    for (const char32_t code : label) {
      if (code < next) ++delta;
      if (code != next) continue;
      std::uint32_t rest = delta;
      for (std::uint32_t k = kBase;; k += kBase) {
        const std::uint32_t t = threshold(k, bias);
        if (rest < t) break;
        out += digit(t + (rest - t) % (kBase - t));
        rest = (rest - t) / (kBase - t);
      }
      out += digit(rest);
      bias = adapted_bias(delta, handled + 1, handled == basic);
      delta = 0;
      ++handled;
    }
    ++delta;
    ++next;
  }
  return out;
}

std::optional<std::u32string> decode_punycode(std::string_view text) {
  std::u32string out;
  if (const std::size_t dash = text.rfind('-'); dash != std::string_view::npos) {
    for (const char c : text.substr(0, dash)) out += static_cast<char32_t>(c);
    text.remove_prefix(dash + 1);
  }
  std::uint64_t next = kInitialCode;
  std::uint64_t at = 0;
  std::uint32_t bias = kInitialBias;
  while (!text.empty()) {
    const std::uint64_t before = at;
    std::uint64_t weight = 1;
    for (std::uint32_t k = kBase;; k += kBase) {
      if (text.empty()) return std::nullopt;
      const auto value = digit_value(text.front());
      text.remove_prefix(1);
      if (!value) return std::nullopt;
      at += *value * weight;
      if (at > 0xFFFFFFFF) return std::nullopt;
      const std::uint32_t t = threshold(k, bias);
      if (*value < t) break;
      weight *= kBase - t;
    }
    const std::uint64_t points = out.size() + 1;
    bias = adapted_bias(static_cast<std::uint32_t>(at - before), static_cast<std::uint32_t>(points),
                        before == 0);
    next += at / points;
    at %= points;
    if (next > 0x10FFFF) return std::nullopt;
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(at++), static_cast<char32_t>(next));
  }
  return out;
}

Error bad_label() {
  return {"only letters, digits and dashes are allowed, and no dash at the beginning or the end"};
}

bool is_allowed(char32_t code) {
  if (code < 0x80) {
    return (code >= 'a' && code <= 'z') || (code >= '0' && code <= '9') || code == '-';
  }
  return is_printable(code);
}

bool is_mark(char32_t code) {
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(code));
  return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
}

// The rules that hold for a label in its final form.
bool is_sound(std::u32string_view label) {
  if (label.empty() || label.front() == '-' || label.back() == '-') return false;
  if (label.size() > 3 && label[2] == '-' && label[3] == '-') return false;
  return std::ranges::all_of(label, is_allowed) && !is_mark(label.front());
}

std::string lower(std::string_view text) {
  std::string out;
  for (const char32_t code : code_points(text)) append_utf8(out, to_lower(code));
  return out;
}

// Lower case before and after, because compatibility forms hide capitals. Full
// case folding would not do: it turns ß into ss, which are different names.
std::optional<std::string> folded(std::string_view label) {
  const std::string lowered = lower(label);
  utf8proc_uint8_t* mapped = nullptr;
  const utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(lowered.data()),
                   static_cast<utf8proc_ssize_t>(lowered.size()), &mapped,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE |
                                                  UTF8PROC_COMPAT | UTF8PROC_IGNORE));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(mapped, &std::free);
  if (size < 0) return std::nullopt;
  return lower({reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(size)});
}

}  // namespace

Result<std::string> idna_label_to_unicode(std::string_view label) {
  if (label.size() > kLongestLabel || !is_valid_utf8(label) ||
      label.find('\0') != std::string_view::npos) {
    return bad_label();
  }
  std::string mapped;
  if (is_ascii(label)) {
    for (const char c : label) mapped += static_cast<char>(to_lower(static_cast<char32_t>(c)));
  } else {
    auto text = folded(label);
    if (!text) return bad_label();
    mapped = std::move(*text);
  }
  std::u32string codes = code_points(mapped);
  if (mapped.starts_with(kAcePrefix)) {
    const auto decoded = decode_punycode(std::string_view(mapped).substr(kAcePrefix.size()));
    // Only what encodes to the very same text is a name in Punycode.
    if (!decoded || std::ranges::all_of(*decoded, [](char32_t c) { return c < 0x80; }) ||
        std::string(kAcePrefix) + punycode(*decoded) != mapped) {
      return bad_label();
    }
    codes = *decoded;
  }
  if (!is_sound(codes)) return bad_label();
  std::string out;
  for (const char32_t code : codes) append_utf8(out, code);
  return out;
}

Result<std::string> idna_label_to_ascii(std::string_view label) {
  auto text = idna_label_to_unicode(label);
  if (!text || is_ascii(*text)) return text;
  return std::string(kAcePrefix) + punycode(code_points(*text));
}

}  // namespace tofu::base

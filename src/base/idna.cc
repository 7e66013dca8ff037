#include "base/idna.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/ascii.h"
#include "base/idn2_library.h"
#include "base/unicode.h"

namespace tofu::base {

namespace {

constexpr std::string_view kAcePrefix = "xn--";
// A label of the domain name system has at most 63 bytes, and few characters take more
// than four before they are mapped. The library's work grows with the square.
constexpr std::size_t kMaxLabelLength = 1'000;

Error bad_label() {
  return {"only letters, digits and dashes are allowed, and no dash at the beginning or the end"};
}

using Converted = std::unique_ptr<char, decltype(&std::free)>;

// UTS #46 without the transitional mapping, which turns ß into ss: they are different
// names.
Result<std::string> to_ascii(const std::string& label) {
  const auto& idn2 = idn2_library();
  if (!idn2) return idn2.error();
  char* out = nullptr;
  const int problem = idn2->to_ascii(label.c_str(), &out, IDN2_NONTRANSITIONAL);
  const Converted owner(out, &std::free);
  if (problem != IDN2_OK || out == nullptr) return bad_label();
  return std::string(out);
}

Result<std::string> to_unicode(const std::string& label) {
  const auto& idn2 = idn2_library();
  if (!idn2) return idn2.error();
  char* out = nullptr;
  const int problem = idn2->to_unicode(label.c_str(), &out, IDN2_NONTRANSITIONAL);
  const Converted owner(out, &std::free);
  if (problem != IDN2_OK || out == nullptr) return bad_label();
  return std::string(out);
}

// The rules for a label of ASCII, in lower case.
bool is_sound(std::string_view label) {
  if (label.empty() || label.front() == '-' || label.back() == '-') return false;
  const std::string_view third = label.substr(std::min<std::size_t>(2, label.size()));
  if (third.starts_with("--") && !label.starts_with(kAcePrefix)) return false;
  return label.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos;
}

}  // namespace

Result<std::string> idna_label_to_ascii(std::string_view label) {
  if (label.size() > kMaxLabelLength || !is_valid_utf8(label) ||
      label.find('\0') != std::string_view::npos) {
    return bad_label();
  }
  std::string ascii(label);
  if (is_ascii(label)) {
    ascii = ascii_lower(label);
  } else {
    auto converted = to_ascii(ascii);
    if (!converted) return converted;
    ascii = std::move(*converted);
  }
  if (!is_sound(ascii)) return bad_label();
  if (!ascii.starts_with(kAcePrefix)) return ascii;
  // Only what encodes to the very same text is a name in Punycode.
  const auto unicode = to_unicode(ascii);
  if (!unicode) return unicode.error();
  const auto again = is_ascii(*unicode) ? Result<std::string>(bad_label()) : to_ascii(*unicode);
  if (!again || *again != ascii) return bad_label();
  return ascii;
}

Result<std::string> idna_label_to_unicode(std::string_view label) {
  auto ascii = idna_label_to_ascii(label);
  if (!ascii || !ascii->starts_with(kAcePrefix)) return ascii;
  return to_unicode(*ascii);
}

}  // namespace tofu::base

#include "base/url.h"

#include <algorithm>

#include "base/hex.h"

namespace tofu::base {

namespace {

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

// What stands between // and the path: user@host:port.
bool is_sound_authority(std::string_view authority) {
  const std::size_t at = authority.rfind('@');
  std::string_view host = at == std::string_view::npos ? authority : authority.substr(at + 1);
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    if (end == std::string_view::npos) return false;
    host.remove_prefix(end + 1);
    if (!host.empty() && host.front() != ':') return false;
  }
  if (host.find_first_of(" \"<>\\^`{|}") != std::string_view::npos) return false;
  const std::size_t colon = host.rfind(':');
  return colon == std::string_view::npos || std::ranges::all_of(host.substr(colon + 1), is_digit);
}

}  // namespace

std::string url_scheme(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == 0 || colon == std::string_view::npos || !is_letter(text[0])) return {};
  const std::string_view scheme = text.substr(0, colon);
  const auto fits = [](char c) {
    return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
  };
  if (!std::ranges::all_of(scheme, fits) || std::ranges::any_of(text, is_control)) return {};
  std::string_view rest = text.substr(colon + 1);
  rest = rest.substr(0, rest.find('#'));
  rest = rest.substr(0, rest.find('?'));
  if (rest.starts_with("//")) {
    rest.remove_prefix(2);
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    if (!is_sound_authority(rest.substr(0, slash))) return {};
    rest.remove_prefix(slash);
  }
  if (rest.starts_with('/') && !unescape_url(rest, false)) return {};
  std::string lower(scheme);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return lower;
}

std::string escape_url_path(std::string_view path) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  constexpr std::string_view kPlain = "-_.~$&+,/:;=@";
  std::string out;
  for (const char c : path) {
    if (is_letter(c) || is_digit(c) || kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out;
}

std::optional<std::string> unescape_url(std::string_view text, bool plus_is_space) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = hex_digit(text[i + 1]);
      const int low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

}  // namespace tofu::base

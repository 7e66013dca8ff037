#include "addrs/source_text.h"

#include <algorithm>
#include <vector>

#include "base/hex.h"

namespace tofu::addrs {

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

std::string clean_path(std::string_view path) {
  const bool rooted = path.starts_with('/');
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    path.remove_prefix(std::min(slash + 1, path.size()));
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (!parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (!rooted) {
      parts.push_back(part);
    }
  }
  std::string out = rooted ? "/" : "";
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += '/';
    out += parts[i];
  }
  return out.empty() ? "." : out;
}

std::string join_paths(std::string_view first, std::string_view second) {
  if (first.empty()) return second.empty() ? "" : clean_path(second);
  return clean_path(std::string(first) + "/" + std::string(second));
}

SplitSource split_subdir(std::string_view source) {
  const std::size_t query = std::min(source.find('?'), source.size());
  const std::string_view before = source.substr(0, query);
  const std::size_t scheme = before.find("://");
  const std::size_t slashes = before.find("//", scheme == std::string_view::npos ? 0 : scheme + 3);
  if (slashes == std::string_view::npos) return {std::string(source), {}};
  SplitSource split;
  split.package = std::string(before.substr(0, slashes)) + std::string(source.substr(query));
  const std::string_view subdir = before.substr(slashes + 2);
  if (!subdir.empty()) split.subdir = clean_path(subdir);
  return split;
}

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
  if (rest.starts_with('/') && !unescape(rest, false)) return {};
  std::string lower(scheme);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return lower;
}

std::string escape_path(std::string_view path) {
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

std::optional<std::string> unescape(std::string_view text, bool plus_is_space) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = base::hex_digit(text[i + 1]);
      const int low = base::hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return out;
}

}  // namespace tofu::addrs

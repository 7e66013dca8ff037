#include "base/url.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/hex.h"

namespace tofu::base {

namespace {

constexpr bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

void append_escaped(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  out += '%';
  out += kHex[byte >> 4];
  out += kHex[byte & 15];
}

// As written if an escape is malformed.
std::string decoded(std::string_view text, bool plus_is_space) {
  auto plain = unescape_url(text, plus_is_space);
  return plain ? std::move(*plain) : std::string(text);
}

// Removes and returns the text before `end`, and `end` itself; all of it if `end` is not there.
std::string_view take_until(std::string_view& text, char end) {
  const std::size_t at = std::min(text.find(end), text.size());
  const std::string_view before = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return before;
}

// The part between // and the path: user@host:port.
bool read_authority(std::string_view authority, Url& url) {
  const std::size_t at = authority.rfind('@');
  if (at != std::string_view::npos) {
    url.userinfo = authority.substr(0, at);
    authority.remove_prefix(at + 1);
  }
  std::size_t host_end = 0;
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    if (end == std::string_view::npos) return false;
    host_end = end + 1;
    if (host_end < authority.size() && authority[host_end] != ':') return false;
  }
  if (authority.substr(host_end).find_first_of(" \"<>\\^`{|}") != std::string_view::npos) {
    return false;
  }
  const std::size_t colon = authority.rfind(':');
  if (colon != std::string_view::npos && colon >= host_end) {
    const std::string_view port = authority.substr(colon + 1);
    if (!std::ranges::all_of(port, is_ascii_digit)) return false;
    url.port = port;
    authority = authority.substr(0, colon);
  }
  url.host = authority;
  return true;
}

// Escapes only what no URL can hold, since the rest may be escaped on purpose.
std::string sendable_path(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool holds =
        byte > 0x20 && byte < 0x7F && std::string_view("\"<>\\^`{|}").find(c) == std::string::npos;
    if (holds) {
      out += c;
    } else {
      append_escaped(out, c);
    }
  }
  return out;
}

std::string escape_argument(std::string_view text) {
  std::string out = escape_url(text, " ");
  std::ranges::replace(out, ' ', '+');
  return out;
}

}  // namespace

std::string Url::authority() const { return port.empty() ? host : host + ":" + port; }

std::string Url::user() const {
  return decoded(std::string_view(userinfo).substr(0, userinfo.find(':')), false);
}

std::string Url::password() const {
  const std::size_t colon = userinfo.find(':');
  if (colon == std::string::npos) return {};
  return decoded(std::string_view(userinfo).substr(colon + 1), false);
}

std::string Url::decoded_path() const { return decoded(path, false); }

std::string Url::to_string() const {
  std::string out = scheme + ":";
  if (has_authority) out += "//";
  if (!userinfo.empty()) out.append(userinfo).append("@");
  out += authority();
  out += sendable_path(path);
  if (!query.empty()) out.append("?").append(query);
  if (!fragment.empty()) out.append("#").append(fragment);
  return out;
}

std::optional<Url> parse_url(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == 0 || colon == std::string_view::npos || !is_ascii_letter(text[0])) {
    return std::nullopt;
  }
  const std::string_view scheme = text.substr(0, colon);
  const auto fits = [](char c) {
    return is_ascii_alphanumeric(c) || c == '+' || c == '-' || c == '.';
  };
  if (!std::ranges::all_of(scheme, fits) || std::ranges::any_of(text, is_control)) {
    return std::nullopt;
  }
  Url url;
  url.scheme = ascii_lower(scheme);
  std::string_view fragment = text.substr(colon + 1);
  std::string_view query = take_until(fragment, '#');
  std::string_view rest = take_until(query, '?');
  url.fragment = fragment;
  url.query = query;
  url.has_authority = rest.starts_with("//");
  if (url.has_authority) {
    rest.remove_prefix(2);
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    if (!read_authority(rest.substr(0, slash), url)) return std::nullopt;
    rest.remove_prefix(slash);
  }
  if (rest.starts_with('/') && !unescape_url(rest, false)) return std::nullopt;
  url.path = rest;
  return url;
}

std::string remove_dot_segments(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const std::size_t slash = path.find('/', 1);
    const std::string_view segment = path.substr(0, slash);
    path.remove_prefix(segment.size());
    const std::string_view name = segment.substr(segment.starts_with('/') ? 1 : 0);
    if (name == "." || name == "..") {
      if (name == "..") out.resize(std::min(out.rfind('/'), out.size()));
      if (name == ".." && out.find('/') == std::string::npos) out.clear();
      if (path.empty()) out += '/';
    } else {
      out += segment;
    }
  }
  return out;
}

std::optional<Url> resolve_url(const Url& at, std::string_view reference) {
  if (auto absolute = parse_url(reference)) return absolute;
  if (std::ranges::any_of(reference, is_control)) return std::nullopt;
  if (reference.starts_with("//")) return parse_url(at.scheme + ":" + std::string(reference));
  Url url = at;
  std::string_view fragment = reference;
  std::string_view query = take_until(fragment, '#');
  const bool has_query = query.find('?') != std::string_view::npos;
  const std::string_view path = take_until(query, '?');
  url.fragment = fragment;
  if (path.empty()) {
    if (has_query) url.query = query;
    return url;
  }
  // A first segment with a colon would be a scheme, and it is none that could be read.
  if (path.substr(0, path.find('/')).find(':') != std::string_view::npos) return std::nullopt;
  if (!unescape_url(path, false)) return std::nullopt;
  url.query = query;
  std::string whole(path);
  if (!path.starts_with('/')) {
    const std::size_t slash = at.path.rfind('/');
    whole = (slash == std::string::npos ? "/" : at.path.substr(0, slash + 1)) + whole;
  }
  url.path = remove_dot_segments(whole);
  return url;
}

UrlArguments parse_url_query(std::string_view query) {
  UrlArguments arguments;
  while (!query.empty()) {
    std::string_view value = take_until(query, '&');
    if (value.empty()) continue;
    const std::string_view name = take_until(value, '=');
    arguments.emplace_back(decoded(name, true), decoded(value, true));
  }
  return arguments;
}

std::string format_url_query(UrlArguments arguments) {
  std::ranges::stable_sort(arguments, {}, &UrlArguments::value_type::first);
  std::string out;
  for (const auto& [name, value] : arguments) {
    if (!out.empty()) out += '&';
    out += escape_argument(name) + "=" + escape_argument(value);
  }
  return out;
}

std::string escape_url(std::string_view text, std::string_view kept) {
  std::string out;
  for (const char c : text) {
    if (is_ascii_alphanumeric(c) || std::string_view("-._~").find(c) != std::string_view::npos ||
        kept.find(c) != std::string_view::npos) {
      out += c;
    } else {
      append_escaped(out, c);
    }
  }
  return out;
}

std::string escape_url_path(std::string_view path) { return escape_url(path, "$&+,/:;=@"); }

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

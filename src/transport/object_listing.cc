#include "transport/object_listing.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "base/unicode.h"
#include "base/url.h"
#include "value/json.h"

namespace tofu::transport {

namespace {

using value::Kind;
using value::Value;

// The text between <name> and </name>, from where `rest` stands, which moves behind it.
// Enough XML for a list: S3's elements have no attributes that matter here, and text
// inside is escaped, so that no name of an object can look like an element.
std::optional<std::string_view> take_element(std::string_view& rest, std::string_view name) {
  const std::string open = "<" + std::string(name) + ">";
  const std::string close = "</" + std::string(name) + ">";
  const std::size_t start = rest.find(open);
  if (start == std::string_view::npos) return std::nullopt;
  const std::size_t end = rest.find(close, start);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view content = rest.substr(start + open.size(), end - start - open.size());
  rest.remove_prefix(end + close.size());
  return content;
}

std::optional<std::string_view> element(std::string_view text, std::string_view name) {
  return take_element(text, name);
}

// "&#x41;" without its ends, as bytes; nothing if it is not one that is known.
std::optional<std::string> entity(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kNamed = {
      {{"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"apos", "'"}}};
  const auto named = std::ranges::find_if(kNamed, [&](const auto& e) { return e.first == name; });
  if (named != kNamed.end()) return std::string(named->second);
  if (!name.starts_with('#')) return std::nullopt;
  name.remove_prefix(1);
  const bool hex = name.starts_with('x');
  if (hex) name.remove_prefix(1);
  std::uint32_t code = 0;
  const auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), code, hex ? 16 : 10);
  const bool whole = error == std::errc() && end == name.data() + name.size();
  if (!whole || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return std::nullopt;
  std::string out;
  base::append_utf8(out, code);
  return out;
}

std::optional<std::string> without_entities(std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t start = text.find('&');
    out += text.substr(0, start);
    if (start == std::string_view::npos) return out;
    const std::size_t end = text.find(';', start);
    if (end == std::string_view::npos) return std::nullopt;
    const auto plain = entity(text.substr(start + 1, end - start - 1));
    if (!plain) return std::nullopt;
    out += *plain;
    text.remove_prefix(end + 1);
  }
}

std::string text_at(const Value& object, std::string_view name) {
  const Value* found = object.kind() == Kind::Object ? object.plain().find(name) : nullptr;
  return found != nullptr && found->kind() == Kind::String ? std::string(found->plain().as_string())
                                                           : "";
}

}  // namespace

base::Result<ObjectPage> read_s3_page(std::string_view xml) {
  if (xml.find("<ListBucketResult") == std::string_view::npos) {
    return base::Error{"its answer is not a list of objects"};
  }
  const bool escaped = element(xml, "EncodingType") == "url";
  ObjectPage page;
  for (std::string_view rest = xml;;) {
    const auto contents = take_element(rest, "Contents");
    if (!contents) break;
    const auto key = element(*contents, "Key");
    auto name = key ? without_entities(*key) : std::nullopt;
    if (name && escaped) name = base::unescape_url(*name, true);
    if (!name) return base::Error{"its list has a name that cannot be read"};
    page.names.push_back(std::move(*name));
  }
  if (element(xml, "IsTruncated") != "true") return page;
  const auto next = element(xml, "NextContinuationToken");
  const auto token = next ? without_entities(*next) : std::nullopt;
  if (!token || token->empty()) return base::Error{"its list is cut off, but does not go on"};
  page.next = *token;
  return page;
}

base::Result<ObjectPage> read_gcs_page(std::string_view json) {
  const auto document = value::parse_json(json);
  if (!document || document->kind() != Kind::Object) {
    return base::Error{"its answer is not a list of objects"};
  }
  ObjectPage page;
  const Value* items = document->plain().find("items");
  if (items != nullptr && items->kind() == Kind::Tuple) {
    for (const Value& item : items->plain().items()) {
      std::string name = text_at(item, "name");
      if (name.empty()) return base::Error{"its list has an object without a name"};
      page.names.push_back(std::move(name));
    }
  }
  page.next = text_at(*document, "nextPageToken");
  return page;
}

}  // namespace tofu::transport

#include "fetch/object_listing.h"

#include <optional>
#include <utility>

#include "base/url.h"
#include "net/json_fields.h"
#include "net/markup.h"

namespace tofu::fetch {

using value::Kind;
using value::Value;

namespace {

constexpr std::string_view kMarker = "NextMarker";  // not every service sends it

// `next` is the element with the start of the next page.
base::Result<ObjectPage> read_page(std::string_view xml, std::string_view next) {
  const auto list = net::parse_xml(xml);
  if (!list || list->name != "ListBucketResult") {
    return base::Error{"its answer is not a list of objects"};
  }
  const bool escaped = list->text_of("EncodingType") == "url";
  ObjectPage page;
  for (const net::XmlElement& contents : list->children) {
    if (contents.name != "Contents") continue;
    const net::XmlElement* key = contents.child("Key");
    auto name = key != nullptr ? std::optional(key->text) : std::nullopt;
    if (name && escaped) name = base::unescape_url(*name, true);
    if (!name) return base::Error{"its list has a name that cannot be read"};
    page.names.push_back(std::move(*name));
  }
  if (list->text_of("IsTruncated") != "true") return page;
  page.next = list->text_of(next);
  if (page.next.empty() && next == kMarker && !page.names.empty()) page.next = page.names.back();
  if (page.next.empty()) return base::Error{"its list lacks the marker of the next page"};
  return page;
}

}  // namespace

base::Result<ObjectPage> read_s3_page(std::string_view xml) {
  return read_page(xml, "NextContinuationToken");
}

base::Result<ObjectPage> read_marked_page(std::string_view xml) { return read_page(xml, kMarker); }

base::Result<ObjectPage> read_gcs_page(std::string_view json) {
  const auto document = net::parse_json_object(json);
  if (!document) return base::Error{"its answer is not a list of objects"};
  ObjectPage page;
  const Value* items = document->unmarked().find("items");
  if (items != nullptr && items->kind() == Kind::Tuple) {
    for (const Value& item : items->unmarked().items()) {
      std::string name = net::text_at(item, "name");
      if (name.empty()) return base::Error{"its list has an object without a name"};
      page.names.push_back(std::move(name));
    }
  }
  page.next = net::text_at(*document, "nextPageToken");
  return page;
}

}  // namespace tofu::fetch

// XML documents and HTML pages that servers send, read by libxml2.
//
// The library is loaded when the first document arrives. Nothing is fetched for a
// document, documents with a DTD are refused, so that no entity can grow, and depth and
// size have the library's limits.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tofu::net {

// An element with its parts. Namespaces are left out of names.
struct XmlElement {
  std::string name = {};
  std::string text = {};  // directly in it, all pieces joined
  std::vector<XmlElement> children = {};

  // The first child of that name; null if there is none.
  const XmlElement* child(std::string_view child_name) const;
  // The text of that child; empty if there is none.
  std::string text_of(std::string_view child_name) const;
};

base::Result<XmlElement> parse_xml(std::string_view text);

// The content of the first <meta> with that name in the head of a page; empty if there
// is none. Pages need not be well-formed.
base::Result<std::string> find_meta_content(std::string_view page, std::string_view name);

}  // namespace tofu::net

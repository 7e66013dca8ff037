#include "net/markup.h"

#include <algorithm>
#include <climits>
#include <memory>

#include "net/xml_library.h"

namespace tofu::net {

namespace {

constexpr unsigned kDeepest = 256;

using Document = std::unique_ptr<xmlDoc, decltype(&::xmlFreeDoc)>;

std::string_view view(const xmlChar* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

bool is_text(const xmlNode& node) {
  return node.type == XML_TEXT_NODE || node.type == XML_CDATA_SECTION_NODE;
}

bool read_element(const xmlNode& node, XmlElement& element, unsigned depth) {
  if (depth > kDeepest) return false;
  element.name = view(node.name);
  for (const xmlNode* child = node.children; child != nullptr; child = child->next) {
    if (is_text(*child)) element.text += view(child->content);
    if (child->type != XML_ELEMENT_NODE) continue;
    if (!read_element(*child, element.children.emplace_back(), depth + 1)) return false;
  }
  return true;
}

std::string attribute(const xmlNode& node, std::string_view name) {
  for (const xmlAttr* each = node.properties; each != nullptr; each = each->next) {
    if (view(each->name) != name) continue;
    std::string value;
    for (const xmlNode* part = each->children; part != nullptr; part = part->next) {
      if (is_text(*part)) value += view(part->content);
    }
    return value;
  }
  return {};
}

// The child element of that name; null if there is none.
const xmlNode* child_of(const xmlNode* node, std::string_view name) {
  if (node == nullptr) return nullptr;
  for (const xmlNode* child = node->children; child != nullptr; child = child->next) {
    if (child->type == XML_ELEMENT_NODE && view(child->name) == name) return child;
  }
  return nullptr;
}

}  // namespace

const XmlElement* XmlElement::child(std::string_view child_name) const {
  const auto found = std::ranges::find(children, child_name, &XmlElement::name);
  return found == children.end() ? nullptr : &*found;
}

std::string XmlElement::text_of(std::string_view child_name) const {
  const XmlElement* found = child(child_name);
  return found == nullptr ? std::string() : found->text;
}

base::Result<XmlElement> parse_xml(std::string_view text) {
  const auto& xml = xml_library();
  if (!xml) return xml.error();
  const base::Error wrong{"it is not an XML document"};
  if (text.size() > INT_MAX) return wrong;
  const Document document(
      xml->read_xml(text.data(), static_cast<int>(text.size()), nullptr, nullptr,
                    XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NOCDATA),
      xml->free_document);
  if (!document) return wrong;
  if (document->intSubset != nullptr) return base::Error{"it has a document type declaration"};
  const xmlNode* root = xml->root_of(document.get());
  XmlElement element;
  if (root == nullptr || !read_element(*root, element, 0)) return wrong;
  return element;
}

base::Result<std::string> find_meta_content(std::string_view page, std::string_view name) {
  const auto& xml = xml_library();
  if (!xml) return xml.error();
  if (page.empty() || page.size() > INT_MAX) return std::string();
  const Document document(
      xml->read_html(
          page.data(), static_cast<int>(page.size()), nullptr, "UTF-8",
          HTML_PARSE_RECOVER | HTML_PARSE_NONET | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING),
      xml->free_document);
  if (!document) return std::string();
  const xmlNode* head = child_of(xml->root_of(document.get()), "head");
  if (head == nullptr) return std::string();
  for (const xmlNode* child = head->children; child != nullptr; child = child->next) {
    if (child->type != XML_ELEMENT_NODE || view(child->name) != "meta") continue;
    std::string content = attribute(*child, "content");
    if (attribute(*child, "name") == name && !content.empty()) return content;
  }
  return std::string();
}

}  // namespace tofu::net

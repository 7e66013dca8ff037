#include "net/xml_library.h"

#include <utility>

#include "base/dynamic_library.h"

namespace tofu::net {

namespace {

base::Result<XmlLibrary> load() {
  auto library = base::DynamicLibrary::load("libxml2.so.2", "libxml2");
  if (!library) return std::move(library).error();
  XmlLibrary xml{};
  library->find("xmlInitParser", xml.init_parser);
  library->find("xmlReadMemory", xml.read_xml);
  library->find("htmlReadMemory", xml.read_html);
  library->find("xmlFreeDoc", xml.free_document);
  library->find("xmlDocGetRootElement", xml.root_of);
  if (auto found = library->check(); !found) return found.error();
  xml.init_parser();
  return xml;
}

}  // namespace

const base::Result<XmlLibrary>& xml_library() {
  static const base::Result<XmlLibrary> library = load();
  return library;
}

}  // namespace tofu::net

// libxml2 of a build that links it (TOFU_SHARED).
#include "net/xml_library.h"

namespace tofu::net {

namespace {

XmlLibrary start() {
  ::xmlInitParser();
  return {
      .init_parser = &::xmlInitParser,
      .read_xml = &::xmlReadMemory,
      .read_html = &::htmlReadMemory,
      .free_document = &::xmlFreeDoc,
      .root_of = &::xmlDocGetRootElement,
  };
}

}  // namespace

const base::Result<XmlLibrary>& xml_library() {
  static const base::Result<XmlLibrary> library = start();
  return library;
}

}  // namespace tofu::net

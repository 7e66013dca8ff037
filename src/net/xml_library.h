// libxml2, loaded when the first document of XML or HTML is read.
//
// See base/dynamic_library.h for why. Types and constants come from its own headers.
// Private to markup.cc.
#pragma once

#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/tree.h>

#include "base/result.h"

namespace tofu::net {

struct XmlLibrary {
  decltype(&::xmlInitParser) init_parser;
  decltype(&::xmlReadMemory) read_xml;
  decltype(&::htmlReadMemory) read_html;
  decltype(&::xmlFreeDoc) free_document;
  decltype(&::xmlDocGetRootElement) root_of;
};

// The library, ready for use, the same each time; an error if it is missing. Safe to call from
// several threads.
const base::Result<XmlLibrary>& xml_library();

}  // namespace tofu::net

// The families of functions, one per file; each adds its own to the list that
// becomes the Table.
//
// Only table.cc calls these. A family that needs files or the time gets the Environment; the others
// are pure.
#pragma once

#include <vector>

#include "functions/table.h"
#include "syntax/function.h"

namespace tofu::functions {

using List = std::vector<syntax::Function>;

void add_numeric(List& list);     // numeric.cc
void add_string(List& list);      // string.cc
void add_format(List& list);      // format.cc: format, formatlist
void add_regex(List& list);       // regex.cc: regex, regexall, replace
void add_collection(List& list);  // collection.cc
void add_set(List& list);         // set.cc
void add_conversion(
    List& list,
    const Environment& environment);  // conversion.cc: to*, try, can, convert, type, assume…
void add_marks(List& list);     // marks.cc: sensitive, nonsensitive, issensitive, ephemeralasnull
void add_encoding(List& list);  // encoding.cc: base64, url, json, text
void add_text_encoding(List& list);  // text_encoding.cc: called by add_encoding
void add_csv(List& list);            // csv.cc
void add_yaml(List& list);           // yaml.cc
void add_crypto(List& list, const Environment& environment);      // crypto.cc
void add_date(List& list, const Environment& environment);        // date.cc
void add_network(List& list);                                     // network.cc
void add_filesystem(List& list, const Environment& environment);  // filesystem.cc
// templatefile and templatestring; `find` gives the functions a template may use.
void add_template(List& list, const Environment& environment,
                  std::function<const syntax::Function*(std::string_view)> find);  // template.cc

}  // namespace tofu::functions

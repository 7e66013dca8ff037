// Addresses that are arguments of a command.
//
// An argument is a source of its own, which lives as long as the run, so that an error in it is
// shown in its place. Where only the whole argument is to be reported, as for options, or where the
// text comes from a file of ours, addrs/text.h is enough.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/parser.h"

namespace tofu::workdir {

// Reads `text` by one of the functions of addrs/parse.h. `name` is the file name in messages for
// programs.
template <class Address>
diag::Checked<Address> read_address(const std::string& text,
                                    std::optional<Address> (*parse)(const syntax::Traversal&,
                                                                    diag::Diagnostics&),
                                    diag::SourceMap& sources, diag::Diagnostics& diags,
                                    std::string name = {}) {
  const diag::FileId file = sources.add(std::move(name), text);
  const auto parsed = syntax::parse_traversal(sources, file, false, diags);
  if (!parsed) return std::nullopt;
  return parse(parsed->traversal, diags);
}

}  // namespace tofu::workdir

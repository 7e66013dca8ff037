// Addresses that are arguments of a command.
//
// An argument is a source of its own, which lives as long as the run, so that a mistake in it is
// shown where it is. Where only the whole argument is to be reported, as for options, or where the
// text comes from a file of ours, addrs/text.h is enough.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/parser.h"

namespace tofu::commands {

// Reads `text` by one of the functions of addrs/parse.h. `name` is the file that programs are told
// of. Nothing if and only if an error was added.
template <class Address>
std::optional<Address> read_address(const std::string& text,
                                    std::optional<Address> (*parse)(const syntax::Traversal&,
                                                                    diag::Diagnostics&),
                                    diag::SourceMap& sources, diag::Diagnostics& diags,
                                    std::string name = {}) {
  const diag::FileId file = sources.add(std::move(name), text);
  const auto parsed = syntax::parse_traversal(sources, file, false, diags);
  if (!parsed) return std::nullopt;
  return parse(parsed->traversal, diags);
}

}  // namespace tofu::commands

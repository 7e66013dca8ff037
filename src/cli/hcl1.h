// The old configuration syntax, version 1 of HCL, which the files of the command
// line (.tofurc) are still written in.
//
// It is laxer than the language of modules: names may be quoted, items need no line
// of their own, commas and equals signs come and go, and JSON is read by the same
// rules. Nothing is evaluated: "${…}" is plain text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/source.h"

namespace tofu::cli {

struct Hcl1Item;

enum class Hcl1Kind : std::uint8_t { String, Number, Bool, List, Object };

struct Hcl1Value {
  Hcl1Kind kind = Hcl1Kind::String;
  std::string text;             // of a string, decoded; of a number or bool, as written
  std::vector<Hcl1Value> list;  // of a list
  std::vector<Hcl1Item> items;  // of an object
  diag::SourceRange range;
};

// `plugin_cache_dir = "x"`, `host "example.com" { … }`.
struct Hcl1Item {
  std::vector<std::string> keys;  // the name and, of a block, its labels
  bool assigned = false;          // there was an equals sign or a colon
  Hcl1Value value;
  diag::SourceRange range;  // of the keys

  const std::string& name() const { return keys.front(); }
};

// The items of a whole file.
diag::Checked<std::vector<Hcl1Item>> parse_hcl1(const diag::SourceMap& sources, diag::FileId file,
                                                diag::Diagnostics& diags);

// Nothing for anything but a list of strings.
std::optional<std::vector<std::string>> string_list(const Hcl1Value& value);
// The error for an argument that has to be one.
std::string not_a_string_list(std::string_view name);

// "FILE, line 3". Errors are reported with this and without a snippet, because the
// line may have a secret in it.
std::string shown_place(diag::SourceRange place, const diag::SourceMap& sources);

}  // namespace tofu::cli

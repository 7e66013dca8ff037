// A diff as people read it, OpenTofu's line by line: reviewers and tools know
// this format.
//
// The first line is written where the cursor stands, the others are indented by
// four columns a level and four more for symbols; there is no final line feed.
#pragma once

#include <string>
#include <string_view>

#include "plans/action.h"
#include "views/diff.h"
#include "views/paint.h"

namespace tofu::views {

struct DiffTextOptions {
  bool color = false;
  bool show_sensitive = false;
  bool show_unchanged = false;    // whole: nothing is omitted and counted instead
  bool hide_symbols = false;      // no column for them either: nothing changes
  bool hide_null_suffix = false;  // no `-> null` behind what goes
};

void append_diff_text(std::string& out, const Diff& diff, const DiffTextOptions& options);
std::string diff_text(const Diff& diff, const DiffTextOptions& options);

// Three characters wide: "  +", "-/+", " <=". The exception is "  ./+".
std::string action_symbol(plans::Action action, const Paint& paint);
void append_action_symbol(std::string& out, plans::Action action, const Paint& paint);

// A name as it may stand before `=`: quoted unless it is an identifier.
std::string attribute_name(std::string_view name);
// `text` and blanks up to `width` characters.
void append_padded(std::string& out, std::string_view text, std::size_t width);

}  // namespace tofu::views

// Writes diffs, kind by kind. For the files of diff_text only.
//
// Every kind begins at the cursor and ends without a line feed, so that the caller can continue the
// line.
#pragma once

#include <string>
#include <string_view>

#include "base/arena.h"
#include "plans/action.h"
#include "views/diff.h"
#include "views/paint.h"

namespace tofu::views {

// How a part is written; the caller decides.
struct DiffStyle {
  bool show_sensitive = false;
  bool show_unchanged = false;
  bool hide_symbols = false;
  bool hide_null_suffix = false;
  bool note_replacement = false;  // although the part itself does not say so

  // For the parts: each decides about its own note.
  DiffStyle inside() const {
    DiffStyle style = *this;
    style.note_replacement = false;
    return style;
  }
  DiffStyle whole() const {
    DiffStyle style = inside();
    style.show_unchanged = true;
    return style;
  }
};

class DiffWriter {
 public:
  DiffWriter(std::string& out, const Paint& paint) : out_(out), paint_(paint) {}

  void write(const Diff& diff, int indent, const DiffStyle& style);

 private:
  void block(const Diff& diff, int indent, const DiffStyle& style);
  // Of a block or an object, one a line; `inner` is how they are written.
  void attributes(const Diff& diff, int indent, const DiffStyle& style, const DiffStyle& inner);
  std::size_t block_group(const Diff& outer, const BlockGroup& group, int indent,
                          const DiffStyle& style);
  void sensitive_block(const Diff& diff, int indent, const DiffStyle& style);
  void object(const Diff& diff, int indent, const DiffStyle& style);
  void map(const Diff& diff, int indent, const DiffStyle& style);
  void list(const Diff& diff, int indent, const DiffStyle& style);
  void set(const Diff& diff, int indent, const DiffStyle& style);
  void unknown(const Diff& diff, int indent, const DiffStyle& style);
  void sensitive(const Diff& diff, int indent, const DiffStyle& style);
  void type_change(const Diff& diff, int indent, const DiffStyle& style);
  void scalar(const Diff& diff, const DiffStyle& style);
  void text(const Diff& diff, int indent, const DiffStyle& style);
  void text_line(std::string_view line);
  void lines(const Diff& diff, std::string_view whole, int indent, const DiffStyle& style);
  void changed_text(const Diff& diff, int indent, const DiffStyle& style);
  void json(const Diff& diff, const PlainValue* before, const PlainValue* after, int indent,
            const DiffStyle& style);

  // An element of a list or set, on lines of its own.
  void element(const Diff& diff, int indent, const DiffStyle& style);
  void warnings(const Diff& diff, int indent);
  void hidden(std::string_view what, std::size_t count, int indent, const DiffStyle& style);
  void close(char bracket, const Diff& diff, int indent, const DiffStyle& style);
  void begin_line(int indent, plans::Action action, const DiffStyle& style);
  void symbol(plans::Action action, const DiffStyle& style);
  void null_suffix(const Diff& diff, const DiffStyle& style);
  void replacement_note(bool replace, const DiffStyle& style);
  void quoted(const PlainValue* v);

  std::string& out_;
  const Paint& paint_;
  base::Arena arena_;  // JSON that was found in strings
};

}  // namespace tofu::views

#include "functions/regex_syntax.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "base/ascii.h"

namespace tofu::functions {

namespace {

using base::Error;
using base::Result;

bool is_word(char c) { return c == '_' || base::is_ascii_alphanumeric(c); }

// Unicode's long names of the general categories, spelled as canonical() does.
struct CategoryAlias {
  std::string_view alias;
  std::string_view category;
};
constexpr std::array kCategoryAliases = {
    CategoryAlias{"Casedletter", "LC"},
    CategoryAlias{"Closepunctuation", "Pe"},
    CategoryAlias{"Cntrl", "Cc"},
    CategoryAlias{"Combiningmark", "M"},
    CategoryAlias{"Connectorpunctuation", "Pc"},
    CategoryAlias{"Control", "Cc"},
    CategoryAlias{"Currencysymbol", "Sc"},
    CategoryAlias{"Dashpunctuation", "Pd"},
    CategoryAlias{"Decimalnumber", "Nd"},
    CategoryAlias{"Digit", "Nd"},
    CategoryAlias{"Enclosingmark", "Me"},
    CategoryAlias{"Finalpunctuation", "Pf"},
    CategoryAlias{"Format", "Cf"},
    CategoryAlias{"Initialpunctuation", "Pi"},
    CategoryAlias{"Letter", "L"},
    CategoryAlias{"Letternumber", "Nl"},
    CategoryAlias{"Lineseparator", "Zl"},
    CategoryAlias{"Lowercaseletter", "Ll"},
    CategoryAlias{"Mark", "M"},
    CategoryAlias{"Mathsymbol", "Sm"},
    CategoryAlias{"Modifierletter", "Lm"},
    CategoryAlias{"Modifiersymbol", "Sk"},
    CategoryAlias{"Nonspacingmark", "Mn"},
    CategoryAlias{"Number", "N"},
    CategoryAlias{"Openpunctuation", "Ps"},
    CategoryAlias{"Other", "C"},
    CategoryAlias{"Otherletter", "Lo"},
    CategoryAlias{"Othernumber", "No"},
    CategoryAlias{"Otherpunctuation", "Po"},
    CategoryAlias{"Othersymbol", "So"},
    CategoryAlias{"Paragraphseparator", "Zp"},
    CategoryAlias{"Privateuse", "Co"},
    CategoryAlias{"Punct", "P"},
    CategoryAlias{"Punctuation", "P"},
    CategoryAlias{"Separator", "Z"},
    CategoryAlias{"Spaceseparator", "Zs"},
    CategoryAlias{"Spacingmark", "Mc"},
    CategoryAlias{"Surrogate", "Cs"},
    CategoryAlias{"Symbol", "S"},
    CategoryAlias{"Titlecaseletter", "Lt"},
    CategoryAlias{"Unassigned", "Cn"},
    CategoryAlias{"Uppercaseletter", "Lu"},
};

// Class names are the same in any case, and with or without separators in them.
std::string canonical(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '_' || c == '-' || c == ' ') continue;
    out += out.empty() ? base::ascii_upper(c) : base::ascii_lower(c);
  }
  for (const auto& [alias, category] : kCategoryAliases) {
    if (alias == out) return std::string(category);
  }
  return out;
}

// Classes that RE2 has no name for, by what they are made of.
struct MadeClass {
  std::string_view members;  // as written between [ and ]
  bool all_but = false;
};

std::optional<MadeClass> made_class(std::string_view name) {
  constexpr std::string_view kAssigned = R"(\pL\pM\pN\pP\pS\pZ\pC)";
  if (name == "Ascii") return MadeClass{R"(\x00-\x7F)"};
  if (name == "Lc" || name == "LC") return MadeClass{R"(\p{Lu}\p{Ll}\p{Lt})"};
  if (name == "Assigned") return MadeClass{kAssigned};
  if (name == "Cn") return MadeClass{kAssigned, true};
  return std::nullopt;
}

class Rewriter {
 public:
  explicit Rewriter(std::string_view pattern) : rest_(pattern) {}

  Result<RewrittenPattern> run() {
    while (!rest_.empty() && !error_) {
      switch (rest_[0]) {
        case '\\': escape(); break;
        case '[':
          if (in_class_) {
            posix_class();
          } else {
            open_class();
          }
          break;
        case ']':
          in_class_ = false;
          copy(1);
          break;
        case '(':
          if (in_class_) {
            copy(1);
          } else {
            open_group();
          }
          break;
        default: copy(1);
      }
    }
    if (error_) return *std::move(error_);
    return std::move(out_);
  }

 private:
  void copy(std::size_t bytes) {
    bytes = std::min(bytes, rest_.size());
    out_.text += rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
  }

  void fail(std::string what) { error_ = Error{std::move(what)}; }

  void escape() {
    const char what = rest_.size() > 1 ? rest_[1] : '\0';
    if (what == 'C') return fail(R"(it has the escape \C, which is not supported)");
    if (what == 'p' || what == 'P') return unicode_class();
    if (what == 'Q' && !in_class_) {
      const std::size_t end = rest_.find(R"(\E)", 2);
      return copy(end == rest_.npos ? end : end + 2);
    }
    copy(2);
  }

  void unicode_class() {
    bool negated = rest_[1] == 'P';
    std::size_t length = 3;
    std::string_view name = rest_.substr(2, 1);
    if (name == "{") {
      const std::size_t end = rest_.find('}');
      if (end == rest_.npos) return fail(R"(a class name after \p{ has no closing brace)");
      name = rest_.substr(3, end - 3);
      length = end + 1;
    }
    if (name.starts_with('^')) {
      negated = !negated;
      name.remove_prefix(1);
    }
    // A letter beyond ASCII cannot name a class; RE2 says so better than we could.
    if (!std::ranges::all_of(name, [](char c) { return is_word(c) || c == '-' || c == ' '; })) {
      return copy(length);
    }
    const std::string known_as = canonical(name);
    if (const auto made = made_class(known_as)) {
      append_made_class(*made, negated);
    } else {
      out_.text += fmt::format("\\{}{{{}}}", negated ? 'P' : 'p', known_as);
    }
    rest_.remove_prefix(length);
  }

  void append_made_class(MadeClass made, bool negated) {
    const bool all_but = made.all_but != negated;
    if (!in_class_) {
      out_.text += fmt::format("[{}{}]", all_but ? "^" : "", made.members);
    } else if (!all_but) {
      out_.text += made.members;
    } else {
      fail("it has a class in brackets that only works outside of them");
    }
  }

  // A ] that comes first in a class is a member, not its end.
  void open_class() {
    in_class_ = true;
    copy(1);
    if (rest_.starts_with('^')) copy(1);
    if (rest_.starts_with(']')) copy(1);
  }

  // [:alpha:] inside a class, whose ] does not end the class either.
  void posix_class() {
    const std::size_t end = rest_.starts_with("[:") ? rest_.find(":]", 2) : rest_.npos;
    copy(end == rest_.npos ? 1 : end + 2);
  }

  void open_group() {
    const bool python_style = rest_.starts_with("(?P<");
    if (!python_style && !rest_.starts_with("(?<")) {
      if (!rest_.starts_with("(?")) out_.names.emplace_back();
      return copy(1);
    }
    const std::size_t begin = python_style ? 4 : 3;
    const std::size_t end = rest_.find('>');
    const std::string_view name = rest_.substr(begin, end == rest_.npos ? 0 : end - begin);
    if (name.empty() || !std::ranges::all_of(name, is_word)) {
      return fail("it has a group with a bad name");
    }
    out_.names.emplace_back(name);
    out_.text += '(';
    rest_.remove_prefix(end + 1);
  }

  std::string_view rest_;
  bool in_class_ = false;
  RewrittenPattern out_;
  std::optional<Error> error_;
};

}  // namespace

Result<RewrittenPattern> rewrite_go_pattern(std::string_view pattern) {
  return Rewriter(pattern).run();
}

}  // namespace tofu::functions

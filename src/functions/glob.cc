#include "functions/glob.h"

#include <algorithm>
#include <set>

#include "base/file.h"
#include "base/unicode.h"

namespace tofu::functions {

namespace {

using Paths = std::set<std::string, std::less<>>;

// {a,b}{c,d}… doubles with every group: more than this is an attack or a slip.
constexpr std::size_t kMaxAlternatives = 10'000;

// A link that leads upwards is followed until the system refuses, some forty
// times; two such links would never end.
constexpr std::size_t kMaxLinkedDirectories = 20'000;

constexpr std::string_view kMeta = "*?[{";
constexpr std::string_view kBroken = "brackets, braces and backslashes must be complete";

// Position of the first of `wanted` that is not escaped, or npos.
std::size_t find_unescaped(std::string_view text, std::string_view wanted) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (wanted.find(text[i]) != std::string_view::npos) {
      return i;
    }
  }
  return std::string_view::npos;
}

// Position of the last slash before the first wildcard, or npos.
std::size_t last_plain_slash(std::string_view text) {
  std::size_t slash = std::string_view::npos;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (kMeta.find(text[i]) != std::string_view::npos) {
      break;
    } else if (text[i] == '/') {
      slash = i;
    }
  }
  return slash;
}

// Without the backslashes before * ? [ ] { }; others stay.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() &&
        std::string_view("*?[]{}").find(text[i + 1]) != std::string_view::npos) {
      ++i;
    }
    out += text[i];
  }
  return out;
}

// Skips the class that begins at `at`; npos if it is empty or not closed.
std::size_t end_of_class(std::string_view text, std::size_t at) {
  ++at;
  if (at < text.size() && (text[at] == '^' || text[at] == '!')) ++at;
  if (at >= text.size() || text[at] == ']') return std::string_view::npos;
  for (; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == ']') {
      return at;
    }
  }
  return std::string_view::npos;
}

bool is_well_formed(std::string_view pattern) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    switch (pattern[i]) {
      case '\\':
        if (++i == pattern.size()) return false;
        break;
      case '[':
        i = end_of_class(pattern, i);
        if (i == std::string_view::npos) return false;
        break;
      case '{': ++depth; break;
      case '}':
        if (depth-- == 0) return false;
        break;
      default: break;
    }
  }
  return depth == 0;
}

// The first group of braces, from `{` to `}`; groups inside it are left for the
// next round.
struct Group {
  std::size_t open;
  std::size_t close;
  std::vector<std::string_view> choices;
};

std::optional<Group> first_group(std::string_view pattern) {
  Group group{};
  std::size_t depth = 0;
  std::size_t choice = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\') {
      ++i;
    } else if (c == '[' && depth == 0) {
      const std::size_t end = end_of_class(pattern, i);
      if (end != std::string_view::npos) i = end;
    } else if (c == '{' && depth++ == 0) {
      group.open = i;
      choice = i + 1;
    } else if (c == ',' && depth == 1) {
      group.choices.push_back(pattern.substr(choice, i - choice));
      choice = i + 1;
    } else if (c == '}' && depth > 0 && --depth == 0) {
      // An empty choice counts, but not as the last: {,a} is two, {a,} is one.
      if (choice < i) group.choices.push_back(pattern.substr(choice, i - choice));
      group.close = i;
      return group;
    }
  }
  return std::nullopt;
}

base::Result<std::vector<std::string>> without_braces(std::string pattern) {
  std::vector<std::string> done;
  std::vector<std::string> open{std::move(pattern)};
  while (!open.empty()) {
    std::string next = std::move(open.back());
    open.pop_back();
    const auto group = first_group(next);
    if (!group) {
      done.push_back(std::move(next));
      continue;
    }
    for (const std::string_view choice : group->choices) {
      std::string one = next.substr(0, group->open);
      one += choice;
      one += std::string_view(next).substr(group->close + 1);
      open.push_back(std::move(one));
    }
    if (open.size() + done.size() > kMaxAlternatives) {
      return base::Error{"it has too many alternatives in braces"};
    }
  }
  return done;
}

// Whether a class contains one character. `at` is just after the `[` and, on return, somewhere
// inside the class. Nothing if the class has no end.
std::optional<bool> class_matches(std::string_view pattern, std::size_t& at, char32_t wanted) {
  const auto take = [&]() -> char32_t {
    const base::Decoded decoded = base::decode_utf8(pattern.substr(at));
    at += decoded.length;
    return decoded.code;
  };
  const bool negated = at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
  if (negated) ++at;
  if (at >= pattern.size() || pattern[at] == ']') return std::nullopt;
  constexpr char32_t kNone = 0x110000;
  char32_t last = kNone;
  bool matched = false;
  while (!matched && at < pattern.size() && pattern[at] != ']') {
    char32_t code = take();
    if (last != kNone && code == '-' && at < pattern.size() && pattern[at] != ']') {
      if (pattern[at] == '\\') ++at;
      const char32_t high = take();
      matched = last <= wanted && wanted <= high;
      last = kNone;
      continue;
    }
    if (code == '\\') code = take();
    matched = code == wanted;
    last = code;
  }
  if (matched == negated && at >= pattern.size()) return std::nullopt;
  return matched != negated;
}

struct Step {
  enum { Matched, Failed, Broken } outcome;
  std::size_t pattern;  // where to go on, if matched
  std::size_t name;
};

// One element of the pattern, not a star, against the name.
Step match_one(std::string_view pattern, std::size_t at, std::string_view name,
               std::size_t name_at) {
  const base::Decoded wanted = base::decode_utf8(name.substr(name_at));
  const std::size_t after = name_at + wanted.length;
  if (pattern[at] == '?') return {Step::Matched, at + 1, after};
  if (pattern[at] == '[') {
    ++at;
    const auto matched = class_matches(pattern, at, wanted.code);
    if (!matched) return {Step::Broken, 0, 0};
    if (!*matched) return {Step::Failed, 0, 0};
    const std::size_t close = find_unescaped(pattern.substr(at), "]");
    if (close == std::string_view::npos) return {Step::Broken, 0, 0};
    return {Step::Matched, at + close + 1, after};
  }
  if (pattern[at] == '\\' && ++at == pattern.size()) return {Step::Broken, 0, 0};
  const base::Decoded literal = base::decode_utf8(pattern.substr(at));
  if (literal.code != wanted.code) return {Step::Failed, 0, 0};
  return {Step::Matched, at + literal.length, after};
}

// A directory below the base of a pattern: "." is the base itself.
std::string below(std::string_view base, std::string_view path) {
  std::string out(base);
  if (path == ".") return out;
  if (!out.ends_with('/')) out += '/';
  out += path;
  return out;
}

std::string child(std::string_view directory, std::string_view name) {
  if (directory == ".") return std::string(name);
  return std::string(directory) + '/' + std::string(name);
}

class Search {
 public:
  explicit Search(std::string base) : base_(std::move(base)) {}

  std::string_view failure() const { return failure_; }

  // Adds the paths below the base that match; false if that failed.
  bool run(std::string_view pattern, Paths& found) {
    if (find_unescaped(pattern, kMeta) == std::string_view::npos) {
      const std::string path = unescaped(pattern);
      if (is_plain(path) && exists(path)) found.insert(path);
      return true;
    }
    // The part before the first name with a wildcard is used as it is.
    std::size_t start = last_plain_slash(pattern);
    Paths directories;
    if (start == std::string_view::npos) {
      directories.insert(".");
      start = 0;
    } else {
      directories.insert(unescaped(pattern.substr(0, start)));
      ++start;
    }
    for (std::string_view rest = pattern.substr(start); !rest.empty();) {
      const std::size_t slash = find_unescaped(rest, "/");
      const bool last = slash == std::string_view::npos;
      Paths next;
      for (const std::string& directory : directories) {
        if (!extend(directory, rest.substr(0, slash), last, next)) return false;
      }
      directories = std::move(next);
      rest.remove_prefix(last ? rest.size() : slash + 1);
    }
    found.merge(directories);
    return true;
  }

 private:
  // Go's file systems know no other paths.
  static bool is_plain(std::string_view path) {
    if (path.empty() || !base::is_valid_utf8(path) || path.find('\0') != std::string_view::npos) {
      return false;
    }
    if (path == ".") return true;
    while (true) {
      const std::size_t slash = path.find('/');
      const std::string_view segment = path.substr(0, slash);
      if (segment.empty() || segment == "." || segment == "..") return false;
      if (slash == std::string_view::npos) return true;
      path.remove_prefix(slash + 1);
    }
  }

  bool exists(const std::string& path) const {
    const auto kind = base::file_kind(below(base_, path));
    return kind && *kind != base::FileKind::Missing;
  }

  std::vector<base::DirectoryEntry> list(const std::string& directory) const {
    if (!is_plain(directory)) return {};
    auto entries = base::list_directory(below(base_, directory));
    return entries ? *std::move(entries) : std::vector<base::DirectoryEntry>{};
  }

  // The matches of `segment` in `directory`; only directories unless it is the last.
  bool extend(const std::string& directory, std::string_view segment, bool last, Paths& out) {
    if (segment == "**") {
      if (descend(directory, last, out)) return true;
      failure_ = "links to directories lead in circles";
      return false;
    }
    for (const base::DirectoryEntry& entry : list(directory)) {
      const auto matched = matches_name(segment, entry.name);
      if (!matched) {
        failure_ = kBroken;
        return false;
      }
      if (*matched && (last || entry.kind == base::FileKind::Directory)) {
        out.insert(child(directory, entry.name));
      }
    }
    return true;
  }

  // Whether a link in `directory` leads to that directory or to one above it.
  // Following two such links would take time that doubles with every level.
  bool leads_back(const std::string& directory, const std::string& name) const {
    const auto here = base::real_path(below(base_, directory));
    const auto there = base::real_path(below(base_, child(directory, name)));
    if (!here || !there) return true;
    return *here == *there || *there == "/" || here->starts_with(*there + "/");
  }

  // `directory` and everything below it; only directories unless `with_files`.
  // False if links multiply the directories beyond measure.
  bool descend(const std::string& directory, bool with_files, Paths& out) {
    if (const auto kind = base::file_kind(below(base_, directory));
        !kind || *kind != base::FileKind::Directory) {
      return true;
    }
    struct Open {
      std::string path;
      bool through_link;
    };
    std::vector<Open> open{{directory, false}};
    while (!open.empty()) {
      const Open next = std::move(open.back());
      open.pop_back();
      if (!out.insert(next.path).second) continue;
      if (next.through_link && ++linked_directories_ > kMaxLinkedDirectories) return false;
      for (const base::DirectoryEntry& entry : list(next.path)) {
        if (entry.kind == base::FileKind::Directory) {
          open.push_back({child(next.path, entry.name), next.through_link || entry.is_link});
        } else if (with_files) {
          out.insert(child(next.path, entry.name));
        }
      }
    }
    return true;
  }

  std::size_t linked_directories_ = 0;
  std::string base_;
  std::string_view failure_;  // a constant
};

}  // namespace

std::optional<bool> matches_name(std::string_view pattern, std::string_view name) {
  std::size_t at = 0;
  std::size_t name_at = 0;
  // Where to go back to: after the last star, which may take one more character.
  std::size_t star = std::string_view::npos;
  std::size_t star_name = 0;
  while (name_at < name.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = ++at;
      star_name = name_at;
      continue;
    }
    if (at < pattern.size()) {
      const Step step = match_one(pattern, at, name, name_at);
      if (step.outcome == Step::Broken) return std::nullopt;
      if (step.outcome == Step::Matched) {
        at = step.pattern;
        name_at = step.name;
        continue;
      }
    }
    if (star == std::string_view::npos) return false;
    star_name += base::decode_utf8(name.substr(star_name)).length;
    name_at = star_name;
    at = star;
  }
  const std::string_view left = pattern.substr(at);
  return left.empty() || left == "*" || left == "**";
}

base::Result<std::vector<std::string>> glob(std::string_view pattern) {
  const std::size_t split = last_plain_slash(pattern);
  std::string base = ".";
  std::string_view rest = pattern;
  if (split != std::string_view::npos) {
    base = split == 0 ? "/" : unescaped(pattern.substr(0, split));
    rest = pattern.substr(split + 1);
  }
  if (!is_well_formed(rest)) return base::Error{std::string(kBroken)};
  // Such a path can only be a directory.
  if (rest.empty() || rest == "." || rest == "..") return std::vector<std::string>{};
  auto alternatives = without_braces(std::string(rest));
  if (!alternatives) return alternatives.error();
  Search search(base);
  Paths found;
  for (const std::string& alternative : *alternatives) {
    if (!search.run(alternative, found)) return base::Error{std::string(search.failure())};
  }
  std::vector<std::string> out;
  for (const std::string& path : found) {
    out.push_back(base == "." ? path : below(base, path));
  }
  return out;
}

}  // namespace tofu::functions

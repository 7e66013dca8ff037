#include "lint/comments.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "lint/rules.h"
#include "syntax/body.h"
#include "syntax/token.h"

namespace tofu::lint {

namespace {

// The ends of arguments and blocks, by where they begin.
using Items = std::unordered_map<std::uint32_t, std::uint32_t>;

void add_items(const syntax::NativeBody& body, Items& items) {
  for (const syntax::Attribute& attribute : body.attributes) {
    items.emplace(attribute.range.begin, attribute.range.end);
  }
  for (const syntax::NativeBlock& block : body.blocks) {
    items.emplace(block.type_range.begin, block.close_range.end);
    add_items(block.body, items);
  }
}

struct Directive {
  std::string_view list;
  bool is_file = false;
};

std::optional<Directive> directive_in(std::string_view comment) {
  constexpr std::string_view kWord = "tofu:ignore";
  constexpr std::string_view kFile = "-file";
  std::string_view text =
      comment.substr(std::min<std::size_t>(comment.find_first_not_of("#/* \t"), comment.size()));
  if (!text.starts_with(kWord)) return std::nullopt;
  text.remove_prefix(kWord.size());
  Directive directive;
  directive.is_file = text.starts_with(kFile);
  if (directive.is_file) text.remove_prefix(kFile.size());
  const std::size_t close = text.find(')');
  if (!text.starts_with('(') || close == std::string_view::npos) return std::nullopt;
  directive.list = text.substr(1, close - 1);
  return directive;
}

}  // namespace

Comments::Comments(std::span<const syntax::File* const> files, const diag::SourceMap& sources,
                   Findings& findings) {
  for (const syntax::File* file : files) {
    if (file->native != nullptr) read(*file, sources, findings);
  }
}

void Comments::read(const syntax::File& file, const diag::SourceMap& sources, Findings& findings) {
  const std::string_view text = sources.text(file.id);
  const std::size_t first = ignores_.size();
  std::vector<std::size_t> waiting;          // for the next line that has something
  std::optional<std::uint32_t> line_begins;  // the first token of this line
  for (const syntax::Token& token : syntax::scan(text, syntax::ScanMode::Normal)) {
    if (token.kind == syntax::TokenKind::Newline) {
      line_begins.reset();
      continue;
    }
    if (token.kind != syntax::TokenKind::Comment) {
      if (!line_begins) line_begins = token.begin;
      for (const std::size_t index : waiting) {
        ignores_[index].about = {file.id, token.begin, token.begin};
      }
      waiting.clear();
      continue;
    }
    const std::string_view comment = token.text(text);
    const diag::SourceRange place{file.id, token.begin, token.end};
    if (comment.starts_with("//")) {
      const diag::SourceRange slashes{file.id, token.begin, token.begin + 2};
      Finding* finding = findings.add(kCommentSyntax, slashes, "Begin the comment with #.");
      if (finding != nullptr) finding->fix = {{slashes, "#"}};
    }
    if (const auto directive = directive_in(comment)) {
      ignores_.push_back({.rules = Selection::parse(directive->list),
                          .list = std::string(directive->list),
                          .place = place,
                          .about = {file.id, 0, 0}});
      if (directive->is_file) {
        ignores_.back().about.end = static_cast<std::uint32_t>(text.size()) + 1;
      } else if (line_begins) {
        ignores_.back().about.begin = ignores_.back().about.end = *line_begins;
      } else {
        waiting.push_back(ignores_.size() - 1);
      }
    }
    if (comment.ends_with('\n')) line_begins.reset();
  }
  if (ignores_.size() == first) return;
  Items items;
  add_items(*file.native, items);
  for (std::size_t i = first; i < ignores_.size(); ++i) {
    diag::SourceRange& about = ignores_[i].about;
    if (about.begin != about.end) continue;
    const auto item = items.find(about.begin);
    about.end = item != items.end() ? item->second : sources.line_end(file.id, about.begin);
  }
}

void Comments::suppress(std::vector<Finding>& findings) {
  if (ignores_.empty()) return;
  const auto by_place = [](diag::SourceRange range) { return std::pair(range.file, range.begin); };
  std::ranges::sort(findings, {}, [&](const Finding& each) { return by_place(each.place); });
  std::ranges::sort(ignores_, {}, [&](const Ignore& each) { return by_place(each.about); });
  auto next = ignores_.begin();
  std::vector<Ignore*> active;  // those that enclose the place that is looked at: few
  std::erase_if(findings, [&](const Finding& finding) {
    const diag::SourceRange place = finding.place;
    for (; next != ignores_.end() && by_place(next->about) <= by_place(place); ++next) {
      active.push_back(&*next);
    }
    std::erase_if(active, [&](const Ignore* ignore) {
      return ignore->about.file != place.file || ignore->about.end <= place.begin;
    });
    bool is_suppressed = false;
    for (Ignore* ignore : active) {
      if (!ignore->rules.allows(*finding.rule)) continue;
      ignore->is_used = is_suppressed = true;
    }
    return is_suppressed;
  });
}

void Comments::report_unused(Findings& findings) const {
  for (const Ignore& ignore : ignores_) {
    if (ignore.is_used) continue;
    bool is_known = false;
    bool is_selected = true;
    for (const Rule* rule : rules()) {
      if (!ignore.rules.allows(*rule)) continue;
      is_known = true;
      is_selected = is_selected && findings.wants(*rule);
    }
    // Rules of other namespaces need not be there in each run.
    const bool is_ours = ignore.list.find("core:") != std::string::npos ||
                         ignore.list.find("tofu:") != std::string::npos;
    if (!is_known && is_ours) {
      findings.add(kUnusedIgnore, ignore.place,
                   fmt::format("No rule has the name {:?}.", ignore.list));
    } else if (is_known && is_selected) {
      findings.add(
          kUnusedIgnore, ignore.place,
          fmt::format("The rules {:?} find nothing there. Remove the comment.", ignore.list));
    }
  }
}

}  // namespace tofu::lint

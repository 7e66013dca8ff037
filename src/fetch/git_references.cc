#include "fetch/git_references.h"

#include <cerrno>
#include <cstring>
#include <map>
#include <string_view>
#include <sys/stat.h>
#include <utility>

#include "archive/tree_copy.h"
#include "fetch/git_repository.h"
#include "fetch/git_source.h"

namespace tofu::fetch {

namespace {

constexpr std::string_view kTags = "refs/tags/";
constexpr std::string_view kPeeled = "^{}";  // of an annotated tag: the commit that it is about

using Commits = std::map<std::string, std::string, std::less<>>;  // by name

// Lines of "COMMIT\tNAME". What is not of this form is ignored.
Commits read_references(std::string_view text) {
  Commits commits;
  Commits peeled;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos || !is_object_name(line.substr(0, tab))) continue;
    std::string_view name = line.substr(tab + 1);
    const bool is_peeled = name.ends_with(kPeeled);
    if (is_peeled) name.remove_suffix(kPeeled.size());
    (is_peeled ? peeled : commits).insert_or_assign(std::string(name), line.substr(0, tab));
  }
  for (auto& [name, commit] : peeled) commits.insert_or_assign(name, std::move(commit));
  return commits;
}

base::Result<Commits> list(const Fetching& fetching, const FetchRequest& request,
                           const GitSource& source, std::vector<std::string> patterns) {
  if (::mkdir(request.into.c_str(), 0755) != 0) return base::Error{std::strerror(errno)};
  const auto ask = [&]() -> base::Result<Commits> {
    if (auto made = make_repository(request.into, source.origin); !made) return made.error();
    const auto session = open_git(fetching, request, source);
    if (!session) return session.error();
    std::vector<std::string> arguments = {"ls-remote", "--quiet", "--end-of-options", "origin"};
    std::ranges::move(patterns, std::back_inserter(arguments));
    const auto listed = session->program.run(std::move(arguments));
    if (!listed) return listed.error();
    return read_references(*listed);
  };
  auto listed = ask();
  (void)archive::remove_tree(request.into).ok();
  return listed;
}

}  // namespace

base::Result<std::optional<std::string>> resolve_git(const Fetching& fetching,
                                                     const FetchRequest& request) {
  const auto source = read_git_source(fetching, request);
  if (!source) return source.error();
  const std::string& name = source->revision;
  if (is_object_name(name)) return std::optional(name);
  // Steps from a name, and patterns.
  if (name.find_first_of("~^@{") != std::string::npos) return std::optional<std::string>();
  if (name.empty()) {
    const auto found = list(fetching, request, *source, {"HEAD"});
    if (!found) return found.error();
    const auto head = found->find("HEAD");
    return head == found->end() ? std::nullopt : std::optional(head->second);
  }
  const auto found = list(fetching, request, *source, {name, name + std::string(kPeeled)});
  if (!found) return found.error();
  // In the order in which git takes a name to mean one of them.
  for (const std::string_view prefix : {"", "refs/", "refs/tags/", "refs/heads/"}) {
    const auto reference = found->find(std::string(prefix) + name);
    if (reference != found->end()) return std::optional(reference->second);
  }
  return std::optional<std::string>();
}

base::Result<std::vector<GitReference>> list_git_tags(const Fetching& fetching,
                                                      const FetchRequest& request) {
  const auto source = read_git_source(fetching, request);
  if (!source) return source.error();
  auto found = list(fetching, request, *source, {std::string(kTags) + "*"});
  if (!found) return found.error();
  std::vector<GitReference> tags;
  for (auto& [name, commit] : *found) {
    if (name.starts_with(kTags)) tags.push_back({name.substr(kTags.size()), std::move(commit)});
  }
  return tags;
}

}  // namespace tofu::fetch

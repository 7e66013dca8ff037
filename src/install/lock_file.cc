#include "install/lock_file.h"

#include <algorithm>
#include <chrono>
#include <compare>
#include <fmt/format.h>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "addrs/provider.h"
#include "addrs/version.h"
#include "base/file.h"
#include "base/file_replacement.h"
#include "install/lock_file_read.h"
#include "syntax/block_around.h"
#include "syntax/body.h"
#include "syntax/generate.h"
#include "syntax/parser.h"

namespace tofu::install {

namespace {

// These lines are part of the format: other programs know the file by them.
constexpr std::string_view kHeader =
    "# This file is maintained automatically by \"tofu init\".\n"
    "# Manual edits may be lost in future updates.\n";

void sort_once_each(std::vector<std::string>& texts) {
  std::ranges::sort(texts);
  const auto same = std::ranges::unique(texts);
  texts.erase(same.begin(), same.end());
}

// Versions by their precedence, whatever is not a version after them.
bool stands_before(const ModuleLock& a, const ModuleLock& b) {
  if (a.label != b.label) return a.label < b.label;
  const auto first = addrs::Version::parse(a.version);
  const auto second = addrs::Version::parse(b.version);
  if (first.ok() != second.ok()) return first.ok();
  if (first && *first != *second) return *first < *second;
  return a.version < b.version;
}

std::string string_literal(std::string_view text) {
  return fmt::format("\"{}\"", syntax::escaped_text(text));
}

void append_list(std::string& out, std::string_view name, std::span<const std::string> items) {
  out += fmt::format("  {} = [\n", name);
  for (const std::string& item : items) out += fmt::format("    {},\n", string_literal(item));
  out += "  ]\n";
}

struct Locked {
  std::string_view type;
  std::string_view label;
  std::string_view version;
  std::string_view commit;
  std::span<const std::string> constraints;
  std::span<const std::string> hashes;
};

// Equals signs of neighboring lines stand below each other, as fmt has them; a
// list that takes several lines has none to align with.
void append_block(std::string& out, const Locked& locked) {
  const std::size_t width =
      std::string_view(locked.constraints.size() == 1 ? "constraints" : "version").size();
  out += fmt::format("\n{} {} {{\n", locked.type, string_literal(locked.label));
  for (const auto& [name, text] :
       {std::pair<std::string_view, std::string_view>{"version", locked.version},
        {"commit", locked.commit}}) {
    if (!text.empty()) out += fmt::format("  {:<{}} = {}\n", name, width, string_literal(text));
  }
  if (locked.constraints.size() == 1) {
    out += fmt::format("  constraints = {}\n", string_literal(locked.constraints[0]));
  } else if (!locked.constraints.empty()) {
    append_list(out, "constraints", locked.constraints);
  }
  if (!locked.hashes.empty()) append_list(out, "hashes", locked.hashes);
  out += "}\n";
}

// By host, namespace and type, which is not the order of the texts: "a-b/c" is
// after "a/c".
std::vector<std::string_view> in_order(
    const std::map<std::string, ProviderLock, std::less<>>& providers) {
  std::vector<std::pair<std::optional<addrs::Provider>, std::string_view>> parsed;
  for (const auto& [address, lock] : providers) {
    diag::Diagnostics unread;
    parsed.emplace_back(addrs::parse_provider_source(address, std::nullopt, unread), address);
  }
  std::ranges::sort(parsed);
  std::vector<std::string_view> addresses;
  for (const auto& [provider, address] : parsed) addresses.push_back(address);
  return addresses;
}

auto content(const ProviderLock& lock) {
  return std::tie(lock.version, lock.constraints, lock.hashes);
}

auto content(const ModuleLock& lock) {
  return std::tie(lock.label, lock.version, lock.commit, lock.constraints, lock.hashes);
}

// The file's blocks, as far as they can be read.
struct Blocks {
  std::map<std::string, ProviderLock, std::less<>> providers;
  std::vector<ModuleLock> modules;
};

Blocks read_blocks(const syntax::File& file, diag::Diagnostics& diags) {
  static const syntax::BodySchema kSchema{
      .attributes = {}, .blocks = {{"provider", {"source_addr"}}, {"module", {"source_addr"}}}};
  Blocks blocks;
  std::set<std::pair<std::string, std::string>> seen;
  const auto report_second = [&](const syntax::Block& block, std::string_view what) {
    diags.error("Duplicate lock")
        .detail(fmt::format("Duplicate entry for {}. Remove one of them.", what))
        .at(block.type_range);
  };
  for (const syntax::Block& block : file.body().content(kSchema, diags).blocks) {
    if (block.type == "provider") {
      auto named = read_provider_lock(block, diags);
      if (named && !blocks.providers.try_emplace(named->address, named->lock).second) {
        report_second(block, named->address);
      }
    } else {
      ModuleLock lock = read_module_lock(block, diags);
      if (!seen.emplace(lock.label, lock.version).second) {
        report_second(block, fmt::format("this version of {}", lock.label));
      } else {
        blocks.modules.push_back(std::move(lock));
      }
    }
  }
  return blocks;
}

}  // namespace

bool ModuleLock::has_hash(std::string_view hash) const {
  return std::ranges::find(hashes, hash) != hashes.end();
}

std::optional<LockFile> LockFile::parse(std::string name, std::string text,
                                        diag::SourceMap& sources, diag::Diagnostics& diags) {
  const std::size_t before = diags.size();
  const std::size_t errors_before = diags.error_count();
  const diag::FileId id = sources.add(std::move(name), std::move(text));
  const auto file = syntax::parse_file(sources, id, diags);
  Blocks blocks = read_blocks(*file, diags);
  for (diag::Diagnostic& diagnostic : diags.items_from(before)) {
    if (diagnostic.in.empty() && diagnostic.subject) {
      diagnostic.in = syntax::block_around(*file, *diagnostic.subject);
    }
  }
  if (diags.error_count() != errors_before) return std::nullopt;
  LockFile locks;
  locks.providers = std::move(blocks.providers);
  for (ModuleLock& lock : blocks.modules) sort_once_each(lock.constraints);
  locks.modules_ = std::move(blocks.modules);
  std::ranges::sort(locks.modules_, stands_before);
  return locks;
}

std::optional<LockFile> LockFile::read(const std::string& path, diag::SourceMap& sources,
                                       diag::Diagnostics& diags) {
  const auto kind = base::file_kind(path);
  if (kind && *kind == base::FileKind::Missing) return LockFile();
  auto text = base::read_file(path);
  if (!text) {
    diags.error("Cannot read the lock file")
        .detail(fmt::format("{}: {}.", path, text.error().what));
    return std::nullopt;
  }
  return parse(path, std::move(*text), sources, diags);
}

std::string LockFile::text() const {
  std::string out(kHeader);
  for (const std::string_view address : in_order(providers)) {
    const ProviderLock& lock = providers.find(address)->second;
    const std::span<const std::string> constraints(&lock.constraints,
                                                   lock.constraints.empty() ? 0 : 1);
    append_block(out, {"provider", address, lock.version, "", constraints, lock.hashes});
  }
  for (const ModuleLock& lock : modules_) {
    append_block(out,
                 {"module", lock.label, lock.version, lock.commit, lock.constraints, lock.hashes});
  }
  return out;
}

bool LockFile::same_as(const LockFile& other) const {
  return std::ranges::equal(providers, other.providers,
                            [](const auto& a, const auto& b) {
                              return a.first == b.first && content(a.second) == content(b.second);
                            }) &&
         std::ranges::equal(modules_, other.modules_, [](const ModuleLock& a, const ModuleLock& b) {
           return content(a) == content(b);
         });
}

base::Result<void> LockFile::write(const std::string& path) const {
  diag::SourceMap sources;
  diag::Diagnostics unread;  // what cannot be read is replaced
  const auto there = read(path, sources, unread);
  if (there && there->same_as(*this)) return {};
  // It is in a directory of the user: nothing of ours stays there. Another machine may be writing.
  base::remove_abandoned_replacements(path, std::chrono::hours(1));
  return base::write_file(path, text());
}

std::vector<const ModuleLock*> LockFile::find_modules(std::string_view label) const {
  std::vector<const ModuleLock*> found;
  for (const ModuleLock& lock : std::ranges::equal_range(
           modules_, label, {}, [](const auto& each) { return std::string_view(each.label); })) {
    found.push_back(&lock);
  }
  return found;
}

void LockFile::set_module(ModuleLock lock) {
  sort_once_each(lock.constraints);
  sort_once_each(lock.hashes);
  const auto at = std::ranges::lower_bound(modules_, lock, stands_before);
  if (at != modules_.end() && at->label == lock.label && at->version == lock.version) {
    *at = std::move(lock);
  } else {
    modules_.insert(at, std::move(lock));
  }
}

}  // namespace tofu::install

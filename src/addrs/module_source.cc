#include "addrs/module_source.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "addrs/provider.h"
#include "addrs/source_text.h"
#include "base/ascii.h"
#include "base/overloaded.h"

namespace tofu::addrs {

namespace {

constexpr std::size_t kMaxNameLength = 64;

bool is_lower_or_digit(char c) { return base::is_ascii_lower(c) || base::is_ascii_digit(c); }

bool is_local(std::string_view text) {
  return std::ranges::any_of(std::array<std::string_view, 4>{"./", "../", ".\\", "..\\"},
                             [&](std::string_view prefix) { return text.starts_with(prefix); });
}

LocalSource parse_local(std::string_view text) {
  std::string slashes(text);
  std::ranges::replace(slashes, '\\', '/');
  std::string clean = clean_path(slashes);
  if (!clean.starts_with("../")) clean.insert(0, "./");
  return {std::move(clean)};
}

bool is_registry_name(std::string_view text) {
  return !text.empty() && text.size() <= kMaxNameLength &&
         base::is_ascii_alphanumeric(text.front()) && base::is_ascii_alphanumeric(text.back()) &&
         std::ranges::all_of(
             text, [](char c) { return base::is_ascii_alphanumeric(c) || c == '-' || c == '_'; });
}

bool is_registry_system(std::string_view text) {
  return !text.empty() && text.size() <= kMaxNameLength &&
         std::ranges::all_of(text, is_lower_or_digit);
}

base::Error outside(std::string_view subdir) {
  return {fmt::format("the subdirectory \"{}\" leads outside of the package", subdir)};
}

bool leads_outside(std::string_view subdir) { return subdir.starts_with("../"); }

base::Result<base::Hostname> parse_registry_host(std::string_view text) {
  auto host = base::parse_hostname(text);
  if (!host) {
    return base::Error{fmt::format("\"{}\" is no host name: {}", text, host.error().what)};
  }
  if (host->ascii.find('.') == std::string::npos) {
    return base::Error{fmt::format("the host name \"{}\" has no dot", text)};
  }
  if (host->ascii == "github.com" || host->ascii == "bitbucket.org") {
    return base::Error{fmt::format(
        "\"{}\" is no module registry, but a place of version control repositories", text)};
  }
  return host;
}

base::Result<RemoteSource> parse_remote(std::string_view text) {
  const SplitSource split = split_subdir(text);
  if (leads_outside(split.subdir)) return outside(split.subdir);
  auto source = normalize_package(split.package);
  if (!source) return source;
  if (!source->subdir.empty()) {
    source->subdir = join_paths(source->subdir, split.subdir);
    if (leads_outside(source->subdir)) return outside(source->subdir);
  } else {
    source->subdir = split.subdir;
  }
  return source;
}

// A path inside a package plus a relative one; empty for the top.
base::Result<std::string> join_inside(std::string_view subdir, std::string_view relative) {
  std::string joined = join_paths(subdir, relative);
  if (joined == ".") return std::string();
  if (joined == ".." || joined.starts_with("../") || joined.starts_with('/')) {
    return base::Error{fmt::format("the path {} leads outside of the package", relative)};
  }
  return joined;
}

}  // namespace

std::string RegistrySource::package() const {
  return fmt::format("{}/{}/{}/{}", host.for_display(), space, name, system);
}

base::Result<RegistrySource> parse_registry_source(std::string_view text) {
  if (is_local(text)) {
    return base::Error{"a local directory is no address of a module registry"};
  }
  const SplitSource split = split_subdir(text);
  if (leads_outside(split.subdir)) return outside(split.subdir);
  std::vector<std::string_view> parts;
  for (std::string_view rest = split.package;;) {
    const std::size_t slash = rest.find('/');
    parts.push_back(rest.substr(0, slash));
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
  }
  if (parts.size() != 3 && parts.size() != 4) {
    return base::Error{
        "an address of a module registry has three or four parts: [HOST/]NAMESPACE/NAME/SYSTEM"};
  }
  RegistrySource source;
  source.host = {std::string(kDefaultRegistryHost)};
  if (parts.size() == 4) {
    auto host = parse_registry_host(parts[0]);
    if (!host) return std::move(host).error();
    source.host = std::move(*host);
    parts.erase(parts.begin());
  }
  constexpr std::string_view kNameRule =
      "1 to 64 letters, digits, dashes and underscores, with a letter or digit at both ends";
  if (!is_registry_name(parts[0])) {
    if (parts[0].find('.') != std::string_view::npos) {
      return base::Error{"a host name must be followed by three parts: NAMESPACE/NAME/SYSTEM"};
    }
    return base::Error{fmt::format("\"{}\" is no namespace, which has {}", parts[0], kNameRule)};
  }
  if (!is_registry_name(parts[1])) {
    return base::Error{fmt::format("\"{}\" is no module name, which has {}", parts[1], kNameRule)};
  }
  if (!is_registry_system(parts[2])) {
    if (parts[2].find('?') != std::string_view::npos) {
      return base::Error{"an address of a module registry has no query"};
    }
    return base::Error{fmt::format(
        "\"{}\" is no target system, which has 1 to 64 small letters and digits", parts[2])};
  }
  source.space = parts[0];
  source.name = parts[1];
  source.system = parts[2];
  source.subdir = split.subdir;
  return source;
}

base::Result<ModuleSource> parse_module_source(std::string_view text) {
  if (is_local(text)) return ModuleSource(parse_local(text));
  if (auto registry = parse_registry_source(text)) return ModuleSource(std::move(*registry));
  auto remote = parse_remote(text);
  if (!remote) return std::move(remote).error();
  return ModuleSource(std::move(*remote));
}

std::string to_string(const ModuleSource& source) {
  return std::visit(
      base::Overloaded{
          [](const LocalSource& it) { return it.path; },
          [](const RegistrySource& it) {
            return it.subdir.empty() ? it.package() : it.package() + "//" + it.subdir;
          },
          [](const RemoteSource& it) {
            if (it.subdir.empty()) return it.package;
            const std::size_t query = std::min(it.package.find('?'), it.package.size());
            return it.package.substr(0, query) + "//" + it.subdir + it.package.substr(query);
          },
      },
      source);
}

std::string for_display(const ModuleSource& source) {
  std::string text = to_string(source);
  const auto* registry = std::get_if<RegistrySource>(&source);
  if (registry != nullptr && registry->host.ascii == kDefaultRegistryHost) {
    text.erase(0, kDefaultRegistryHost.size() + 1);
  }
  return text;
}

base::Result<ModuleSource> resolve(const ModuleSource& from, const ModuleSource& to) {
  const auto* local = std::get_if<LocalSource>(&to);
  if (local == nullptr) return to;
  return std::visit(base::Overloaded{
                        [&](const LocalSource& it) -> base::Result<ModuleSource> {
                          std::string joined = join_paths(it.path, local->path);
                          if (!is_local(joined)) joined.insert(0, "./");
                          return ModuleSource(LocalSource{std::move(joined)});
                        },
                        [&](auto it) -> base::Result<ModuleSource> {
                          auto subdir = join_inside(it.subdir, local->path);
                          if (!subdir) return std::move(subdir).error();
                          it.subdir = std::move(*subdir);
                          return ModuleSource(std::move(it));
                        },
                    },
                    from);
}

RemoteSource with_subdir_of(const RemoteSource& found, const RegistrySource& given) {
  RemoteSource both = found;
  if (!given.subdir.empty()) both.subdir = join_paths(found.subdir, given.subdir);
  return both;
}

base::Result<ModuleSource> parse_versioned_source(std::string_view text) {
  auto registry = parse_registry_source(text);
  if (registry) return ModuleSource(std::move(*registry));
  auto parsed = parse_module_source(text);
  const auto* remote = parsed ? std::get_if<RemoteSource>(&*parsed) : nullptr;
  if (remote == nullptr || !remote->package.starts_with("git::")) {
    return base::Error{registry.error().what +
                       ". Only modules in registries and git repositories have versions. Remove "
                       "\"version\" for any other source"};
  }
  const std::size_t query = std::min(remote->package.find('?'), remote->package.size());
  for (const std::string_view argument : {"?ref=", "&ref="}) {
    if (remote->package.find(argument, query) == std::string::npos) continue;
    return base::Error{
        "the source selects a revision with ?ref=, and \"version\" selects a tag. Use only one of "
        "them"};
  }
  return std::move(*parsed);
}

}  // namespace tofu::addrs

#include "cli/cli_installation.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <set>
#include <utility>

#include "addrs/provider.h"
#include "cli/flags.h"
#include "install/network_mirror.h"
#include "install/oci_mirror.h"

namespace tofu::cli {

namespace {

using Kind = InstallationMethod::Kind;

struct Method {
  std::string_view name;
  Kind kind;
  std::string_view place;  // the argument that says where it is; empty: it needs none
};

constexpr std::array<Method, 4> kMethods = {
    {{"direct", Kind::Direct, ""},
     {"filesystem_mirror", Kind::FilesystemMirror, "path"},
     {"network_mirror", Kind::NetworkMirror, "url"},
     {"oci_mirror", Kind::OciMirror, "repository_template"}}};

}  // namespace

void InstallationReader::refuse(std::string_view detail, diag::SourceRange place) {
  diags_.error("Invalid CLI configuration")
      .detail(fmt::format("{}: {}", shown_place(place, sources_), detail));
}

ProviderInstallation InstallationReader::read(const Hcl1Item& item) {
  ProviderInstallation installation;
  if (item.keys.size() > 1 || item.value.kind != Hcl1Kind::Object) {
    refuse("A provider_installation block takes no labels.", item.range);
    return installation;
  }
  bool others = false;
  for (const Hcl1Item& method : item.value.items) {
    if (method.name() != "dev_overrides") {
      others = true;
      read_method(method, installation);
    } else if (others) {
      refuse(
          "dev_overrides must come before all other installation methods, because it takes "
          "precedence over them.",
          method.range);
    } else {
      read_overrides(method, installation);
    }
  }
  return installation;
}

void InstallationReader::read_method(const Hcl1Item& item, ProviderInstallation& out) {
  const auto known = std::ranges::find(kMethods, item.name(), &Method::name);
  if (known == kMethods.end()) {
    return refuse(fmt::format("Unknown installation method {:?}.", item.name()), item.range);
  }
  InstallationMethod method{.kind = known->kind};
  bool ok = true;
  for (const Hcl1Item& argument : item.value.items) {
    ok = read_argument(argument, known->place, method) && ok;
  }
  if (!ok) return;  // without its patterns it would be responsible for everything
  if (!known->place.empty() && method.place.empty()) {
    return refuse(fmt::format("A {} block requires the argument {:?}.", item.name(), known->place),
                  item.range);
  }
  if (method.kind == Kind::NetworkMirror) {
    if (auto url = install::parse_mirror_url(method.place); !url) {
      return refuse(fmt::format("Invalid network_mirror url: {}.", url.error().what), item.range);
    }
  }
  if (method.kind == Kind::OciMirror && !check_template(method, item.range)) return;
  out.methods.push_back(std::move(method));
}

ModuleInstallation InstallationReader::read_modules(const Hcl1Item& item) {
  ModuleInstallation installation;
  if (item.keys.size() > 1 || item.value.kind != Hcl1Kind::Object) {
    refuse("A module_installation block takes no labels.", item.range);
    return installation;
  }
  for (const Hcl1Item& method : item.value.items) read_module_method(method, installation);
  return installation;
}

void InstallationReader::read_module_method(const Hcl1Item& item, ModuleInstallation& out) {
  const bool is_direct = item.name() == "direct";
  if (!is_direct && item.name() != "filesystem_mirror") {
    return refuse(fmt::format("Unknown module installation method {:?}. Use filesystem_mirror or "
                              "direct.",
                              item.name()),
                  item.range);
  }
  install::PackageMirror mirror;
  for (const Hcl1Item& argument : item.value.items) {
    const std::string& name = argument.name();
    if (name == "include" || name == "exclude") {
      auto patterns = string_list(argument.value);
      if (!patterns) return refuse(not_a_string_list(name), argument.value.range);
      auto& all = name == "include" ? mirror.rule.include : mirror.rule.exclude;
      std::ranges::move(*patterns, std::back_inserter(all));
    } else if (!is_direct && name == "path") {
      mirror.directory = argument.value.text;
    } else {
      // A rule that was misread would let packages come from where they must not.
      return refuse(fmt::format("Unknown argument {:?} in {}.", name, item.name()), argument.range);
    }
  }
  if (is_direct) {
    if (out.direct) return refuse("Only one direct block is allowed.", item.range);
    out.direct = std::move(mirror.rule);
  } else if (mirror.directory.empty()) {
    refuse("A filesystem_mirror block requires the argument \"path\".", item.range);
  } else {
    out.mirrors.push_back(std::move(mirror));
  }
}

// Two providers that differ in one part of their addresses must not share a repository,
// unless the include patterns let only one value of that part through.
bool InstallationReader::check_template(const InstallationMethod& method, diag::SourceRange place) {
  struct Part {
    std::string_view name;
    std::string (*of)(const addrs::Provider& provider);
    addrs::Provider other;
  };
  // Made-up names; they only show how the template expands.
  const addrs::Provider example{{"example.com"}, "example-namespace", "example-type"};
  const std::array<Part, 3> parts = {{{"hostname",
                                       [](const addrs::Provider& each) { return each.host.ascii; },
                                       {{"example.net"}, example.space, example.type}},
                                      {"namespace",
                                       [](const addrs::Provider& each) { return each.space; },
                                       {example.host, "other-namespace", example.type}},
                                      {"type",
                                       [](const addrs::Provider& each) { return each.type; },
                                       {example.host, example.space, "other-type"}}}};
  const auto address = install::oci_repository(method.place, example);
  if (!address) {
    refuse(fmt::format("Invalid repository_template for oci_mirror: {}.", address.error().what),
           place);
    return false;
  }
  for (const Part& part : parts) {
    std::set<std::string> values;
    for (const install::ProviderPattern& pattern : method.include) {
      values.insert(part.of(pattern.parts()));
    }
    if (values.size() == 1 && *values.begin() != "*") continue;
    const auto another = install::oci_repository(method.place, part.other);
    if (another && (another->registry != address->registry || another->name != address->name)) {
      continue;
    }
    refuse(fmt::format("The repository_template of oci_mirror must contain {}, because the include "
                       "patterns match providers that differ in it.",
                       part.name),
           place);
    return false;
  }
  return true;
}

bool InstallationReader::read_argument(const Hcl1Item& argument, std::string_view place,
                                       InstallationMethod& out) {
  const std::string& name = argument.name();
  const std::string& text = argument.value.text;
  if (name == "include") {
    return read_patterns(argument, out.include);
  } else if (name == "exclude") {
    return read_patterns(argument, out.exclude);
  } else if (name == "download_retry_count") {
    unsigned number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) {
      refuse("download_retry_count must be a whole number.", argument.value.range);
      return false;
    }
    out.download_retries = number;
  } else if (name == "trust_all_hashes") {
    out.trusts_all_hashes = parse_bool(text).value_or(false);
  } else if (!place.empty() && name == place) {
    out.place = text;
  }
  return true;
}

bool InstallationReader::read_patterns(const Hcl1Item& argument,
                                       std::vector<install::ProviderPattern>& out) {
  if (!string_list(argument.value)) {
    refuse(not_a_string_list(argument.name()), argument.value.range);
    return false;
  }
  bool ok = true;
  for (const Hcl1Value& value : argument.value.list) {
    auto pattern = install::ProviderPattern::parse(value.text);
    if (pattern) {
      out.push_back(std::move(*pattern));
      continue;
    }
    refuse(fmt::format("In {}, {}.", argument.name(), pattern.error().what), value.range);
    ok = false;
  }
  return ok;
}

void InstallationReader::read_overrides(const Hcl1Item& method, ProviderInstallation& out) {
  for (const Hcl1Item& item : method.value.items) {
    diag::Diagnostics ignored;  // in words for configuration
    auto provider = addrs::parse_provider_source(item.name(), std::nullopt, ignored);
    if (provider) {
      out.overrides[std::move(*provider)] = item.value.text;
    } else {
      refuse(fmt::format("{:?} in dev_overrides is not a provider source address.", item.name()),
             item.range);
    }
  }
}

}  // namespace tofu::cli

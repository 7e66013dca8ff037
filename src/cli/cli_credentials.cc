#include "cli/cli_credentials.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

#include "addrs/version.h"
#include "base/file.h"
#include "net/credentials_docker.h"

namespace tofu::cli {

struct CredentialReader::Block {
  std::string label;
  const Hcl1Value* body;  // an object of the parsed file
  diag::SourceRange place;
};

namespace {

std::vector<const Hcl1Value*> objects_of(const Hcl1Value& value) {
  std::vector<const Hcl1Value*> found;
  if (value.kind == Hcl1Kind::Object) found.push_back(&value);
  for (const Hcl1Value& each : value.list) {
    if (each.kind == Hcl1Kind::Object) found.push_back(&each);
  }
  return found;
}

const Hcl1Value* find(const Hcl1Value& body, std::string_view name) {
  const auto found = std::ranges::find(body.items, name, &Hcl1Item::name);
  return found == body.items.end() ? nullptr : &found->value;
}

std::optional<std::string> text_at(const Hcl1Value& body, std::string_view name) {
  const Hcl1Value* found = find(body, name);
  if (found == nullptr || found->kind != Hcl1Kind::String) return std::nullopt;
  return found->text;
}

std::vector<std::string> texts_of(const Hcl1Value& value) {
  std::vector<std::string> texts;
  if (value.kind == Hcl1Kind::String) texts.push_back(value.text);
  for (const Hcl1Value& each : value.list) texts.push_back(each.text);
  return texts;
}

// TF_TOKEN_registry_example_com, with __ for a dash. Names in Punycode are taken
// here, because not every system lets other letters into the names of variables.
std::optional<base::Hostname> host_of_variable(std::string_view name) {
  constexpr std::string_view kPrefix = "TF_TOKEN_";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  std::string host;
  while (!name.empty()) {
    const bool dash = name.starts_with("__");
    host += dash ? '-' : name.front() == '_' ? '.' : name.front();
    name.remove_prefix(dash ? 2 : 1);
  }
  const auto parsed = base::parse_hostname(base::Hostname{std::move(host)}.for_display());
  return parsed ? std::optional(*parsed) : std::nullopt;
}

// The program of a credentials helper: terraform-credentials-NAME, with or without a
// version, in the directories for plugins. The newest is taken, of the same the first.
std::optional<std::string> find_helper(std::string_view name, const Environment& environment) {
  const std::string prefix = fmt::format("terraform-credentials-{}", name);
  std::vector<std::string> homes = {std::string(environment.variable("HOME")) + "/.terraform.d"};
  const std::string_view data = environment.variable("XDG_DATA_HOME");
  if (!data.empty()) homes.push_back(std::string(data) + "/opentofu");
  std::optional<std::string> best;
  addrs::Version best_version(0, 0, 0);
  for (const std::string& home : homes) {
    for (const std::string& directory :
         {home + "/plugins", home + "/plugins/" + environment.platform}) {
      const auto entries = base::list_directory(directory);
      if (!entries) continue;
      for (const base::DirectoryEntry& entry : *entries) {
        std::string_view rest = entry.name;
        if (entry.kind == base::FileKind::Directory || !rest.starts_with(prefix)) continue;
        rest.remove_prefix(prefix.size());
        if (!rest.empty() && !rest.starts_with("_v")) continue;
        if (!rest.empty()) rest.remove_prefix(2);
        const auto version = addrs::Version::parse(rest.substr(0, rest.find("_x")));
        const addrs::Version number = version ? *version : addrs::Version(0, 0, 0);
        if (best && number <= best_version) continue;
        best = directory + "/" + entry.name;
        best_version = number;
      }
    }
  }
  return best;
}

std::string directory_of(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : file.substr(0, slash);
}

// Where Docker, Podman and similar programs keep logins.
std::vector<std::string> usual_docker_files(const Environment& environment) {
  const std::string home(environment.variable("HOME"));
  std::vector<std::string> files;
  const std::string_view runtime = environment.variable("XDG_RUNTIME_DIR");
  if (!runtime.empty()) files.push_back(std::string(runtime) + "/containers/auth.json");
  const std::string_view configured = environment.variable("XDG_CONFIG_HOME");
  const std::string config = configured.empty() ? home + "/.config" : std::string(configured);
  const std::string users = config + "/containers/auth.json";
  if (files.empty() || files.front() != users) files.push_back(users);
  files.push_back(home + "/.docker/config.json");
  files.push_back(home + "/.dockercfg");
  return files;
}

}  // namespace

CredentialReader::CredentialReader(const Environment& environment, diag::SourceMap& sources,
                                   diag::Diagnostics& diags)
    : environment_(environment), sources_(sources), diags_(diags) {}

void CredentialReader::refuse(std::string_view detail, diag::SourceRange place) {
  diags_.error("Invalid CLI configuration")
      .detail(fmt::format("{}: {}", shown_place(place, sources_), detail));
}

template <class Each>
void CredentialReader::each_host(const Hcl1Item& item, const Each& each) {
  const auto one = [&](const std::string& name, const Hcl1Value& value) {
    const auto host = base::parse_hostname(name);
    if (!host) {
      return refuse(fmt::format("{:?} is not a valid hostname for a {} block.", name, item.name()),
                    item.range);
    }
    for (const Hcl1Value* body : objects_of(value)) each(*host, *body);
  };
  if (item.keys.size() > 1) return one(item.keys[1], item.value);
  // In JSON the hosts are the names of an object.
  for (const Hcl1Value* object : objects_of(item.value)) {
    for (const Hcl1Item& inner : object->items) one(inner.name(), inner.value);
  }
}

void CredentialReader::read_credentials(const Hcl1Item& item) {
  each_host(item, [this](const base::Hostname& host, const Hcl1Value& body) {
    auto token = text_at(body, "token");
    found_.tokens[host] = token ? std::optional(net::Secret(std::move(*token))) : std::nullopt;
  });
}

void CredentialReader::read_host(const Hcl1Item& item) {
  each_host(item, [this](const base::Hostname& host, const Hcl1Value& body) {
    net::HostServices services;
    const Hcl1Value* given = find(body, "services");
    if (given != nullptr) {
      for (const Hcl1Value* object : objects_of(*given)) {
        for (const Hcl1Item& service : object->items) {
          const bool is_url = service.value.kind == Hcl1Kind::String;
          services[service.name()] = is_url ? service.value.text : std::string();
        }
      }
    }
    found_.services[host] = std::move(services);
  });
}

void CredentialReader::read_helper(const Hcl1Item& item) {
  const auto one = [&](const std::string& name, const Hcl1Value& value) {
    const auto program = find_helper(name, environment_);
    if (!program) return;  // OpenTofu goes on without it, too
    found_.helper = net::TokenHelper{*program};
    for (const Hcl1Value* body : objects_of(value)) {
      const Hcl1Value* arguments = find(*body, "args");
      if (arguments != nullptr) found_.helper->arguments = texts_of(*arguments);
    }
  };
  if (item.keys.size() > 1) return one(item.keys[1], item.value);
  for (const Hcl1Value* object : objects_of(item.value)) {
    for (const Hcl1Item& inner : object->items) one(inner.name(), inner.value);
  }
}

void CredentialReader::read_oci(const Hcl1Item& item) {
  if (item.keys.size() > 2) {
    return refuse(
        "An oci_credentials block requires one label: a registry, optionally followed by a "
        "repository path.",
        item.range);
  }
  if (item.keys.size() == 2) {
    for (const Hcl1Value* body : objects_of(item.value)) {
      read_oci_block({item.keys[1], body, item.range});
    }
    return;
  }
  for (const Hcl1Value* object : objects_of(item.value)) {
    for (const Hcl1Item& inner : object->items) {
      for (const Hcl1Value* body : objects_of(inner.value)) {
        read_oci_block({inner.name(), body, inner.range});
      }
    }
  }
}

void CredentialReader::read_oci_block(const Block& block) {
  const auto right = net::check_oci_place(block.label);
  if (!right) {
    return refuse(fmt::format("Invalid label for oci_credentials: {}.", right.error().what),
                  block.place);
  }
  if (!oci_places_.insert(block.label).second) {
    return refuse(fmt::format("Duplicate oci_credentials block for {:?}.", block.label),
                  block.place);
  }
  const auto username = text_at(*block.body, "username");
  const auto password = text_at(*block.body, "password");
  const auto access = text_at(*block.body, "access_token");
  const auto refresh = text_at(*block.body, "refresh_token");
  const auto helper = text_at(*block.body, "docker_credentials_helper");
  const bool by_password = username || password;
  const bool by_token = access || refresh;
  const bool whole = helper || (username && password) || (access && refresh);
  if (int{by_password} + int{by_token} + int{helper.has_value()} != 1 || !whole) {
    return refuse(
        "Set one of these in oci_credentials: username and password; access_token and "
        "refresh_token; or docker_credentials_helper.",
        block.place);
  }
  if (helper && block.label.find('/') != std::string::npos) {
    return refuse(
        "A docker_credentials_helper applies to a whole registry, so the label cannot have a path.",
        block.place);
  }
  if (helper && !net::is_helper_name(*helper)) {
    return refuse(fmt::format("{:?} is not a valid name for a credentials helper.", *helper),
                  block.place);
  }
  found_.oci.push_back({block.label,
                        {username.value_or(""), net::Secret(password.value_or("")),
                         net::Secret(access.value_or("")), net::Secret(refresh.value_or(""))},
                        helper.value_or("")});
}

void CredentialReader::read_oci_defaults(const Hcl1Item& item, const std::string& file) {
  if (item.keys.size() > 1 || item.value.kind != Hcl1Kind::Object) {
    return refuse("An oci_default_credentials block takes no labels.", item.range);
  }
  const Hcl1Value* discover = find(item.value, "discover_ambient_credentials");
  if (discover != nullptr) use_docker_files_ = discover->text != "false";
  const Hcl1Value* files = find(item.value, "docker_style_config_files");
  if (files != nullptr) {
    if (!use_docker_files_) {
      refuse(
          "docker_style_config_files has no effect when discover_ambient_credentials is false. "
          "Remove one of them.",
          item.range);
    }
    found_.docker_files_required = true;
    for (const std::string& path : texts_of(*files)) {
      std::string full = path.starts_with('/') ? path : directory_of(file) + "/" + path;
      if (!full.starts_with('/')) full = environment_.working_directory + "/" + full;
      found_.docker_files.push_back(std::move(full));
    }
  }
  const auto helper = text_at(item.value, "docker_credentials_helper");
  if (!helper) return;
  if (!net::is_helper_name(*helper)) {
    return refuse(fmt::format("{:?} is not a valid name for a credentials helper.", *helper),
                  item.range);
  }
  oci_helper_ = *helper;
}

net::CredentialSources CredentialReader::finish() {
  for (const auto& [name, token] : environment_.variables) {
    const auto host = host_of_variable(name);
    if (host) found_.tokens[*host] = net::Secret(std::string(token));
  }
  if (!oci_helper_.empty()) found_.oci.push_back({{}, {}, oci_helper_});
  if (!use_docker_files_) {
    found_.docker_files.clear();
  } else if (!found_.docker_files_required) {
    found_.docker_files = usual_docker_files(environment_);
  }
  return std::move(found_);
}

}  // namespace tofu::cli

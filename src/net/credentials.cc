#include "net/credentials.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <mutex>
#include <utility>

#include "base/ascii.h"
#include "net/credentials_docker.h"
#include "process/process.h"
#include "value/json.h"

namespace tofu::net {

namespace {

using value::Kind;
using value::Value;

std::optional<Secret> ask_helper(const TokenHelper& helper, const base::Hostname& host,
                                 const std::stop_token& stop) {
  process::GuardedProcess process{{helper.program}};
  process.arguments.insert(process.arguments.end(), helper.arguments.begin(),
                           helper.arguments.end());
  process.arguments.insert(process.arguments.end(), {"get", host.ascii});
  process.output_limit = kMaxAnswerLength;
  process.deadline = kHelperDeadline;
  process.stop = stop;
  const auto ran = process::run_guarded(process);
  if (!ran || ran->exit_status != 0) return std::nullopt;
  const auto answer = value::parse_json(ran->output);
  if (!answer || answer->kind() != Kind::Object) return std::nullopt;
  const Value* token = answer->plain().find("token");
  if (token == nullptr || token->kind() != Kind::String) return std::nullopt;
  return Secret(std::string(token->plain().as_string()));
}

// "a/b" before "a/b/c", or all of it.
bool begins_with_parts(std::string_view path, std::string_view parts) {
  return path.starts_with(parts) && (path.size() == parts.size() || path[parts.size()] == '/');
}

bool is_registry(std::string_view text) {
  if (text.empty() || text.front() == ':' || text.back() == ':') return false;
  return text.find_first_of("/?#@\\ \"<>^`{|}%") == std::string_view::npos &&
         std::ranges::all_of(text, [](unsigned char c) { return c > 0x20 && c < 0x7F; });
}

// Small letters and digits, in parts, joined by . _ __ or dashes.
bool is_repository(std::string_view text) {
  const auto word = [](char c) { return base::is_ascii_lower(c) || base::is_ascii_digit(c); };
  std::string_view between;  // what stands between two words
  bool in_word = false;
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!word(text[i])) {
      if (in_word) start = i;
      if (!in_word && i == 0) return false;
      in_word = false;
      continue;
    }
    if (!in_word && i > 0) {
      between = text.substr(start, i - start);
      const bool dashes = between.find_first_not_of('-') == std::string_view::npos;
      if (!dashes && between != "." && between != "_" && between != "__" && between != "/") {
        return false;
      }
    }
    in_word = true;
  }
  return in_word;
}

}  // namespace

struct Credentials::Impl {
  CredentialSources sources;
  std::stop_token stop = {};
  // Helpers are slow and Docker's files may be many: each is asked once. The lock is
  // held meanwhile, so that a person is not asked for one password twice.
  std::mutex lock = {};
  std::map<base::Hostname, std::optional<Secret>> from_helper = {};
  std::map<std::pair<std::string, std::string>, std::optional<OciLogin>> from_docker_helpers = {};
  std::optional<base::Result<std::vector<OciRule>>> docker_rules = {};

  const base::Result<std::vector<OciRule>>& read_docker_rules();
  std::optional<Secret> find_token(const base::Hostname& host);
};

Credentials::Credentials() : Credentials(CredentialSources()) {}
Credentials::Credentials(CredentialSources sources, const std::stop_token& stop)
    : impl_(std::make_unique<Impl>(std::move(sources), stop)) {}
Credentials::~Credentials() = default;

std::optional<Secret> Credentials::token(const base::Hostname& host) const {
  auto token = impl_->find_token(host);
  if (!token) return std::nullopt;
  return token->rescoped_to(Origin(host));
}

std::optional<Secret> Credentials::Impl::find_token(const base::Hostname& host) {
  const auto known = sources.tokens.find(host);
  if (known != sources.tokens.end()) return known->second;
  if (!sources.helper) return std::nullopt;
  const std::lock_guard held(lock);
  const auto asked = from_helper.find(host);
  if (asked != from_helper.end()) return asked->second;
  return from_helper.emplace(host, ask_helper(*sources.helper, host, stop)).first->second;
}

const HostServices* Credentials::services(const base::Hostname& host) const {
  const auto found = impl_->sources.services.find(host);
  return found == impl_->sources.services.end() ? nullptr : &found->second;
}

const base::Result<std::vector<OciRule>>& Credentials::Impl::read_docker_rules() {
  if (docker_rules) return *docker_rules;
  std::vector<OciRule> rules;
  for (const std::string& path : sources.docker_files) {
    auto read = read_docker_file(path);
    if (read) {
      std::ranges::move(*read, std::back_inserter(rules));
    } else if (sources.docker_files_required) {
      docker_rules =
          base::Error{fmt::format("the file {:?} with logins for OCI registries cannot be used: {}",
                                  path, read.error().what)};
      return *docker_rules;
    }
  }
  docker_rules = std::move(rules);
  return *docker_rules;
}

base::Result<std::optional<OciLogin>> Credentials::oci(std::string_view registry,
                                                       std::string_view repository) const {
  const std::lock_guard held(impl_->lock);
  const auto& more = impl_->read_docker_rules();
  if (!more) return more.error();
  const OciRule* best = nullptr;
  unsigned best_fitness = 0;
  for (const std::vector<OciRule>* rules : {&std::as_const(impl_->sources.oci), &*more}) {
    for (const OciRule& rule : *rules) {
      const unsigned fitness = oci_fitness(rule.place, registry, repository);
      if (fitness <= best_fitness) continue;
      best = &rule;
      best_fitness = fitness;
    }
  }
  if (best == nullptr) return std::optional<OciLogin>();
  if (best->helper.empty()) return std::optional(best->login);
  const std::pair key(best->helper, std::string(registry));
  const auto asked = impl_->from_docker_helpers.find(key);
  if (asked != impl_->from_docker_helpers.end()) return asked->second;
  auto login = ask_docker_helper(best->helper, registry, impl_->stop);
  if (!login) return std::move(login).error();
  return impl_->from_docker_helpers.emplace(key, std::move(*login)).first->second;
}

unsigned oci_fitness(std::string_view place, std::string_view registry,
                     std::string_view repository) {
  if (place.empty()) return 1;
  const std::size_t slash = std::min(place.find('/'), place.size());
  if (place.substr(0, slash) != registry) return 0;
  if (slash == place.size()) return 2;
  const std::string_view path = place.substr(slash + 1);
  if (!is_repository(path) || !begins_with_parts(repository, path)) return 0;
  return 3 + static_cast<unsigned>(std::ranges::count(path, '/'));
}

base::Result<void> check_oci_place(std::string_view place) {
  const std::size_t slash = std::min(place.find('/'), place.size());
  if (!is_registry(place.substr(0, slash))) {
    return base::Error{fmt::format("{:?} is not the name of a registry", place.substr(0, slash))};
  }
  if (slash == place.size()) return {};
  const std::string_view path = place.substr(slash + 1);
  if (path.find_first_of(":@") != std::string_view::npos) {
    return base::Error{"a tag or a digest cannot be given, only repositories"};
  }
  if (!is_repository(path)) {
    return base::Error{fmt::format("{:?} is not the name of a repository", path)};
  }
  return {};
}

}  // namespace tofu::net

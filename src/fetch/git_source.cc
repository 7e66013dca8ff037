#include "fetch/git_source.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/base64.h"
#include "fetch/source_query.h"

namespace tofu::fetch {

namespace {

constexpr std::string_view kFetchingTransports = "https:http:ssh:git";

bool is_listed(std::string_view transports, std::string_view scheme) {
  // Other names of ssh that git knows.
  if (scheme == "git+ssh" || scheme == "ssh+git") scheme = "ssh";
  while (!transports.empty()) {
    const std::size_t colon = std::min(transports.find(':'), transports.size());
    if (transports.substr(0, colon) == scheme) return true;
    transports.remove_prefix(std::min(colon + 1, transports.size()));
  }
  return false;
}

// Quoted for the shell with which git runs the command for ssh.
std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

base::Result<void> check_url(const base::Url& url, const Fetching& fetching, bool untrusted) {
  if (url.scheme == "ext" || url.scheme == "fd") {
    return base::Error{
        fmt::format("git's transport \"{}\" runs programs and is never used", url.scheme)};
  }
  // git checks what it rewrites the address to; this is about what a package can write.
  if (untrusted && !is_listed(kFetchingTransports, url.scheme) &&
      !is_listed(transports_from_elsewhere(fetching), url.scheme)) {
    return base::Error{fmt::format(
        "a remote package must not use git's transport \"{}\"; only https, http, ssh and git are "
        "allowed, and those that the environment variable GIT_ALLOW_PROTOCOL adds",
        url.scheme)};
  }
  if (url.host.starts_with('-') || url.userinfo.starts_with('-') || url.path.starts_with('-')) {
    return base::Error{"the address starts with a dash, like an option of a program"};
  }
  return {};
}

}  // namespace

std::string transports_from_elsewhere(const Fetching& fetching) {
  const std::string_view own = fetching.environment("GIT_ALLOW_PROTOCOL");
  std::string_view rest = own.empty() ? kFetchingTransports : own;
  std::string allowed;
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const std::string_view name = rest.substr(0, colon);
    rest.remove_prefix(std::min(colon + 1, rest.size()));
    if (name.empty() || name == "file" || name == "ext" || name == "fd") continue;
    allowed.append(allowed.empty() ? "" : ":").append(name);
  }
  return allowed.empty() ? "none" : allowed;
}

bool is_valid_revision(std::string_view text) {
  constexpr std::size_t kLongest = 1000;
  if (text.empty() || text.size() > kLongest || text.starts_with('-')) return false;
  if (text.find("..") != std::string_view::npos) return false;
  return std::ranges::none_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= 0x20 || byte == 0x7F || std::string_view(":?*[\\").find(c) != std::string::npos;
  });
}

base::Result<GitSource> read_git_source(const Fetching& fetching, const FetchRequest& request) {
  auto url = parse_package_url(request.address);
  if (!url) return url.error();
  if (auto checked = check_url(*url, fetching, request.untrusted); !checked) {
    return checked.error();
  }
  GitSource source;
  const std::string ref = take_argument(*url, "ref");
  take_argument(*url, "depth");  // one commit is fetched anyway
  const std::string key = take_argument(*url, "sshkey");
  source.revision = request.revision.empty() ? ref : request.revision;
  if (!source.revision.empty() && !is_valid_revision(source.revision)) {
    return base::Error{"the ref is not the name of a branch, tag or commit"};
  }
  if (!key.empty()) {
    source.secrets.push_back(key);
    auto decoded = base::base64_decode(key);
    if (!decoded) return base::Error{"the argument sshkey is not in base64"};
    source.ssh_key = net::Secret(std::move(*decoded), net::Origin(*url));
  }
  source.host = net::Origin(*url);
  source.origin.url = url->to_string();
  source.origin.alternates = alternates_for(*url);
  std::ranges::move(secrets_of(*url), std::back_inserter(source.secrets));
  return source;
}

base::Result<GitSession> open_git(const Fetching& fetching, const FetchRequest& request,
                                  const GitSource& source) {
  GitSession session{GitProgram(request.into, fetching.web.log(), fetching.stop)};
  GitProgram& git = session.program;
  for (const std::string& secret : source.secrets) git.hide(secret);
  if (request.untrusted) git.allow_only(transports_from_elsewhere(fetching));
  git.limit_files(fetching.limits.download_bytes);
  if (const auto text = source.ssh_key.reveal_to(source.host); text && !text->empty()) {
    auto made = process::MemoryFile::make(*text);
    if (!made) return made.error();
    session.key.emplace(std::move(*made));
    const std::string_view own = fetching.environment("GIT_SSH_COMMAND");
    git.connect_by(
        fmt::format("{} -i {}", own.empty() ? "ssh" : own, shell_quoted(session.key->path())));
  }
  return session;
}

}  // namespace tofu::fetch

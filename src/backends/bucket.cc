#include "backends/bucket.h"

#include <fmt/format.h>
#include <utility>

#include "net/markup.h"

namespace tofu::backends {

std::string bucket_error_code(const net::WebReply& reply) {
  const auto document = net::parse_xml(reply.body);
  return document ? document->text_of("Code") : std::string();
}

base::Error bucket_refusal(std::string_view store, const std::string& bucket,
                           const net::WebReply& reply) {
  const std::string code = bucket_error_code(reply);
  if (code == "NoSuchBucket") return {fmt::format("the bucket {:?} does not exist", bucket)};
  const bool is_access = reply.status == 401 || reply.status == 403;
  return {fmt::format("{} {} (status {}{}{})", store, is_access ? "refuses access" : "refuses it",
                      reply.status, code.empty() ? "" : ", ", code)};
}

std::string BucketStates::beginning() const {
  return prefix.empty() ? std::string() : std::string(prefix) + "/";
}

std::string BucketStates::workspace_of(std::string_view object) const {
  const std::string start = beginning();
  if (!object.starts_with(start)) return {};
  object.remove_prefix(start.size());
  const std::size_t slash = object.find('/');
  if (slash == std::string_view::npos || object.substr(slash + 1) != key) return {};
  return std::string(object.substr(0, slash));
}

base::Result<std::vector<std::string>> list_workspaces(const BucketStates& states,
                                                       const AskForPage& ask) {
  constexpr std::size_t kMaxPages = 1000;
  std::vector<std::string> names;
  std::string next;
  for (std::size_t pages = 0; pages < kMaxPages; ++pages) {
    auto page = ask(next);
    if (!page) return std::move(page).error();
    for (const std::string& object : page->names) {
      if (std::string name = states.workspace_of(object); !name.empty()) {
        names.push_back(std::move(name));
      }
    }
    next = std::move(page->next);
    if (next.empty()) return names;
  }
  return base::Error{"the list of objects has too many pages"};
}

base::Result<void> remove_lock(const LockObject& lock, const std::string& id) {
  constexpr int kMaxAttempts = 5;
  base::Result<void> removed;
  for (int tries = 0; tries < kMaxAttempts; ++tries) {
    const auto holder = lock.holder();
    if (!holder) return holder.error();
    const bool is_first = tries == 0;
    if (is_first && !*holder)
      return base::Error{fmt::format("the object {:?} does not exist", lock.key)};
    if (is_first && **holder != id) {
      return base::Error{
          fmt::format("the lock in the object {:?} is another one, {}", lock.key, **holder)};
    }
    if (*holder != id) return {};
    removed = lock.remove();
    if (removed) break;
  }
  return removed;
}

}  // namespace tofu::backends

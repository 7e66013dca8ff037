// Storage of states in buckets, shared by all object stores: S3, OSS and COS answer in the same
// form.
//
// The state of a workspace is PREFIX/WORKSPACE/KEY, so a list of the objects below the prefix gives
// the workspaces. Responses are not trusted: a list that never ends is refused.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fetch/object_listing.h"
#include "net/web.h"

namespace tofu::backends {

// The code of an error, such as "NoSuchBucket"; empty if there is none.
std::string bucket_error_code(const net::WebReply& reply);
// `store` is its name in the message.
base::Error bucket_refusal(std::string_view store, const std::string& bucket,
                           const net::WebReply& reply);

// The layout of workspace states. Without a prefix they are at the top.
struct BucketStates {
  std::string_view prefix;
  std::string_view key;

  // The prefix of their names.
  std::string beginning() const;
  // The workspace whose state an object is; empty if it is something else.
  std::string workspace_of(std::string_view object) const;
};

// `ask` returns the page at a position that the page before has named; empty: the first one.
using AskForPage = std::function<base::Result<fetch::ObjectPage>(const std::string& next)>;
base::Result<std::vector<std::string>> list_workspaces(const BucketStates& states,
                                                       const AskForPage& ask);

// An object that exists while a lock is held.
struct LockObject {
  std::string key;
  std::function<base::Result<std::optional<std::string>>()> holder;  // the ID of the lock in it
  std::function<base::Result<void>()> remove;                        // with one request
};
// Removes the object of the lock with this ID. A request to remove it is repeated only while the
// object still has this lock: if nothing but the answer was lost, the next one belongs to another
// process.
base::Result<void> remove_lock(const LockObject& lock, const std::string& id);

}  // namespace tofu::backends

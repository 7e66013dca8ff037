// A table of DynamoDB with one item for each lock and for each digest of a state.
//
// Items have the key LockID; locks have the record of the lock as Info, digests have
// Digest. This is OpenTofu's layout, which Terraform shares.
#pragma once

#include <optional>
#include <string>

#include "backends/aws_access.h"
#include "backends/remote.h"

namespace tofu::backends {

class DynamoTable {
 public:
  DynamoTable(AwsAccess& access, std::string table) : access_(access), table_(std::move(table)) {}

  bool is_used() const { return !table_.empty(); }

  // `key` is bucket and key of the state.
  LockAnswer lock(const std::string& key, const LockInfo& info);
  base::Result<void> unlock(const std::string& key, const std::string& id);
  LockHold holds(const std::string& key, const std::string& id);

  // In hexadecimal; empty if none is recorded.
  base::Result<std::string> digest(const std::string& key);
  base::Result<void> put_digest(const std::string& key, const std::string& digest);
  base::Result<void> remove_digest(const std::string& key);

 private:
  base::Result<transport::WebReply> ask(const char* operation, std::string body);
  // An attribute of an item, as text; nothing if there is no such item.
  base::Result<std::optional<std::string>> get(const std::string& key, const char* attribute);

  AwsAccess& access_;
  std::string table_;
};

}  // namespace tofu::backends

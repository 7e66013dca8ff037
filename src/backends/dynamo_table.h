// A table of DynamoDB with one item for each lock and for each digest of a state.
//
// Items have the key LockID; locks have the record of the lock as Info, digests have
// Digest, and Noted while a write is under way. But for that, this is OpenTofu's layout,
// which Terraform shares.
#pragma once

#include <optional>
#include <string>

#include "backends/aws_access.h"
#include "backends/digest_table.h"
#include "backends/remote.h"

namespace tofu::backends {

class DynamoTable final : public DigestTable {
 public:
  DynamoTable(AwsAccess& access, std::string table) : access_(access), table_(std::move(table)) {}

  bool is_used() const override { return !table_.empty(); }
  const std::string& name() const override { return table_; }

  // `key` is bucket and key of the state.
  LockAnswer lock(const std::string& key, const LockInfo& info);
  base::Result<void> unlock(const std::string& key, const std::string& id);
  LockHold holds(const std::string& key, const std::string& id);

  base::Result<Digests> digests(const std::string& key) override;
  base::Result<void> put_digests(const std::string& key, const Digests& digests) override;
  base::Result<void> remove_digest(const std::string& key) override;

 private:
  base::Result<transport::WebReply> ask(const char* operation, std::string body);
  // The attributes of an item; nothing if there is no such item.
  base::Result<std::optional<value::Value>> get(const std::string& key);
  base::Result<std::optional<std::string>> get_info(const std::string& key);

  AwsAccess& access_;
  std::string table_;
};

}  // namespace tofu::backends

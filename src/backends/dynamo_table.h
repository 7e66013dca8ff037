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
  DynamoTable(AwsAccess& access, std::string table)
      : DigestTable(std::move(table), [&access] { return access.request_stop(); }),
        access_(access) {}

  base::Result<Digests> digests(const std::string& key) override;
  base::Result<void> put_digests(const std::string& key, const Digests& digests) override;
  base::Result<void> remove_digest(const std::string& key) override;

 private:
  base::Result<net::WebReply> ask(const char* operation, std::string body);
  // The attributes of an item; nothing if there is no such item.
  base::Result<std::optional<value::Value>> get(const std::string& key);
  base::Result<std::optional<std::string>> lock_record(const std::string& key) override;
  base::Result<bool> add_lock(const std::string& key, const std::string& record) override;
  base::Result<void> remove_lock(const std::string& key, const std::string& record) override;

  AwsAccess& access_;
};

}  // namespace tofu::backends

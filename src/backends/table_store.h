// A table of Alibaba's TableStore with one row for each lock and for each digest of a state.
//
// Rows have the primary key LockID; locks have the record of the lock as Info, digests have
// Digest, and Noted while a write is under way. But for that, this is OpenTofu's layout. Messages
// are protocol buffers, and rows in them have TableStore's own format, "PlainBuffer": tags, lengths
// and checksums of a byte.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "backends/alibaba_access.h"
#include "backends/digest_table.h"
#include "backends/remote.h"

namespace tofu::backends {

using PlainColumns = std::initializer_list<std::string_view>;

class TableStore final : public DigestTable {
 public:
  TableStore(AlibabaAccess& access, base::Url endpoint, std::string table)
      : DigestTable(std::move(table), [&access] { return access.request_stop(); }),
        access_(access),
        endpoint_(std::move(endpoint)),
        instance_(endpoint_.host.substr(0, endpoint_.host.find('.'))) {}

  base::Result<Digests> digests(const std::string& key) override;
  base::Result<void> put_digests(const std::string& key, const Digests& digests) override;
  base::Result<void> remove_digest(const std::string& key) override;

 private:
  // A row in PlainBuffer, with these columns of it; empty if there is none.
  base::Result<std::string> get(const std::string& key, PlainColumns columns);
  base::Result<std::optional<std::string>> lock_record(const std::string& key) override;
  base::Result<bool> add_lock(const std::string& key, const std::string& record) override;
  base::Result<void> remove_lock(const std::string& key, const std::string& record) override;
  base::Error refusal(const net::WebReply& reply) const;

  AlibabaAccess& access_;
  base::Url endpoint_;
  std::string instance_;
};

// The row of a lock or a digest, in PlainBuffer. Without columns it is a primary key.
std::string plain_row(std::string_view key,
                      std::initializer_list<std::pair<std::string_view, std::string_view>> columns);
// The primary key of a row that is to be deleted.
std::string plain_deletion(std::string_view key);
// The text in that column of the first row; nothing if it is not there. An error if the bytes
// are not a row, or do not fit their checksums.
base::Result<std::optional<std::string>> plain_text(std::string_view row, std::string_view column);

}  // namespace tofu::backends

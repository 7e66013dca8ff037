// The bytes of a journal: a head, then records, each with its length and checksums.
//
// A record that the file ends inside of was never reported to anybody: it is torn,
// and passed over. Any other record that does not fit its checksums is damage: what
// came before it is used, and the place is reported. One that cannot be decrypted is
// neither: with the right encryption it could be read.
//
// What may enter: records; bytes from a disk that nobody has checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "state/encryption.h"
#include "state/journal_record.h"

namespace tofu::state {

struct JournalDamage {
  std::uint64_t offset;  // of the record
  std::string what;      // a clause
};

struct Journal {
  std::vector<JournalRecord> records;  // the first is a JournalBegin, if there is any
  bool torn = false;
  std::optional<JournalDamage> damage = {};
  std::string undecrypted = {};  // why a record could not be decrypted; empty: all were

  const JournalBegin* begin() const;
  bool has_ended() const;
};

// What every journal begins with.
std::string_view journal_head();
// One record as it is in the file.
base::Result<std::string> frame_record(const JournalRecord& record, const Encryption& encryption);

Journal read_journal(std::string_view bytes, const Encryption& encryption);

}  // namespace tofu::state

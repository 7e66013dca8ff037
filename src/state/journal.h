// The bytes of a journal: a head, then frames, each with its length, its checksums and
// those of the frame before, so that a missing, swapped or repeated one is noticed.
//
// A frame carries one record, or several that are true together: a reader gets all of them or none.
// An incomplete frame at the end was never reported as written: it is torn, and passed over. Any
// other frame that does not fit its checksums is damage: the place is reported, and the intact
// frames around it are read. One that cannot be decrypted is neither: with the right encryption it
// could be read. The same holds for what a newer version wrote.
//
// Input: records; unchecked bytes from a disk.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "state/encryption.h"
#include "state/journal_record.h"

namespace tofu::state {

struct JournalDamage {
  std::uint64_t offset;  // of the frame
  std::string what;      // a clause
};

struct Journal {
  // The first is a JournalBegin, if there is any: an empty one if that was damaged.
  std::vector<JournalRecord> records;
  bool torn = false;
  std::optional<JournalDamage> damage = {};  // the first
  std::string undecrypted = {};              // why a record could not be decrypted; empty: all were
  std::string unsupported = {};  // what a newer version wrote, as a clause; empty: nothing

  const JournalBegin* begin() const;
  bool has_ended() const;
};

// The header of every journal.
std::string_view journal_head();

// A frame with these records. It is complete when a JournalChain has linked it.
base::Result<std::string> frame_records(std::span<const JournalRecord> records,
                                        const Encryption& encryption);

// Links frames to each other in the order in which they are written.
class JournalChain {
 public:
  void link(std::string& frame);

 private:
  std::uint64_t last_ = 0;
};

Journal read_journal(std::string_view bytes, const Encryption& encryption);

}  // namespace tofu::state

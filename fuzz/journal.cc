// Bytes as a journal: what can be read of it is written and read back as the same,
// and can be applied to a state, twice with the same result.
#include "state/journal.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "state/recovery.h"
#include "state/state_file.h"

namespace {

// Checksums would keep everything else from being reached: an input is also taken as
// records in lines, which are framed here.
std::string framed(std::string_view lines) {
  namespace state = tofu::state;
  std::string bytes(state::journal_head());
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    if (const auto record = state::decode_record(lines.substr(0, end))) {
      bytes += *state::frame_record(*record, state::no_encryption());
    }
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return bytes;
}

void check(std::string_view bytes) {
  namespace state = tofu::state;
  const state::Journal journal = state::read_journal(bytes, state::no_encryption());
  std::string again(state::journal_head());
  for (const state::JournalRecord& record : journal.records) {
    again += *state::frame_record(record, state::no_encryption());
  }
  if (!journal.records.empty()) {
    const state::Journal back = state::read_journal(again, state::no_encryption());
    TOFU_CHECK(back.records.size() == journal.records.size() && !back.damage,
               "records that were read can be written");
  }
  const state::Recovery once = state::recover(nullptr, journal);
  const state::Recovery twice = state::recover(&once.state, journal);
  TOFU_CHECK(state::same_content(once.state, twice.state), "records can be applied again");
  (void)state::state_text(once.state, state::Layout::Compact);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check(bytes);
  check(framed(bytes));
  return 0;
}

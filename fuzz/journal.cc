// Bytes as a journal: what can be read of it is written and read back as the same,
// and can be applied to a state, twice with the same result.
#include "state/journal.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "state/recovery.h"
#include "state/state_file.h"

namespace {

std::string in_frames(std::span<const tofu::state::JournalRecord> records) {
  namespace state = tofu::state;
  std::string bytes(state::journal_head());
  state::JournalChain chain;
  for (const state::JournalRecord& record : records) {
    std::string frame = *state::frame_records({&record, 1}, state::no_encryption());
    chain.link(frame);
    bytes += frame;
  }
  return bytes;
}

// Checksums would keep everything else from being reached: an input is also taken as
// records in lines, which are framed here.
std::string framed(std::string_view lines) {
  namespace state = tofu::state;
  std::vector<state::JournalRecord> records;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    if (const auto decoded = state::decode_record(lines.substr(0, end));
        decoded && decoded->record) {
      records.push_back(*decoded->record);
    }
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return in_frames(records);
}

void check(std::string_view bytes) {
  namespace state = tofu::state;
  const state::Journal journal = state::read_journal(bytes, state::no_encryption());
  const std::string again = in_frames(journal.records);
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

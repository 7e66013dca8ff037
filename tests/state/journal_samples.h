// Records, frames and bytes of journals, for tests.
//
// All records are of one provider, and each frame that is made here has one record. What
// needs several in one, or damage, begins with the frames and changes them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "addrs/parse.h"
#include "addrs/text.h"
#include "state/journal.h"

namespace tofu::state::journals {

inline addrs::AbsResourceInstance address(std::string_view text) {
  diag::Diagnostics diags;
  return *addrs::parse_text(text, addrs::parse_abs_resource_instance, diags);
}

inline const addrs::AbsProviderInstance kProvider{{{}, addrs::default_provider("x"), ""}, {}};

inline Object object(const std::string& id) {
  return Object(ObjectFields{.attributes = "{\"id\":\"" + id + "\"}"});
}

inline JournalIntent intent(std::string_view text, Action action) {
  return {address(text), "", action, kProvider, "p", "2026-01-02T03:04:05Z"};
}

inline JournalDone done(std::string_view text, Object result, std::string deposed_key = "") {
  return {address(text), std::move(deposed_key), kProvider, std::move(result)};
}

inline constexpr const char* kTime = "2026-01-02T03:04:05Z";

enum class Ended : std::uint8_t { No, Yes };

inline JournalProvisioning provisioning(std::string_view text, Action action,
                                        Ended ended = Ended::No) {
  return {address(text), "", kProvider, action, ended == Ended::Yes, kTime};
}

inline const JournalBegin kBegin{.lineage = "l", .serial = 4, .workspace = "w", .version = "1"};

// A frame for each record.
inline std::vector<std::string> frames_of(const std::vector<JournalRecord>& records,
                                          const Encryption& encryption = no_encryption()) {
  JournalChain chain;
  std::vector<std::string> frames;
  for (const JournalRecord& record : records) {
    frames.push_back(*frame_records({&record, 1}, encryption));
    chain.link(frames.back());
  }
  return frames;
}

inline std::string joined(const std::vector<std::string>& frames) {
  std::string bytes(journal_head());
  for (const std::string& frame : frames) bytes += frame;
  return bytes;
}

inline std::string bytes_of(const std::vector<JournalRecord>& records,
                            const Encryption& encryption) {
  return joined(frames_of(records, encryption));
}

inline std::string bytes_of(const std::vector<JournalRecord>& records) {
  return bytes_of(records, no_encryption());
}

inline Journal journal_of(std::vector<JournalRecord> records) {
  records.insert(records.begin(), kBegin);
  return {.records = std::move(records)};
}

}  // namespace tofu::state::journals

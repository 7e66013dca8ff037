#include "backends/digest_table.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <string_view>

#include "base/hashes.h"
#include "base/stop_wait.h"

namespace tofu::backends {

namespace {

constexpr std::size_t kMaxNotes = 16;

bool fits(const Digests& digests, const std::string& digest) {
  if (digests.stored.empty() || digest == digests.stored) return true;
  for (std::string_view rest = digests.noted; !digest.empty() && !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    if (rest.substr(0, comma) == digest) return true;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return false;
}

}  // namespace

LockAnswer DigestTable::lock(const std::string& key, const LockInfo& info) {
  using Verdict = LockAnswer::Verdict;
  const auto added = add_lock(key, lock_info_json(info));
  if (!added) return {Verdict::Failed, {}, added.error().what};
  if (*added) return {};
  const auto record = lock_record(key);
  return {Verdict::Held, record && *record ? parse_lock_info(**record) : std::nullopt,
          fmt::format("the table {:?} has a lock for it", name_)};
}

base::Result<void> DigestTable::unlock(const std::string& key, const std::string& id) {
  const auto record = lock_record(key);
  if (!record) return record.error();
  if (!*record) return base::Error{fmt::format("the table {:?} has no lock for it", name_)};
  const auto holder = parse_lock_info(**record);
  if (holder && holder->id == id) return remove_lock(key, **record);
  return base::Error{fmt::format("the lock in the table {:?} is another one{}", name_,
                                 holder ? ", " + holder->id : "")};
}

LockHold DigestTable::holds(const std::string& key, const std::string& id) {
  const auto record = lock_record(key);
  if (!record) return LockHold::Unknown;
  const auto holder = *record ? parse_lock_info(**record) : std::nullopt;
  return holder && holder->id == id ? LockHold::Ours : LockHold::Lost;
}

base::Result<std::optional<std::string>> CheckedState::get(const Fetch& fetch) {
  constexpr std::chrono::seconds kPatience(10);
  constexpr std::chrono::milliseconds kPause(1000);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    auto found = fetch();
    if (!found || !table_.is_used()) return found;
    const auto expected = table_.digests(key_);
    if (!expected) return expected.error();
    const std::string digest = *found ? base::hex_digest(base::Hash::Md5, **found) : std::string();
    if (fits(*expected, digest)) {
      stored_ = expected->stored.empty() ? std::string() : digest;
      noted_.clear();
      return found;
    }
    if (std::chrono::steady_clock::now() < end) {
      if (!base::sleep_for(kPause, table_.stop())) return base::Error{"it was interrupted"};
      continue;
    }
    return base::Error{
        fmt::format("its MD5 digest is {:?}, and the one in the table {:?} is {:?}, so it is not "
                    "the state that was stored last; if you are sure that it is the right one, "
                    "correct \"{}-md5\" in the table",
                    digest, table_.name(), expected->stored, key_)};
  }
}

base::Result<void> CheckedState::note(const std::string& digest) {
  if (!stored_) {
    const auto now = table_.digests(key_);
    if (!now) return now.error();
    stored_ = now->stored;
  }
  if (stored_->empty()) return {};  // then any state is taken
  noted_.push_back(digest);
  if (noted_.size() > kMaxNotes) noted_.erase(noted_.begin());
  return table_.put_digests(key_, {*stored_, fmt::format("{}", fmt::join(noted_, ","))});
}

base::Result<void> CheckedState::put(const base::TextPieces& bytes,
                                     const std::function<base::Result<void>()>& store) {
  if (!table_.is_used()) return store();
  const std::string digest = base::to_hex(base::digest(base::Hash::Md5, bytes));
  if (auto noted = note(digest); !noted) return noted;
  if (auto stored = store(); !stored) return stored;
  if (const auto kept = table_.put_digests(key_, {digest, {}}); !kept) {
    return base::Error{
        fmt::format("the state was stored, but its digest was not: {}", kept.error().what)};
  }
  stored_ = digest;
  noted_.clear();
  return {};
}

base::Result<void> CheckedState::removed() {
  if (!table_.is_used()) return {};
  stored_ = std::string();
  noted_.clear();
  return table_.remove_digest(key_);
}

}  // namespace tofu::backends

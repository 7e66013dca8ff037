#include "backends/state_put.h"

#include <utility>

#include "base/file_replacement.h"

namespace tofu::backends {

base::Result<void> put_state(const std::string& path, const state::State& state,
                             state::Layout layout, const state::Encryption& encryption,
                             LocalLock* lock) {
  auto file = base::FileReplacement::begin(path, 0600);
  if (!file) return std::move(file).error();
  base::Result<void> written;
  if (encryption.is_plain()) {
    state::write_state(state, layout, [&](std::string_view piece) {
      written = file->append(piece);
      return written.ok();
    });
  } else {
    const auto bytes = encryption.encrypt(state::state_text(state, state::Layout::Compact));
    if (!bytes) return bytes.error();
    written = file->append(*bytes);
  }
  if (!written) return written;
  if (lock != nullptr) {
    if (auto locked = lock->extend_to(*file); !locked) return locked;
  }
  auto committed = file->commit();
  if (committed && lock != nullptr) lock->move_to(*file);
  return committed;
}

}  // namespace tofu::backends

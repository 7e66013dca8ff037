#include "backends/state_put.h"

#include <utility>

#include "base/file_replacement.h"
#include "base/json_layout.h"

namespace tofu::backends {

namespace {

// What is encrypted is JSON as well, and laid out as the state would be.
std::string indented(std::string_view compact) {
  while (compact.ends_with('\n')) compact.remove_suffix(1);
  std::string text;
  base::JsonIndenter(text, "  ").append(compact);
  return text + "\n";
}

}  // namespace

base::Result<void> put_state(const std::string& path, const state::State& state,
                             state::Layout layout, const state::Encryption& encryption,
                             LocalLock* lock, const Store::Before& before) {
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
    written = file->append(layout == state::Layout::Indented ? indented(*bytes) : *bytes);
  }
  if (!written) return written;
  if (lock != nullptr) {
    if (auto locked = lock->extend_to(*file); !locked) return locked;
  }
  if (before) {
    if (auto synced = file->sync(); !synced) return synced;
    before();
  }
  auto committed = file->commit();
  if (committed && lock != nullptr) lock->move_to(*file);
  return committed;
}

}  // namespace tofu::backends

#include "backends/state_put.h"

#include <utility>

#include "base/file.h"
#include "base/file_replacement.h"
#include "base/json_layout.h"

namespace tofu::backends {

namespace {

// An encrypted state is JSON as well, in the same layout.
std::string indented(std::string_view compact) {
  while (compact.ends_with('\n')) compact.remove_suffix(1);
  std::string text;
  base::JsonIndenter(text, "  ").append(compact);
  return text + "\n";
}

}  // namespace

base::Result<void> put_state(base::Disk& disk, const std::string& path, const state::State& state,
                             state::Layout layout, const state::Encryption& encryption,
                             const PutOptions& options) {
  const auto kind = base::file_kind(disk, path);
  auto file = base::FileReplacement::begin(disk, path, 0600, base::Permissions::Private);
  if (!file) return std::move(file).error();
  const bool is_new = kind && *kind == base::FileKind::Missing;
  if (is_new && !options.owner_like.empty()) file->take_owner_of(options.owner_like);
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
  if (options.lock != nullptr) {
    if (auto locked = options.lock->extend_to(*file); !locked) return locked;
  }
  if (options.before) {
    if (auto synced = file->sync(); !synced) return synced;
    options.before();
  }
  auto committed = file->commit();
  // If only the directory could not be synced, the old file is no longer the one that others lock.
  if (options.lock != nullptr && file->has_its_name()) {
    options.lock->move_to(*file, committed ? LocalLock::OldFile::Spoil : LocalLock::OldFile::Keep);
  }
  return committed;
}

}  // namespace tofu::backends

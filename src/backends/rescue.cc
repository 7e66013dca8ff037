#include "backends/rescue.h"

#include <chrono>
#include <fmt/format.h>

#include "backends/state_put.h"
#include "base/file_replacement.h"
#include "state/state_file.h"

namespace tofu::backends {

std::optional<std::string> rescue_state(base::Disk& disk, const state::State& state,
                                        const state::Encryption& encryption,
                                        const RescueJournal& journal, diag::Diagnostics& diags) {
  const std::string path(kErroredState);
  const auto written = put_state(disk, path, state, state::Layout::Indented, encryption);
  if (written) {
    // The journal needs no help where it is; the file can be taken elsewhere.
    std::string next = "Until then, other runs do not know the changes of this run.";
    if (!journal.is_locked) {
      // Nothing of it becomes part of the state unasked.
    } else if (journal.is_complete) {
      next = fmt::format(
          "The journal {} has it as well: the next plan or change in this directory completes the "
          "state from it.",
          journal.path);
    } else if (!journal.path.empty()) {
      next = fmt::format(
          "Do so before anything else: the journal {} has only a part of it, because it could not "
          "be written.",
          journal.path);
    }
    diags.error("The state could not be stored")
        .detail(fmt::format("It was written to {} instead. Once the reason is gone, run:\n"
                            "  tofu state push {}\n{}",
                            path, path, next));
    return std::nullopt;
  }
  const std::string next =
      journal.is_complete ? fmt::format(
                                "The journal {} contains the changes of this run as well: the next "
                                "plan or change in this directory completes the state from it.",
                                journal.path)
                          : std::string(
                                "Copy it to a file and run \"tofu state push FILE\", or the "
                                "changes of this run are lost.");
  diags.error("The state could not be stored anywhere")
      .detail(fmt::format(
          "Writing {} failed as well: {}. The whole state was printed to standard error. {}", path,
          written.error().what, next));
  std::string text = state::state_text(state, state::Layout::Indented);
  if (encryption.is_plain()) return text;
  const auto encrypted = encryption.encrypt(text);
  return encrypted ? *encrypted : std::string();
}

// Another machine may write one here now, which takes no lock.
void remove_abandoned_rescues(base::Disk& disk) {
  base::remove_abandoned_replacements(disk, std::string(kErroredState), std::chrono::hours(1));
}

}  // namespace tofu::backends

#include "backends/rescue.h"

#include <fmt/format.h>

#include "backends/state_put.h"
#include "state/state_file.h"

namespace tofu::backends {

std::optional<std::string> rescue_state(const state::State& state,
                                        const state::Encryption& encryption,
                                        const std::string& journal, diag::Diagnostics& diags) {
  const std::string path(kErroredState);
  const auto written = put_state(path, state, state::Layout::Indented, encryption, nullptr);
  if (written) {
    // The journal needs no help where it is; the file can be taken elsewhere.
    const std::string next = journal.empty()
                                 ? "Until then, no other run knows what this one did."
                                 : fmt::format(
                                       "The journal {} has it as well: the next plan or change in "
                                       "this directory completes the state from it.",
                                       journal);
    diags.error("The state could not be stored")
        .detail(fmt::format("It was written to {} instead. Once the reason is gone, run:\n"
                            "  tofu state push {}\n{}",
                            path, path, next));
    return std::nullopt;
  }
  diags.error("The state could not be stored anywhere")
      .detail(fmt::format("Writing {} failed as well: {}. The whole state is shown below. Copy it "
                          "to a file and run \"tofu state push FILE\", or what this run did is "
                          "lost.",
                          path, written.error().what));
  std::string text = state::state_text(state, state::Layout::Indented);
  if (encryption.is_plain()) return text;
  const auto encrypted = encryption.encrypt(text);
  return encrypted ? *encrypted : std::string();
}

}  // namespace tofu::backends

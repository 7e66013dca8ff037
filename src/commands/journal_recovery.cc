#include "commands/journal_recovery.h"

#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include "base/file.h"

namespace tofu::commands {

namespace {

bool report_conflict(const LeftOver& left, const std::string& path, diag::Diagnostics& diags) {
  diags.error("The journal does not belong to this state")
      .detail(
          fmt::format("There is a journal of an unfinished run, {}: {}. Nothing was changed. "
                      "\"tofu state recover -dry-run\" shows what of it still fits, \"tofu state "
                      "recover\" applies that, "
                      "and \"tofu state recover -discard\" discards the journal.",
                      path, left.recovery.conflict));
  return false;
}

}  // namespace

std::optional<LeftOverSearch> find_left_over(const backends::Store& store,
                                             const backends::Stored& stored,
                                             diag::Diagnostics& diags) {
  const std::string path = store.journal_path();
  const auto kind = base::file_kind(path);
  if (kind && *kind == base::FileKind::Missing) return LeftOverSearch{};
  const auto bytes = base::read_file(path);
  if (!bytes) {
    diags.error("Cannot read the journal")
        .detail(fmt::format("Reading {} failed: {}.", path, bytes.error().what));
    return std::nullopt;
  }
  state::Journal journal = state::read_journal(*bytes, store.encryption());
  if (!journal.undecrypted.empty()) {
    diags.error("Cannot decrypt the journal")
        .detail(fmt::format("There is a journal of an unfinished run, {}, and reading it failed: "
                            "{}. What it says may be in no state, so nothing was changed. "
                            "Configure the encryption that it was written with, or remove the "
                            "file if you know that it is not needed.",
                            path, journal.undecrypted));
    return std::nullopt;
  }
  return LeftOverSearch{LeftOver{state::recover(stored.state ? &*stored.state : nullptr, journal),
                                 std::move(journal.damage)}};
}

std::string describe(const LeftOver& left, const std::string& path) {
  std::string text;
  if (!left.recovery.recovered.empty()) {
    text += fmt::format(
        "The journal {} of an unfinished run has {} objects that differ from the "
        "state:\n",
        path, left.recovery.recovered.size());
    for (const std::string& address : left.recovery.recovered) text += "  - " + address + "\n";
  }
  if (!left.recovery.in_flight.empty()) {
    text += "These calls were in progress, and their results are not known:\n";
    for (const state::InFlight& call : left.recovery.in_flight) {
      text += fmt::format("  - {} {}, since {}\n", state::action_word(call.action),
                          call.address.to_string(), call.since);
      if (call.action == state::Action::Create) {
        text +=
            fmt::format("    If it exists, run: tofu import '{}' ID\n", call.address.to_string());
      }
    }
  }
  if (left.damage) {
    text += fmt::format("The journal is damaged at byte {}: {}. What came before was used.\n",
                        left.damage->offset, left.damage->what);
  }
  return text;
}

bool remove_journal(const LeftOver& left, const std::string& path, diag::Diagnostics& diags) {
  std::error_code failed;
  if (left.damage) {
    std::filesystem::rename(path, path + ".damaged", failed);
  } else {
    std::filesystem::remove(path, failed);
  }
  if (!failed) return true;
  diags.error("Cannot remove the journal")
      .detail(fmt::format("Removing {} failed: {}.", path, failed.message()));
  return false;
}

std::optional<backends::Stored> read_for_showing(backends::Store& store, World& world,
                                                 diag::Diagnostics& diags) {
  auto stored = store.read(diags);
  if (!stored) return std::nullopt;
  const auto search = find_left_over(store, *stored, diags);
  if (!search) return std::nullopt;
  if (!search->found) return stored;
  const LeftOver& left = *search->found;
  const state::Recovery& recovery = left.recovery;
  if (recovery.verdict == state::Verdict::Conflict) {
    world.err.line(
        fmt::format("Note: there is a journal of a run that did not end, {}: {}. The "
                    "state is shown without it.",
                    store.journal_path(), recovery.conflict));
    return stored;
  }
  if (const std::string text = describe(left, store.journal_path()); !text.empty()) {
    world.err.write("Note: the state is shown with what a journal adds to it.\n" + text);
  }
  if (recovery.changed) stored->state = recovery.state;
  return stored;
}

std::optional<backends::Stored> read_for_change(backends::Store& store, bool is_locked,
                                                diag::Diagnostics& diags) {
  auto stored = store.read(diags);
  if (!stored) return std::nullopt;
  const auto search = find_left_over(store, *stored, diags);
  if (!search) return std::nullopt;
  if (!search->found) return stored;
  const LeftOver& left = *search->found;
  state::Recovery recovery = left.recovery;
  if (recovery.verdict == state::Verdict::Conflict) {
    report_conflict(left, store.journal_path(), diags);
    return std::nullopt;
  }
  if (const std::string text = describe(left, store.journal_path()); !text.empty()) {
    diags.warning("An unfinished run was completed").detail(text);
  }
  if (recovery.changed) {
    if (is_locked && !store.write(recovery.state, diags)) return std::nullopt;
    stored->state = recovery.state;
  }
  if (!is_locked) return stored;
  if (!remove_journal(left, store.journal_path(), diags)) return std::nullopt;
  return stored;
}

}  // namespace tofu::commands

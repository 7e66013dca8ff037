#include "workdir/journal_recovery.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <span>
#include <sys/stat.h>
#include <utility>

#include "backends/journal_place.h"
#include "base/counted.h"
#include "base/descriptor.h"
#include "base/file.h"
#include "base/shell_text.h"
#include "cli/command.h"
#include "cli/report.h"
#include "cli/terminal.h"
#include "workdir/access.h"
#include "workdir/state_access.h"

namespace tofu::workdir {

namespace {

const state::State* pointer_to(const std::optional<state::State>& state) {
  return state ? &*state : nullptr;
}

// A line for each. A large run has more than anybody reads: of those only the first are listed.
std::string as_list(std::span<const std::string> subjects) {
  constexpr std::size_t kMaxListed = 20;
  const std::size_t listed = std::min(subjects.size(), kMaxListed);
  std::string text;
  for (const std::string& subject : subjects.first(listed)) text += "  - " + subject + "\n";
  if (listed < subjects.size()) text += fmt::format("  (and {} more)\n", subjects.size() - listed);
  return text;
}

// In a directory that all users may write to, any user can leave a file of that name.
bool may_be_planted(base::Disk& disk, const std::string& path) {
  const auto info = disk.info(path);
  if (!info || info->owner == disk.user()) return false;
  const auto around = disk.info(base::directory_of(path));
  return around && (around->mode & S_IWOTH) != 0;
}

void report_conflict(const state::Recovery& recovery, const std::string& path,
                     diag::Diagnostics& diags) {
  if (recovery.is_ambiguous) {
    diags.error("Damaged journal hides moved objects")
        .detail(fmt::format(
            "The journal of an interrupted run, {}, cannot be applied: {}. No changes were made. "
            "\"tofu state recover -dry-run\" shows its changes, \"tofu state recover\" makes them "
            "after your approval, and \"tofu state recover -discard\" discards the journal.",
            path, recovery.conflict));
    return;
  }
  diags.error("Journal does not match the state")
      .detail(fmt::format("The journal of an interrupted run, {}, does not match the state: {}. No "
                          "changes were made. \"tofu state recover -dry-run\" shows which changes "
                          "still apply, \"tofu state recover\" makes them after your approval, and "
                          "\"tofu state recover -discard\" discards the journal.",
                          path, recovery.conflict));
}

std::string offer_text(const state::Recovery& recovery, const std::string& path) {
  return fmt::format(
      "The state is newer than the journal {} of an interrupted run, which has {} not in the "
      "state:\n{}The state was not changed, and the journal was kept: these objects may exist, or "
      "may have been destroyed since. \"tofu state recover\" shows the changes and makes them "
      "after your approval; \"tofu state recover -discard\" discards the journal.",
      path, base::counted(recovery.recovered.size(), "object"), as_list(recovery.recovered));
}

// A state may be read more than once, such as before it is copied and then under both locks.
void warn_once(std::string summary, const std::string& detail, diag::Diagnostics& diags) {
  const bool is_known = std::ranges::any_of(
      diags.items(), [&](const diag::Diagnostic& each) { return each.detail == detail; });
  if (!is_known) diags.warning(std::move(summary)).detail(detail);
}

// All of it, since nothing shows it again.
diag::Checked<Told> tell_recovery(const std::string& text, bool may_store, cli::Terminal& terminal,
                                  diag::Diagnostics& diags) {
  diag::Diagnostics problems;
  if (!text.empty()) {
    problems
        .warning(may_store ? "Completing an interrupted run"
                           : "Using the journal of an interrupted run")
        .detail(text);
  }
  const bool is_compact = std::exchange(terminal.view.compact_warnings, false);
  const Told told = tell(problems, terminal);
  terminal.view.compact_warnings = is_compact;
  if (text.empty() || !terminal.out.failed()) return told;
  // Standard output is closed, or its disk is full.
  terminal.err.line(text);
  terminal.err.flush();
  if (!terminal.err.failed()) return told;
  diags.error("Cannot show the interrupted run")
      .detail("Writing to standard output and to standard error failed. No changes were made.");
  return std::nullopt;
}

diag::Checked<void> complete(const PendingJournal& pending, backends::Store& store, bool may_store,
                             cli::Terminal& terminal, CompletedState& result,
                             diag::Diagnostics& diags) {
  if (pending.is_left_alone()) {
    warn_once(pending.is_in_use ? "Another run is in progress" : "Journal of another backend",
              fmt::format("{}. It was not changed.", describe_owner(pending)), diags);
    return true;
  }
  state::Recovery recovery = state::recover(pointer_to(result.state), pending.journal);
  if (recovery.verdict == state::Verdict::Conflict) {
    report_conflict(recovery, pending.path, diags);
    return false;
  }
  if (recovery.verdict == state::Verdict::Offer) {
    warn_once("Objects only in a journal", offer_text(recovery, pending.path), diags);
    return true;
  }
  std::string text = describe(recovery, pending);
  if (!may_store && !text.empty()) {
    text +=
        "This was not stored. The next plan, apply or other command that locks the state stores "
        "it.\n";
  }
  // Before anything is stored: the next command does not report these calls again.
  const auto told = tell_recovery(text, may_store, terminal, diags);
  if (!told) return false;
  if (recovery.changed) {
    result.state = std::move(recovery.state);
    if (may_store && !store.write(*result.state, diags)) return false;
    if (may_store) result.stored = result.state;
  }
  return !may_store || remove_journal(store.disk(), pending, *told, diags);
}

}  // namespace

bool has_journals(const backends::Store& store) {
  return !backends::existing_journals(store.disk(), store.journal_places()).empty();
}

diag::Checked<std::vector<PendingJournal>> pending_journals(const backends::Store& store,
                                                            diag::Diagnostics& diags) {
  std::vector<PendingJournal> found;
  for (const std::string& path :
       backends::existing_journals(store.disk(), store.journal_places())) {
    const bool is_in_use = state::is_journal_in_use(store.disk(), path);
    const auto bytes = base::read_file(store.disk(), path);
    if (!bytes) {
      diags.error("Cannot read the journal")
          .detail(fmt::format("Reading {} failed: {}.", path, bytes.error().what));
      return std::nullopt;
    }
    if (may_be_planted(store.disk(), path)) {
      diags.error("Journal owned by another user")
          .detail(fmt::format("The journal {} belongs to another user and is in a directory that "
                              "every user can write to, so it was not used. Remove it if you do "
                              "not trust it, or change its owner.",
                              path));
      return std::nullopt;
    }
    PendingJournal pending{path, state::read_journal(*bytes, store.encryption())};
    if (!pending.journal.undecrypted.empty()) {
      diags.error("Cannot decrypt the journal")
          .detail(fmt::format(
              "The journal of an interrupted run, {}, cannot be decrypted: {}. It may record "
              "changes that are not in the state, so no changes were made. Configure the "
              "encryption it was written with, or remove the file if you do not need it.",
              path, pending.journal.undecrypted));
      return std::nullopt;
    }
    if (!pending.journal.unsupported.empty()) {
      diags.error("Unsupported journal format")
          .detail(fmt::format(
              "The journal {} of an interrupted run was written by a newer version of tofu: {}. It "
              "may record changes that are not in the state, so no changes were made. Use that "
              "version, or remove the file if you do not need it.",
              path, pending.journal.unsupported));
      return std::nullopt;
    }
    const state::JournalBegin* begin = pending.journal.begin();
    pending.is_foreign = begin != nullptr && !begin->backend.empty() &&
                         !store.owns_journal(begin->backend, begin->workspace);
    pending.is_in_use = is_in_use;
    found.push_back(std::move(pending));
  }
  return found;
}

std::string describe(const state::Recovery& recovery, const PendingJournal& pending) {
  std::string text;
  if (!recovery.recovered.empty()) {
    text +=
        fmt::format("The journal {} of an interrupted run has {} that differ{} from the state:\n",
                    pending.path, base::counted(recovery.recovered.size(), "object"),
                    recovery.recovered.size() == 1 ? "s" : "");
    text += as_list(recovery.recovered);
  }
  if (!recovery.in_flight.empty()) {
    text += "These operations were in progress; their results are unknown:\n";
    for (const state::InFlight& call : recovery.in_flight) {
      text += fmt::format("  - {} {}, since {}\n", state::action_word(call.action),
                          state::subject_text(call.address, call.deposed_key), call.since);
      if (call.action == state::Action::Create) {
        text += fmt::format("    If it exists, run: tofu import {} ID\n",
                            base::shell_quoted(call.address.to_string()));
      }
    }
  }
  if (!recovery.half_provisioned.empty()) {
    text += "The provisioners of these objects did not finish:\n";
    for (const state::HalfProvisioned& object : recovery.half_provisioned) {
      text +=
          object.action == state::Action::Create
              ? fmt::format("  - {}, created, since {}: it is tainted and will be replaced\n",
                            state::subject_text(object.address, object.deposed_key), object.since)
              : fmt::format(
                    "  - {}, being destroyed, since {}: it still exists, and its destroy-time "
                    "provisioners will run again\n",
                    object.address.to_string(), object.since);
    }
  }
  if (const auto& damage = pending.journal.damage) {
    text += fmt::format("The journal {} is damaged at byte {}: {}. Its intact records were used.\n",
                        pending.path, damage->offset, damage->what);
  }
  return text;
}

std::string describe_owner(const PendingJournal& pending) {
  if (pending.is_in_use) {
    return fmt::format("The journal {} belongs to a run that is in progress", pending.path);
  }
  const state::JournalBegin& begin = *pending.journal.begin();
  return fmt::format("The journal {} of an interrupted run belongs to the workspace {:?} of {}",
                     pending.path, begin.workspace, begin.backend);
}

diag::Checked<std::vector<std::string>> objects_of_journals_only(const backends::Store& store,
                                                                 const state::State* state,
                                                                 diag::Diagnostics& diags) {
  const auto found = pending_journals(store, diags);
  if (!found) return std::nullopt;
  std::vector<std::string> objects;
  for (const PendingJournal& pending : *found) {
    if (pending.is_foreign) continue;
    const state::Recovery recovery = state::recover(state, pending.journal);
    for (const state::ObjectEffect& one : recovery.effects) {
      if (one.effect == state::Effect::Add) objects.push_back(one.subject);
    }
    for (const state::InFlight& call : recovery.in_flight) {
      if (call.action != state::Action::Create) continue;
      objects.push_back(call.address.to_string() + " (its creation was in progress)");
    }
  }
  return objects;
}

diag::Checked<std::string> set_journal_aside(base::Disk& disk, const std::string& path,
                                             const std::string& suffix, diag::Diagnostics& diags) {
  std::string name = path + suffix;
  // One that was kept before stays.
  for (int number = 2;; ++number) {
    const auto kind = base::file_kind(disk, name);
    if (!kind) {
      diags.error("Cannot rename the journal")
          .detail(fmt::format("Looking for {} failed: {}.", name, kind.error().what));
      return std::nullopt;
    }
    if (*kind == base::FileKind::Missing) break;
    name = fmt::format("{}{}{}", path, number, suffix);
  }
  const auto renamed = disk.rename(path, name);
  if (renamed) return name;
  diags.error("Cannot rename the journal")
      .detail(fmt::format("Renaming {} to {} failed: {}.", path, name,
                          base::system_error(renamed.error()).what));
  return std::nullopt;
}

Told tell(const diag::Diagnostics& problems, cli::Terminal& terminal) {
  if (problems.empty()) return {};
  if (terminal.show_problems) {
    terminal.show_problems(problems);
  } else {
    cli::print_diagnostics(problems, terminal);
  }
  return {};
}

Told tell(const std::string& note, cli::Progress& progress) {
  if (!note.empty()) progress.note(note);
  return {};
}

diag::Checked<void> remove_journal(base::Disk& disk, const PendingJournal& pending, Told,
                                   diag::Diagnostics& diags) {
  if (pending.journal.damage) {
    return set_journal_aside(disk, pending.path, ".damaged", diags).has_value();
  }
  // The state that makes it superfluous may have its name only in memory: it was seen, but the run
  // that stored it may have been killed before it could sync the directory.
  const auto synced = base::sync_directory_of(disk, pending.path);
  const auto removed = synced ? disk.remove(pending.path) : synced;
  if (removed) {
    // A crash must not bring it back beside a state of another lineage: unlike the journal of a run
    // that finishes, it has no end.
    (void)base::sync_directory_of(disk, pending.path).ok();
    return true;
  }
  if (removed.error().value == ENOENT) return true;
  diags.error("Cannot remove the journal")
      .detail(fmt::format("Removing {} failed: {}.", pending.path,
                          base::system_error(removed.error()).what));
  return false;
}

base::Result<NewJournal> create_journal(const backends::Store& store, state::JournalBegin begin) {
  const auto paths = backends::next_journals(store.disk(), store.journal_places());
  if (!paths) return paths.error();
  begin.backend = store.journal_owner();
  std::optional<base::Error> why;
  for (const std::string& path : *paths) {
    auto made = state::JournalWriter::create(path, begin, store.encryption(), store.disk());
    if (made) return NewJournal{path, std::move(*made)};
    if (!why) why = base::Error{fmt::format("writing {} failed: {}", path, made.error().what)};
  }
  return why.value_or(base::Error{"the directory does not exist"});
}

void end_journal(NewJournal& journal, std::uint64_t serial, Told, diag::Diagnostics& diags) {
  const auto ended = journal.writer->end(serial);
  if (ended) return;
  diags.warning("Cannot remove the journal")
      .detail(fmt::format("The state is stored, so the journal {} is no longer needed, but "
                          "removing it failed: {}. The next run that makes changes removes it.",
                          journal.path, ended.error().what));
}

diag::Checked<backends::Stored> read_for_showing(backends::Store& store, cli::Terminal& terminal,
                                                 diag::Diagnostics& diags) {
  auto stored = store.read(diags);
  if (!stored) return std::nullopt;
  const auto found = pending_journals(store, diags);
  if (!found) return std::nullopt;
  for (const PendingJournal& pending : *found) {
    if (pending.is_foreign) {
      terminal.err.line(fmt::format("Note: {}. It was not changed.", describe_owner(pending)));
      continue;
    }
    state::Recovery recovery = state::recover(pointer_to(stored->state), pending.journal);
    if (pending.is_in_use) {
      const bool fits = recovery.verdict == state::Verdict::Apply;
      terminal.err.line(fmt::format("Note: {}. The state is shown with{} its changes.",
                                    describe_owner(pending), fits ? "" : "out"));
      if (fits && recovery.changed) stored->state = std::move(recovery.state);
      continue;
    }
    if (recovery.verdict == state::Verdict::Conflict) {
      terminal.err.line(
          fmt::format("Note: The journal of an interrupted run, {}, exists: {}. The state is shown "
                      "without its changes.",
                      pending.path, recovery.conflict));
      continue;
    }
    if (recovery.verdict == state::Verdict::Offer) {
      terminal.err.line("Note: " + offer_text(recovery, pending.path));
      continue;
    }
    if (const std::string text = describe(recovery, pending); !text.empty()) {
      terminal.err.write("Note: The state is shown with the changes of a journal.\n" + text);
    }
    if (recovery.changed) stored->state = std::move(recovery.state);
  }
  return stored;
}

diag::Checked<CompletedState> read_for_change(backends::Store& store, bool may_store,
                                              cli::Terminal& terminal, diag::Diagnostics& diags) {
  const auto stored = store.read(diags);
  if (!stored) return std::nullopt;
  const auto found = pending_journals(store, diags);
  if (!found) return std::nullopt;
  CompletedState result{stored->state, stored->state};
  for (const PendingJournal& pending : *found) {
    if (!complete(pending, store, may_store, terminal, result, diags)) return std::nullopt;
  }
  return result;
}

diag::Checked<backends::Stored> read_without_report(backends::Store& store,
                                                    diag::Diagnostics& diags) {
  auto stored = store.read(diags);
  if (!stored) return std::nullopt;
  diag::Diagnostics unusable;
  const auto found = pending_journals(store, unusable);
  if (!found) return stored;
  for (const PendingJournal& pending : *found) {
    if (pending.is_foreign) continue;
    state::Recovery recovery = state::recover(pointer_to(stored->state), pending.journal);
    if (recovery.verdict == state::Verdict::Apply) stored->state = std::move(recovery.state);
  }
  return stored;
}

diag::Checked<void> complete_workspaces(backends::Backend& backend,
                                        const std::vector<std::string>& names,
                                        const LockOptions& lock, StateAccess& access,
                                        diag::Diagnostics& diags) {
  for (const std::string& name : names) {
    const auto store = backend.open_existing(name, diags);
    if (!store) return false;
    if (!has_journals(*store)) continue;
    if (!lock.lock) {
      diags.error("Interrupted run in the previous backend")
          .detail(fmt::format(
              "The workspace {:?} of {} has a journal of an interrupted run. The state must be "
              "completed before it is copied, which requires the lock: run without -lock=false.",
              name, backend.identity()));
      return false;
    }
    if (!lock_store(*store, "migration source state", lock, access.load.settings,
                    access.cancellation, diags))
      return false;
    const std::size_t before = diags.size();
    if (read_for_change(*store, true, access.terminal, diags)) continue;
    for (diag::Diagnostic& each : diags.items_from(before)) {
      if (each.severity != diag::Severity::Error) continue;
      each.detail += fmt::format(
          "\n\nThis refers to the workspace {:?} of the previous backend, {}. Configure that "
          "backend again to run other commands there.",
          name, backend.identity());
    }
    return false;
  }
  return true;
}

}  // namespace tofu::workdir

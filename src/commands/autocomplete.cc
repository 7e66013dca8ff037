#include "commands/autocomplete.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <unistd.h>
#include <utility>

#include "backends/backend.h"
#include "base/file.h"
#include "commands/backend_record.h"
#include "commands/backend_settings.h"
#include "commands/workspace.h"
#include "diag/diagnostic.h"

namespace tofu::commands {

namespace {

constexpr std::string_view kGlobalOptions[] = {"-chdir=", "-help", "-version"};

std::vector<std::string> split_at_blanks(std::string_view line) {
  std::vector<std::string> words(1);
  for (const char c : line) {
    if (c == ' ' || c == '\t') {
      if (!words.back().empty()) words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;  // the last one is what is being typed, perhaps empty
}

void add_if_fits(std::vector<std::string>& out, std::string candidate, std::string_view typed) {
  if (candidate.starts_with(typed)) out.push_back(std::move(candidate));
}

// What a shell makes of a word that may have quotes in it.
std::string unquoted(std::string_view typed) {
  std::string out;
  char quote = 0;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    const char c = typed[i];
    if (quote != 0 ? c == quote : c == '\'' || c == '"') {
      quote = quote != 0 ? 0 : c;
    } else if (c == '\\' && quote != '\'' && i + 1 < typed.size()) {
      out += typed[++i];
    } else {
      out += c;
    }
  }
  return out;
}

void add_names(std::vector<std::string>& out, std::string_view typed,
               const std::vector<std::string>& names, std::string_view prefix) {
  const std::string start = unquoted(typed);
  for (const std::string& name : names) {
    if (!name.starts_with(start)) continue;
    const bool plain = name.find_first_of("[]\"'$ ") == std::string::npos;
    out.push_back(std::string(prefix) + (plain ? name : "'" + name + "'"));
  }
}

void add_paths(std::vector<std::string>& out, std::string_view typed, Completes what,
               std::string_view prefix) {
  const std::size_t slash = typed.rfind('/');
  const std::string directory(slash == std::string_view::npos ? "" : typed.substr(0, slash + 1));
  const auto entries = base::list_directory(directory.empty() ? "." : directory);
  if (!entries) return;  // nothing to offer is an answer too
  for (const base::DirectoryEntry& entry : *entries) {
    const bool is_directory = entry.kind == base::FileKind::Directory;
    if (what == Completes::Directories && !is_directory) continue;
    const std::string path = directory + entry.name + (is_directory ? "/" : "");
    if (path.starts_with(typed)) out.push_back(std::string(prefix) + path);
  }
}

void add_arguments(std::vector<std::string>& out, std::string_view typed, Completes what,
                   const CompletionNames& names, std::string_view prefix) {
  switch (what) {
    case Completes::Nothing: return;
    case Completes::Files:
    case Completes::Directories: return add_paths(out, typed, what, prefix);
    case Completes::Addresses: return add_names(out, typed, names.addresses(), prefix);
    case Completes::Workspaces: return add_names(out, typed, names.workspaces(), prefix);
  }
}

void add_flag(std::vector<std::string>& out, const FlagInfo& flag, std::string_view typed,
              const CompletionNames& names) {
  if (flag.text.hidden) return;
  const std::string written = fmt::format("-{}{}", flag.name, flag.is_bool ? "" : "=");
  if (flag.is_bool || !typed.starts_with(written)) return add_if_fits(out, written, typed);
  for (const std::string_view choice : flag.choices) {
    add_if_fits(out, written + std::string(choice), typed);
  }
  add_arguments(out, typed.substr(written.size()), flag.text.completes, names, written);
}

void add_flags(std::vector<std::string>& out, const Command& command, std::string_view typed,
               const CompletionNames& names) {
  for (const FlagInfo& flag : command.action.flags()) add_flag(out, flag, typed, names);
  for (const FlagInfo& flag : view_flags()) add_flag(out, flag, typed, names);
  add_if_fits(out, "-help", typed);
}

}  // namespace

bool is_completion_request(const Environment& environment) {
  return !environment.variable("COMP_LINE").empty();
}

namespace {

constexpr std::string_view kChdir = "-chdir=";

// What is known of a state in files. Mistakes are not for now: nothing is offered then.
std::unique_ptr<backends::Backend> local_backend(World& world) {
  diag::Diagnostics unheard;
  const auto found = read_backend_record(world, unheard);
  if (!found || (found->record && found->record->type != "local")) return nullptr;
  return open_recorded(found->record, {}, world, unheard);
}

std::vector<std::string> workspaces_of(World& world) {
  diag::Diagnostics unheard;
  const auto backend = local_backend(world);
  auto names = backend ? backend->workspaces(unheard) : std::nullopt;
  return names ? std::move(*names) : std::vector<std::string>();
}

std::vector<std::string> addresses_of(World& world) {
  diag::Diagnostics unheard;
  const auto backend = local_backend(world);
  const auto store = backend ? backend->open(workspace_name(world.environment), unheard) : nullptr;
  const auto stored = store ? store->read(unheard) : std::nullopt;
  std::vector<std::string> addresses;
  if (!stored || !stored->state) return addresses;
  for (const state::Resource* resource : stored->state->resources_by_address()) {
    resource->for_each([&](const state::Instance& instance) {
      addresses.push_back(resource->address().to_string() + instance.key().to_string());
    });
  }
  return addresses;
}

}  // namespace

std::vector<std::string> complete(std::string_view line, const CompletionNames& names) {
  std::vector<std::string> words = split_at_blanks(line);
  const std::string typed = words.back();
  words.pop_back();
  std::erase_if(words, [](const std::string& w) { return w.starts_with(kChdir); });

  std::string name;  // of the command so far
  const Command* command = nullptr;
  for (std::size_t i = 1; i < words.size() && !words[i].starts_with('-'); ++i) {
    const std::string longer = name.empty() ? words[i] : name + " " + words[i];
    const Command* found = find_command(longer);
    if (found == nullptr && command == nullptr) return {};  // nobody knows what may follow
    if (found == nullptr) break;
    command = found;
    name = longer;
  }

  std::vector<std::string> out;
  if (command != nullptr && command->has_action()) {
    if (typed.starts_with('-')) {
      add_flags(out, *command, typed, names);
    } else {
      add_arguments(out, typed, command->completes, names, "");
    }
    return out;
  }
  const std::string prefix = name.empty() ? "" : name + " ";
  for (const Command& candidate : all_commands()) {
    if (!candidate.name.starts_with(prefix)) continue;
    const std::string_view rest = candidate.name.substr(prefix.size());
    if (rest.empty() || rest.find(' ') != std::string_view::npos) continue;
    add_if_fits(out, std::string(rest), typed);
  }
  if (command == nullptr && typed.starts_with('-')) {
    for (const std::string_view option : kGlobalOptions) {
      add_if_fits(out, std::string(option), typed);
    }
  }
  return out;
}

int run_completion(World& world) {
  std::string_view line = world.environment.variable("COMP_LINE");
  const std::string_view point = world.environment.variable("COMP_POINT");
  std::size_t cursor = line.size();
  std::from_chars(point.data(), point.data() + point.size(), cursor);
  line = line.substr(0, cursor);
  for (const std::string& word : split_at_blanks(line)) {
    // In a directory that is not there, there is nothing to offer.
    if (word.starts_with(kChdir) && chdir(word.substr(kChdir.size()).c_str()) != 0) return kExitOk;
  }
  const CompletionNames names{.addresses = [&] { return addresses_of(world); },
                              .workspaces = [&] { return workspaces_of(world); }};
  for (const std::string& word : complete(line, names)) world.out.line(word);
  return kExitOk;
}

namespace {

struct Shell {
  std::string_view file;  // below the home directory
  std::string_view line;  // {} is the program's path
  bool own_file;          // ours alone: made when missing, emptied when uninstalled
};

constexpr Shell kShells[] = {
    {".bashrc", "complete -C {} tofu", false},
    {".bash_profile", "complete -C {} tofu", false},
    {".zshrc", "autoload -U +X bashcompinit && bashcompinit; complete -o nospace -C {} tofu",
     false},
    {".config/fish/completions/tofu.fish",
     "complete -f -c tofu -a \"(COMP_LINE=(commandline -p) COMP_POINT=(commandline -C) {})\"",
     true},
};

// `text` without the line `wanted`; nothing if it is not there.
std::optional<std::string> without_line(std::string_view text, std::string_view wanted) {
  std::string out;
  bool found = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    if (line == wanted || (line.ends_with('\n') && line.substr(0, line.size() - 1) == wanted)) {
      found = true;
    } else {
      out += line;
    }
  }
  if (!found) return std::nullopt;
  return out;
}

// Edits the start-up file of each shell. `edit` gets its text (empty if there is
// none) and the line, and returns the new text or nothing to leave it unchanged.
template <class Edit>
int edit_shells(World& world, std::string_view done, Edit edit) {
  const std::string home(world.environment.variable("HOME"));
  if (home.empty()) {
    world.err.line("Cannot find the start-up files of your shell: HOME is not set.");
    return kExitError;
  }
  auto program = base::real_path(world.environment.program);
  int status = kExitOk;
  bool any = false;
  for (const Shell& shell : kShells) {
    const std::string path = home + "/" + std::string(shell.file);
    const auto kind = base::file_kind(shell.own_file ? path.substr(0, path.rfind('/')) : path);
    if (!kind || *kind == base::FileKind::Missing) continue;  // that shell is not in use
    auto text = base::read_file(path);
    const std::string line =
        fmt::format(fmt::runtime(shell.line), program ? *program : world.environment.program);
    const auto edited = edit(text ? *text : std::string(), line);
    if (!edited) continue;
    any = true;
    if (const auto written = base::write_file(path, *edited); !written) {
      world.err.line(fmt::format("Cannot write {}: {}", path, written.error().what));
      status = kExitError;
    } else {
      world.out.line(fmt::format("{} {}", done, path));
    }
  }
  if (!any) world.out.line("There is nothing to change in the start-up files of your shells.");
  return status;
}

}  // namespace

int install_completion(World& world) {
  return edit_shells(world, "Added completion to", [](std::string text, const std::string& line) {
    std::optional<std::string> edited;
    if (without_line(text, line)) return edited;  // already there
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
    edited = text + line + "\n";
    return edited;
  });
}

int uninstall_completion(World& world) {
  return edit_shells(
      world, "Removed completion from",
      [](const std::string& text, const std::string& line) { return without_line(text, line); });
}

}  // namespace tofu::commands

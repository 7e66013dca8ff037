#include "cli/autocomplete.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>
#include <utility>

#include "base/file.h"
#include "cli/terminal.h"

namespace tofu::cli {

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
  if (flag.is_bool && typed.starts_with(written + "=")) {
    for (const char* truth : {"=true", "=false"}) add_if_fits(out, written + truth, typed);
    return;
  }
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

std::vector<std::string> complete_once(std::string_view line, const CommandTable& table,
                                       const CompletionNames& names) {
  std::vector<std::string> words = split_at_blanks(line);
  const std::string typed = words.back();
  words.pop_back();
  std::erase_if(words, [](const std::string& w) { return w.starts_with(kChdir); });

  std::string name;  // of the command so far
  const Command* command = nullptr;
  for (std::size_t i = 1; i < words.size() && !words[i].starts_with('-'); ++i) {
    const std::string longer = name.empty() ? words[i] : name + " " + words[i];
    const Command* found = table.find(longer);
    if (found == nullptr && command == nullptr) return {};  // no candidates are known
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
  for (const Command& candidate : table.commands()) {
    if (!candidate.name.starts_with(prefix)) continue;
    const std::string_view rest = candidate.name.substr(prefix.size());
    if (rest.empty() || rest.find(' ') != std::string_view::npos) continue;
    add_if_fits(out, std::string(rest), typed);
  }
  if (command == nullptr && typed.starts_with('-')) {
    for (const std::string_view option : kGlobalOptions) {
      if (option == kChdir && typed.starts_with(kChdir)) {
        add_paths(out, std::string_view(typed).substr(kChdir.size()), Completes::Directories,
                  kChdir);
      } else {
        add_if_fits(out, std::string(option), typed);
      }
    }
  }
  return out;
}

}  // namespace

std::vector<std::string> complete(std::string_view line, const CommandTable& table,
                                  const CompletionNames& names) {
  std::vector<std::string> out = complete_once(line, table, names);
  if (out.size() != 1 || !out.front().ends_with('=')) return out;
  // Bash puts a blank behind a single reply, where the value belongs.
  const std::string typed = split_at_blanks(line).back();
  const std::string longer = std::string(line.substr(0, line.size() - typed.size())) + out.front();
  std::vector<std::string> values = complete_once(longer, table, names);
  return values.empty() ? out : values;
}

std::string_view known_prefix(std::string_view line, std::span<const std::string> arguments) {
  if (arguments.size() < 2 || !line.ends_with(arguments[1])) return {};
  const std::string typed = split_at_blanks(line).back();
  const std::string& word = arguments[1];
  if (word.size() >= typed.size()) return {};
  std::string_view known = line.substr(line.size() - typed.size(), typed.size() - word.size());
  if (known.ends_with('\'') || known.ends_with('"')) known.remove_suffix(1);  // part of the word
  return known.ends_with('=') || known.ends_with(':') ? known : std::string_view();
}

int run_completion(const CommandTable& table, const CompletionNames& names,
                   const Environment& environment, Terminal& terminal) {
  std::string_view line = environment.variable("COMP_LINE");
  const std::string_view point = environment.variable("COMP_POINT");
  std::size_t cursor = line.size();
  std::from_chars(point.data(), point.data() + point.size(), cursor);
  line = line.substr(0, cursor);
  std::vector<std::string> words = split_at_blanks(line);
  words.pop_back();  // is being typed
  for (const std::string& word : words) {
    // In a directory that is not there, there is nothing to offer.
    if (word.starts_with(kChdir) && chdir(word.substr(kChdir.size()).c_str()) != 0) return kExitOk;
  }
  const std::size_t known = known_prefix(line, environment.arguments).size();
  for (const std::string& word : complete(line, table, names))
    terminal.out.line(word.substr(known));
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
int edit_shells(const Environment& environment, Terminal& terminal, std::string_view done,
                Edit edit) {
  const std::string home(environment.variable("HOME"));
  if (home.empty()) {
    terminal.err.line("Cannot find your shell's startup files: HOME is not set.");
    return kExitError;
  }
  auto program = base::real_path(environment.program);
  int status = kExitOk;
  bool any = false;
  for (const Shell& shell : kShells) {
    const std::string path = home + "/" + std::string(shell.file);
    const auto kind = base::file_kind(shell.own_file ? path.substr(0, path.rfind('/')) : path);
    if (!kind || *kind == base::FileKind::Missing) continue;  // that shell is not in use
    auto text = base::read_file(path);
    const std::string line =
        fmt::format(fmt::runtime(shell.line), program ? *program : environment.program);
    const auto edited = edit(text ? *text : std::string(), line);
    if (!edited) continue;
    any = true;
    if (const auto written = base::write_file(path, *edited); !written) {
      terminal.err.line(fmt::format("Cannot write {}: {}", path, written.error().what));
      status = kExitError;
    } else {
      terminal.out.line(fmt::format("{} {}", done, path));
    }
  }
  if (!any) terminal.out.line("Your shells' startup files need no change.");
  return status;
}

}  // namespace

int install_completion(const Environment& environment, Terminal& terminal) {
  return edit_shells(environment, terminal, "Added completion to",
                     [](std::string text, const std::string& line) {
                       std::optional<std::string> edited;
                       if (without_line(text, line)) return edited;  // already there
                       if (!text.empty() && !text.ends_with('\n')) text += '\n';
                       edited = text + line + "\n";
                       return edited;
                     });
}

int uninstall_completion(const Environment& environment, Terminal& terminal) {
  return edit_shells(
      environment, terminal, "Removed completion from",
      [](const std::string& text, const std::string& line) { return without_line(text, line); });
}

}  // namespace tofu::cli

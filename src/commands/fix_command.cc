#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json_writer.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/option_groups.h"
#include "cli/prompt.h"
#include "cli/report.h"
#include "commands/context.h"
#include "commands/table.h"
#include "commands/unified_diff.h"
#include "commands/version_files.h"
#include "config/files.h"
#include "config/variable_files.h"
#include "diag/render_json.h"
#include "diag/wrap.h"
#include "lint/file_edit.h"
#include "lint/rewrites.h"
#include "workdir/configuration.h"
#include "workdir/options.h"

namespace tofu::commands {

namespace {

constexpr int kExitNeedsFixes = 3;
constexpr std::string_view kFormatVersion = "1.0";

struct FixOptions {
  bool diff = false;
  bool check = false;
  bool json = false;
  bool versions = false;
  bool auto_approve = false;
  cli::InputOptions input;
  workdir::TestFileOptions tests;
  workdir::ConfigurationOptions configuration;
  std::vector<std::string> arguments;

  void declare(cli::FlagSet& flags) {
    flags.add("diff", diff, {.help = "Show the changes as a diff and write nothing."});
    flags.add("check", check,
              {.help = "Write nothing; exit with status 3 if a file would change."});
    flags.add("json", json, {.help = "Print the edits as a JSON document."});
    flags.add("versions", versions,
              {.help = "Instead, write a .tofu file with the required version of OpenTofu for each "
                       "module that states none."});
    flags.add("auto-approve", auto_approve,
              {.help = "Also write files outside of the configuration's directory, without "
                       "asking."});
    flags.include(input);
    flags.include(tests);
    flags.include(configuration);
    flags.arguments(arguments);
  }

  bool writes() const { return !diff && !check; }
};

diag::Checked<void> check_options(const FixOptions& options, diag::Diagnostics& diags) {
  if (options.arguments.size() > 1) {
    diags.error("Too many arguments")
        .detail("At most one argument is expected: the directory of the configuration.");
    return false;
  }
  if (options.diff && options.json) {
    return cli::report_conflicting_options(
        "-diff prints text and -json a document. Give only one "
        "of them.",
        diags);
  }
  if (options.versions && options.json) {
    return cli::report_conflicting_options(
        "-versions has no -json form. \"tofu versions -json\" prints the suggested constraints.",
        diags);
  }
  return true;
}

// Whether a path, with symbolic links followed, is not below the directory of the configuration.
bool is_outside(const std::string& file, const std::string& directory) {
  namespace fs = std::filesystem;
  // Absolute first, because the name of a file that does not exist yet would stay relative.
  std::error_code failure;
  const fs::path path = fs::weakly_canonical(fs::absolute(file, failure), failure);
  if (failure) return true;
  const fs::path top = fs::weakly_canonical(fs::absolute(directory, failure), failure);
  if (failure) return true;
  const fs::path relative = path.lexically_relative(top);
  return relative.empty() || *relative.begin() == "..";
}

// One run of the command after the configuration is loaded.
class Fixing {
 public:
  Fixing(const FixOptions& options, std::string directory, Context& context)
      : options_(options), directory_(std::move(directory)), context_(context) {}

  int run(const config::Tree& tree, diag::Diagnostics& diags) {
    gather(tree, diags);
    edit();
    if (!diags.has_errors() && options_.writes()) write(diags);
    if (options_.diff) show_diff(diags);
    if (options_.json) {
      document();
    } else {
      report(options_.writes() && !diags.has_errors());
    }
    if (diags.has_errors() || !options_.json) cli::print_diagnostics(diags, context_.terminal);
    if (diags.has_errors()) return cli::kExitError;
    return options_.check && !files_.empty() ? kExitNeedsFixes : cli::kExitOk;
  }

 private:
  void gather(const config::Tree& tree, diag::Diagnostics& diags) {
    std::vector<lint::Rewrite> found = lint::find_rewrites(tree, context_.sources);
    read_values(diags);
    std::ranges::move(lint::find_rewrites(value_files_, tree, context_.sources),
                      std::back_inserter(found));
    for (lint::Rewrite& rewrite : found) {
      // Fetched modules are written anew by init, and are their authors' to change.
      if (!tree.node(rewrite.user).is_local) continue;
      (rewrite.edits.empty() ? left_ : fixes_).push_back(std::move(rewrite));
    }
  }

  // The variables files that are read automatically, of a directory.
  static void append_value_files(const std::filesystem::path& directory,
                                 std::vector<std::string>& paths) {
    const auto entries = base::list_directory(directory.string());
    if (!entries) return;
    std::vector<std::string> names;
    for (const base::DirectoryEntry& entry : *entries) names.push_back(entry.name);
    for (const std::string& name : config::choose_variable_files(names)) {
      paths.push_back((directory / name).lexically_normal().string());
    }
  }

  void read_values(diag::Diagnostics& diags) {
    std::vector<std::string> paths;
    append_value_files(directory_, paths);
    append_value_files(std::filesystem::path(directory_) / options_.tests.directory, paths);
    for (const auto& use : options_.configuration.variables.uses) {
      if (use.kind != workdir::VariableOptions::Kind::File) continue;
      paths.push_back(std::filesystem::path(use.text).lexically_normal().string());
    }
    std::set<std::string> seen;
    for (const std::string& path : paths) {
      if (!seen.insert(path).second) continue;
      auto text = base::read_file(path);
      if (!text) {
        diags.error("Failed to read variables file")
            .detail(fmt::format("Reading {} failed: {}.", path, text.error().what));
        continue;
      }
      const diag::FileId id = context_.sources.add(path, std::move(*text));
      value_files_.push_back(config::read_variable_file(context_.sources, id, diags));
    }
  }

  void edit() {
    std::map<diag::FileId, std::vector<std::size_t>> by_file;
    for (std::size_t i = 0; i < fixes_.size(); ++i) {
      by_file[fixes_[i].edits[0].range.file].push_back(i);
    }
    std::vector<lint::Rewrite> made;
    for (const auto& [file, indexes] : by_file) {
      std::vector<syntax::EditGroup> groups;
      for (const std::size_t index : indexes) groups.push_back(fixes_[index].edits);
      auto edited = lint::edit_file(file, groups, context_.sources);
      if (!edited) {
        for (const std::size_t index : indexes) {
          lint::Rewrite& rewrite = fixes_[index];
          rewrite.edits.clear();
          rewrite.obstacle = "The changes in this file would change more than they should.";
          left_.push_back(std::move(rewrite));
        }
        continue;
      }
      for (std::size_t i = 0; i < indexes.size(); ++i) {
        lint::Rewrite& rewrite = fixes_[indexes[i]];
        const bool is_left = std::ranges::find(edited->left_out, i) != edited->left_out.end();
        if (is_left) rewrite.obstacle = "Another change overlaps it. Run \"tofu fix\" again.";
        (is_left ? left_ : made).push_back(std::move(rewrite));
      }
      files_.push_back(std::move(*edited));
    }
    fixes_ = std::move(made);
  }

  bool is_outside(const lint::EditedFile& file) const {
    return commands::is_outside(std::string(context_.sources.name(file.file)), directory_);
  }

  // Other configurations may use files that are not below this one's directory.
  void approve_outside(diag::Diagnostics& diags) {
    std::string list;
    for (const lint::EditedFile& file : files_) {
      if (is_outside(file)) list += fmt::format("\n  {}", context_.sources.name(file.file));
    }
    if (list.empty() || options_.auto_approve) return;
    const cli::JsonOptions json{options_.json, {}};
    if (!cli::may_ask(options_.input, json, context_.environment())) {
      return report_approval(list, diags);
    }
    context_.terminal.out.line(
        fmt::format("These files are outside of the directory of this configuration:{}\n\nOther "
                    "configurations may use them.",
                    for_terminal(list)));
    const auto answer =
        cli::ask_person("Change them, too? Only \"yes\" is accepted: ", cli::Typing::Shown,
                        context_.terminal, context_.cancellation);
    if (!answer) return report_approval(list, diags);
    if (*answer == "yes") return;
    leave_outside();
  }

  void report_approval(const std::string& list, diag::Diagnostics& diags) {
    diags.error("Approval required")
        .detail(fmt::format("These files are outside of the directory of this configuration:{}\n\n"
                            "To change them as well, use -auto-approve.",
                            list));
  }

  void leave_outside() {
    std::erase_if(files_, [&](const lint::EditedFile& file) {
      if (!is_outside(file)) return false;
      std::erase_if(fixes_, [&](const lint::Rewrite& rewrite) {
        return rewrite.edits[0].range.file == file.file;
      });
      return true;
    });
  }

  void write(diag::Diagnostics& diags) {
    approve_outside(diags);
    if (diags.has_errors()) return;
    for (const lint::EditedFile& file : files_) {
      const std::string name(context_.sources.name(file.file));
      // As fmt does: source files are under version control.
      const auto written = base::write_file(name, file.text, 0644, base::Sync::No);
      if (written) {
        ++written_;
        continue;
      }
      diags.error("Cannot write a file")
          .detail(fmt::format("Writing {} failed: {}.", name, written.error().what));
    }
  }

  void show_diff(diag::Diagnostics& diags) {
    for (const lint::EditedFile& file : files_) {
      const std::string name(context_.sources.name(file.file));
      const auto diff = unified_diff(name, context_.sources.text(file.file), file.text);
      if (diff) {
        context_.terminal.out.write(for_terminal(*diff));
        continue;
      }
      diags.error("Cannot show the differences")
          .detail(fmt::format("For {}, {}.", name, diff.error().what));
    }
  }

  // The place of a use is a line that editors can follow.
  std::string line_of(const lint::Rewrite& rewrite) const {
    const diag::Position at = context_.sources.position(rewrite.place.file, rewrite.place.begin);
    return fmt::format("{}:{}:{}: {}", context_.sources.name(rewrite.place.file), at.line,
                       at.column, rewrite.what);
  }

  void report(bool are_written) {
    cli::Output& out = context_.terminal.out;
    for (const lint::Rewrite& rewrite : fixes_) out.line(for_terminal(line_of(rewrite)));
    if (fixes_.empty()) {
      out.line(left_.empty() ? "Nothing to fix." : "Nothing to fix automatically.");
    } else {
      out.line(fmt::format("{} {} use{} of deprecated declarations in {} file{}.",
                           are_written ? "Replaced" : "Found", fixes_.size(),
                           fixes_.size() == 1 ? "" : "s", files_.size(),
                           files_.size() == 1 ? "" : "s"));
    }
    if (left_.empty()) return;
    out.line("\nTo be changed manually:");
    for (const lint::Rewrite& rewrite : left_) {
      out.line(for_terminal(fmt::format("  {}. {}", line_of(rewrite), rewrite.obstacle)));
    }
  }

  void document() {
    std::string text;
    base::JsonWriter json(text, "  ");
    json.begin_object();
    json.field("format_version", kFormatVersion);
    json.field("changed_files", options_.writes() ? written_ : files_.size());
    write_all(json, "fixes", fixes_);
    write_all(json, "remaining", left_);
    json.end_object();
    text += '\n';
    context_.terminal.out.write(text);
  }

  void write_all(base::JsonWriter& json, const char* key,
                 const std::vector<lint::Rewrite>& rewrites) {
    json.key(key);
    json.begin_array();
    for (const lint::Rewrite& rewrite : rewrites) {
      diag::Diagnostic diagnostic;
      diagnostic.severity = diag::Severity::Warning;
      diagnostic.summary = fmt::format("Use of {}, which is deprecated", rewrite.what);
      diagnostic.detail = rewrite.obstacle;
      diagnostic.subject = rewrite.place;
      diag::write_json(json, diagnostic, context_.sources, rewrite.edits);
    }
    json.end_array();
  }

  std::string for_terminal(std::string_view text) const {
    return context_.terminal.out_is_terminal ? diag::safe_for_terminal(text) : std::string(text);
  }

  const FixOptions& options_;
  const std::string directory_;
  Context& context_;
  std::vector<config::VariableFile> value_files_;  // keep the expressions
  std::vector<lint::Rewrite> fixes_;
  std::vector<lint::Rewrite> left_;  // for people
  std::vector<lint::EditedFile> files_;
  std::size_t written_ = 0;  // of these
};

// The files of -versions. Those outside are of other packages: they are written on request only.
int fix_versions(const FixOptions& options, const config::Tree& tree, const std::string& directory,
                 Context& context, diag::Diagnostics& diags) {
  cli::Output& out = context.terminal.out;
  std::size_t made = 0;
  for (const VersionFile& file : missing_version_files(tree, context.sources)) {
    if (is_outside(file.path, directory) && !options.auto_approve) {
      out.line(
          fmt::format("{}: outside of this directory; use -auto-approve to write it", file.path));
      continue;
    }
    ++made;
    if (options.diff) {
      const auto diff = unified_diff(file.path, "", file.text);
      if (diff) out.write(*diff);
    }
    if (!options.writes()) {
      out.line(file.path);
      continue;
    }
    const auto written = base::write_file(file.path, file.text, 0644, base::Sync::No);
    if (!written) {
      diags.error("Cannot write a file")
          .detail(fmt::format("Writing {} failed: {}.", file.path, written.error().what));
      continue;
    }
    out.line(fmt::format("Wrote {}", file.path));
  }
  if (made == 0) out.line("Nothing to fix.");
  cli::print_diagnostics(diags, context.terminal);
  if (diags.has_errors()) return cli::kExitError;
  return options.check && made > 0 ? kExitNeedsFixes : cli::kExitOk;
}

int run_fix(const FixOptions& options, cli::Session& session) {
  Context context(session, options);
  diag::Diagnostics diags;
  const auto failed = [&] {
    cli::print_diagnostics(diags, context.terminal);
    return cli::kExitError;
  };
  if (!check_options(options, diags)) return failed();
  auto load = workdir::load_options(options.configuration, context.load, diags);
  if (!load) return failed();
  if (!options.arguments.empty()) load->directory = options.arguments[0];
  load->test_directory = options.tests.directory;
  const std::shared_ptr<const workdir::Configuration> loaded =
      workdir::load_configuration(*load, context.load, diags);
  if (!loaded) return failed();
  context.keep_alive.add(loaded);
  diags.clear();  // warnings are for validate
  if (options.versions) {
    return fix_versions(options, loaded->tree, load->directory, context, diags);
  }
  return Fixing(options, load->directory, context).run(loaded->tree, diags);
}

}  // namespace

const cli::Command kFixCommand = {
    "fix",
    "Replace uses of deprecated variables and outputs",
    "[options] [DIR]",
    "Rewrites the configuration in this directory, or in DIR, where it uses variables and outputs "
    "of modules whose authors name a replacement (\"replaced_by\"): arguments of module calls, "
    "references, values in variables files and in test files. Comments and layout stay. Modules "
    "must be installed; fetched modules are not changed.\n\n"
    "Files outside of the configuration's directory, such as those of a module in \"../shared\", "
    "are changed only after approval.",
    cli::action<FixOptions, run_fix>(),
    cli::Completes::Directories,
};

}  // namespace tofu::commands

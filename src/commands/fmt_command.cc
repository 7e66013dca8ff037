#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/report.h"
#include "commands/table.h"
#include "commands/unified_diff.h"
#include "config/package_metadata.h"
#include "diag/wrap.h"
#include "syntax/format.h"

namespace tofu::commands {

namespace {

constexpr int kExitFailed = 2;
constexpr int kExitNeedsFormatting = 3;

struct FmtOptions {
  bool list = true;
  bool write = true;
  bool diff = false;
  bool check = false;
  bool recursive = false;
  std::vector<std::string> targets;

  void declare(cli::FlagSet& flags) {
    flags.add(
        "list", list,
        {.help = "Do not list files that are not formatted. Implied when reading standard input."});
    flags.add("write", write,
              {.help = "Do not write files. Implied when reading standard input and by -check."});
    flags.add("diff", diff, {.help = "Show formatting changes as a diff."});
    flags.add("check", check,
              {.help = "Only check: exit with status 0 if all files are formatted, 3 otherwise."});
    flags.add("recursive", recursive, {.help = "Also process subdirectories."});
    flags.arguments(targets);
  }
};

constexpr std::array<std::string_view, 7> kExtensions = {
    ".tf", ".tofu", ".tfvars", ".tftest.hcl", ".tofutest.hcl", ".sym.hcl", ".tfsym.hcl"};

bool is_formattable(std::string_view name) {
  if (name.substr(name.rfind('/') + 1) == config::kPackageMetadataFile) return true;
  return std::ranges::any_of(kExtensions, [&](std::string_view e) { return name.ends_with(e); });
}

// Editors' backup files and hidden files are never configuration.
bool is_ignored(std::string_view name) {
  return name.starts_with('.') || name.ends_with('~') ||
         (name.starts_with('#') && name.ends_with('#'));
}

struct Job {
  bool list;
  bool write;
  bool diff;
  bool recursive;
};

class Formatter {
 public:
  Formatter(const Job& job, cli::Session& session) : job_(job), session_(session) {}

  bool format_path(const std::string& given);
  void format_standard_input();

  bool found_differences() const { return found_differences_; }
  const std::string& output() const { return output_; }
  diag::Diagnostics& diags() { return diags_; }

 private:
  void format_directory(const std::string& path);
  void format_file(const std::string& path);
  void format_text(const std::string& name, std::string text);

  const Job& job_;
  cli::Session& session_;
  diag::Diagnostics diags_;
  bool found_differences_ = false;
  std::string output_;
};

// As the user would write it from here: relative to the working directory.
std::string shortest_path(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const fs::path here = fs::current_path(failed);
  if (failed) return path;
  return (here / path).lexically_normal().lexically_relative(here).string();
}

// False if nothing more should be tried.
bool Formatter::format_path(const std::string& given) {
  std::string path = shortest_path(given);
  if (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const auto kind = base::file_kind(path);
  if (!kind || *kind == base::FileKind::Missing) {
    diags_.error("No such file or directory")
        .detail(fmt::format("{} does not exist. Specify an existing file or directory.", path));
    return false;
  }
  if (*kind == base::FileKind::Directory) {
    format_directory(path);
  } else if (is_formattable(path)) {
    format_file(path);
  } else {
    diags_.error("Unsupported file type")
        .detail(fmt::format("{} cannot be formatted: expected a file name ending with {}, or {}.",
                            path, fmt::join(kExtensions, ", "), config::kPackageMetadataFile));
  }
  return true;
}

void Formatter::format_directory(const std::string& path) {
  const auto entries = base::list_directory(path);
  if (!entries) {
    diags_.error("Cannot read directory")
        .detail(fmt::format("Reading {} failed: {}.", path, entries.error().what));
    return;
  }
  for (const base::DirectoryEntry& entry : *entries) {
    if (is_ignored(entry.name)) continue;
    std::string inside = path == "." ? entry.name : path + "/" + entry.name;
    if (entry.kind == base::FileKind::Directory) {
      // A link to a directory may lead back here, so only real ones are entered.
      if (job_.recursive && !entry.is_link) format_directory(inside);
    } else if (is_formattable(entry.name)) {
      format_file(inside);
    }
  }
}

void Formatter::format_file(const std::string& path) {
  auto text = base::read_file(path);
  if (!text) {
    diags_.error("Cannot read file")
        .detail(fmt::format("Reading {} failed: {}.", path, text.error().what));
    return;
  }
  format_text(path, std::move(*text));
}

void Formatter::format_standard_input() {
  auto text = session_.terminal.in.read_all();
  if (!text) {
    diags_.error("Cannot read standard input")
        .detail(fmt::format("Reading failed: {}.", text.error().what));
    return;
  }
  format_text("<stdin>", std::move(*text));
}

void Formatter::format_text(const std::string& name, std::string text) {
  const diag::FileId id = session_.sources.add(name, std::move(text));
  const auto formatted = syntax::format_source(session_.sources, id, diags_);
  if (!formatted) return;
  const std::string_view original = session_.sources.text(id);
  if (*formatted != original) {
    found_differences_ = true;
    if (job_.list) output_ += name + "\n";
    if (job_.write) {
      // Source files are under version control and can be formatted again, so
      // the disk need not be waited for.
      const auto written = base::write_file(name, *formatted, 0644, base::Sync::No);
      if (!written) {
        diags_.error("Cannot write file")
            .detail(fmt::format("Writing {} failed: {}.", name, written.error().what));
        return;
      }
    }
    if (job_.diff) {
      auto diff = unified_diff(name, original, *formatted);
      if (!diff) {
        diags_.error("Cannot show formatting changes")
            .detail(fmt::format("Comparing {} failed: {}.", name, diff.error().what));
        return;
      }
      output_ += *diff;
    }
  }
  if (!job_.list && !job_.write && !job_.diff) output_ += *formatted;
}

int run_fmt(const FmtOptions& options, cli::Session& session) {
  const std::vector<std::string>& targets = options.targets;
  const bool check = options.check;
  const bool from_stdin = !targets.empty() && targets[0] == "-";
  // Checking finds differences by what would be listed, whether shown or not.
  const Job job{
      .list = check || (options.list && !from_stdin),
      .write = options.write && !from_stdin && !check,
      .diff = options.diff,
      .recursive = options.recursive,
  };

  Formatter formatter(job, session);
  if (from_stdin) {
    formatter.format_standard_input();
  } else if (targets.empty()) {
    formatter.format_path(".");
  } else {
    for (const std::string& path : targets) {
      if (!formatter.format_path(path)) break;
    }
  }
  const bool show = !check || (options.list && !from_stdin);
  // Programs read the names and the text as they are.
  if (show && !session.terminal.out_is_terminal) {
    session.terminal.out.write(formatter.output());
  } else if (show) {
    session.terminal.out.write(diag::safe_for_terminal(formatter.output()));
  }
  cli::print_diagnostics(formatter.diags(), session.terminal);
  if (formatter.diags().has_errors()) return kExitFailed;
  return check && formatter.found_differences() ? kExitNeedsFormatting : cli::kExitOk;
}

}  // namespace

const cli::Command kFmtCommand = {
    "fmt",
    "Rewrite configuration files in the standard format",
    "[options] [target...]",
    "Rewrites configuration files (.tf, .tofu), variables files (.tfvars), test files "
    "(.tftest.hcl, .tofutest.hcl), symbol libraries (.sym.hcl, .tfsym.hcl) and package metadata "
    "(module-package.meta.hcl) in the standard format. JSON files are not changed.\n\nA target is "
    "a file, a directory, or - for standard input. The default target is the working directory.",
    cli::action<FmtOptions, run_fmt>(),
    cli::Completes::Files,
};

}  // namespace tofu::commands

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json_writer.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/option_groups.h"
#include "cli/report.h"
#include "cli/version_info.h"
#include "cli/view_options.h"
#include "commands/context.h"
#include "commands/table.h"
#include "commands/unified_diff.h"
#include "diag/wrap.h"
#include "documents/lint_json.h"
#include "lint/fix.h"
#include "lint/lint.h"
#include "lint/own_rules.h"
#include "lint/rules.h"
#include "runs/lint_options.h"
#include "workdir/configuration.h"
#include "workdir/options.h"
#include "workdir/standalone_library.h"

namespace tofu::commands {

namespace {

constexpr int kExitFindings = 2;
constexpr int kExitNeedsFixes = 3;

enum class FailOn : std::uint8_t { Notice, Warning, Error, Never };

constexpr cli::Choice<FailOn> kFailOn[] = {
    {"notice", FailOn::Notice},
    {"warning", FailOn::Warning},
    {"error", FailOn::Error},
    {"never", FailOn::Never},
};

struct LintOptions {
  std::string rules;
  std::optional<std::string> library;
  bool list_rules = false;
  std::optional<lint::Scope> scope;  // Local if not given
  bool fix = false;
  bool diff = false;
  bool check = false;
  bool json = false;
  bool sarif = false;
  FailOn fail_on = FailOn::Warning;
  workdir::ConfigurationOptions configuration;
  std::vector<std::string> arguments;

  void declare(cli::FlagSet& flags) {
    flags.add("rules", rules,
              {.value = "LIST",
               .help = "Use these rules only: a comma-separated list of rules and groups. \"!\" in "
                       "front of a name excludes it; a list that only excludes begins with all "
                       "rules."});
    flags.add("library", library,
              {.value = "DIR",
               .help = "Also use the rules in the symbol library in this directory (or file): its "
                       "functions whose only parameter is named \"resource\", \"variable\" or the "
                       "like.",
               .completes = cli::Completes::Directories});
    flags.add("list-rules", list_rules, {.help = "List the rules and change nothing."});
    runs::add_lint_scope_flag(flags, scope);
    flags.add("fix", fix, {.help = "Apply the safe fixes, and report the other findings."});
    flags.add("diff", diff, {.help = "Show what -fix changes; without -fix nothing is written."});
    flags.add("check", check,
              {.help = "Write nothing; exit status 3 if -fix would change a file."});
    flags.add("json", json, {.help = "Print the findings as a JSON document."});
    flags.add("sarif", sarif, {.help = "Print the findings as a SARIF document, for code review."});
    flags.add("fail-on", fail_on, kFailOn,
              {.value = "SEVERITY",
               .help = "The least severe finding that makes the exit status 2: \"notice\", "
                       "\"warning\" (the default), \"error\" or \"never\"."});
    flags.include(configuration);
    flags.arguments(arguments);
  }

  bool prints_document() const { return json || sarif; }
};

diag::Checked<void> check_options(const LintOptions& options, diag::Diagnostics& diags) {
  if (options.arguments.size() > 1) {
    diags.error("Too many arguments")
        .detail("At most one argument is expected: the directory of the configuration.");
    return false;
  }
  if (options.json && options.sarif) {
    return cli::report_conflicting_options("Give only one of -json and -sarif.", diags);
  }
  if (options.fix && options.check) {
    return cli::report_conflicting_options(
        "-check writes nothing and -fix writes. Give only one of them.", diags);
  }
  if (options.diff && options.prints_document()) {
    return cli::report_conflicting_options(
        "-diff prints text and cannot be used together with -json or -sarif.", diags);
  }
  return true;
}

// The rules of the program and those of a library, as far as they are selected.
std::vector<const lint::Rule*> selected_rules(const lint::Selection& selection,
                                              const lint::OwnRules* own) {
  std::vector<const lint::Rule*> selected;
  const auto add = [&](std::span<const lint::Rule* const> rules) {
    std::ranges::copy_if(rules, std::back_inserter(selected),
                         [&](const lint::Rule* rule) { return selection.allows(*rule); });
  };
  add(lint::rules());
  if (own != nullptr) add(own->rules());
  return selected;
}

void list_rules(std::span<const lint::Rule* const> rules, cli::Output& out) {
  for (const lint::Rule* rule : rules) {
    out.line(fmt::format("{:32} {:8} {:18} {}{}", rule->id, lint::to_string(rule->severity),
                         rule->group, rule->help, rule->has_fix ? " (-fix)" : ""));
  }
}

// One run of the command after the configuration is loaded.
class Linting {
 public:
  Linting(const LintOptions& options, const lint::Selection& selection, const lint::OwnRules* own,
          Context& context)
      : options_(options), selection_(selection), own_(own), context_(context) {}

  int run(const config::Tree& tree, diag::Diagnostics& diags) {
    std::vector<lint::Finding> found =
        lint::run({selection_, options_.scope.value_or(lint::Scope::Local)}, own_, tree,
                  context_.sources, diags);
    const bool wants_fixes = options_.fix || options_.diff || options_.check;
    lint::Fixed fixed;
    if (wants_fixes) {
      fixed = lint::fix(found, context_.sources, diags);
      for (const lint::FixedFile& file : fixed.files) change(file, diags);
    }
    report(options_.fix ? fixed.remaining : found, fixed.files.size());
    cli::print_diagnostics(diags, context_.terminal);
    if (diags.has_errors()) return cli::kExitError;
    if (options_.check && !fixed.files.empty()) return kExitNeedsFixes;
    return fails(options_.fix ? fixed.remaining : found) ? kExitFindings : cli::kExitOk;
  }

 private:
  void change(const lint::FixedFile& file, diag::Diagnostics& diags) {
    const std::string name(context_.sources.name(file.file));
    if (options_.diff) {
      const auto diff = unified_diff(name, context_.sources.text(file.file), file.text);
      if (!diff) {
        diags.error("Cannot show the differences")
            .detail(fmt::format("For {}, {}.", name, diff.error().what));
        return;
      }
      context_.terminal.out.write(for_terminal(*diff));
    }
    if (!options_.fix) return;
    // As fmt does: source files are under version control.
    const auto written = base::write_file(name, file.text, 0644, base::Sync::No);
    if (written) return;
    diags.error("Cannot write a file")
        .detail(fmt::format("Writing {} failed: {}.", name, written.error().what));
  }

  void report(const std::vector<lint::Finding>& findings, std::size_t fixed_files) {
    if (options_.prints_document()) return document(findings);
    for (const lint::Finding& finding : findings) print(finding);
    summary(findings, fixed_files);
  }

  void document(const std::vector<lint::Finding>& findings) {
    std::string text;
    base::JsonWriter json(text, "  ");
    if (options_.json) {
      documents::write_lint_json(json, findings, context_.sources);
    } else {
      documents::write_sarif(json, findings, selected_rules(selection_, own_), cli::kTofuVersion,
                             context_.sources);
    }
    text += '\n';
    context_.terminal.out.write(text);
  }

  // A line that editors and people can follow, and what to do. The source is not quoted, since a
  // secret may stand there.
  void print(const lint::Finding& finding) {
    cli::Terminal& terminal = context_.terminal;
    const diag::SourceRange place = finding.place;
    const diag::Position at = context_.sources.position(place.file, place.begin);
    terminal.out.line(for_terminal(fmt::format(
        "{}:{}:{}: {}: {} ({})", context_.sources.name(place.file), at.line, at.column,
        cli::colored(terminal.view, cli::Color::None, lint::to_string(finding.rule->severity)),
        finding.rule->summary, finding.rule->id)));
    std::string detail = diag::wrap_text(finding.detail, std::max(terminal.out_width - 2, 0));
    for (std::size_t at_line = 0; (at_line = detail.find('\n', at_line)) != detail.npos;) {
      detail.replace(at_line, 1, "\n  ");
      at_line += 3;
    }
    terminal.out.line(for_terminal("  " + detail));
  }

  void summary(const std::vector<lint::Finding>& findings, std::size_t fixed_files) {
    cli::Output& out = context_.terminal.out;
    if (options_.fix && fixed_files > 0) {
      out.line(fmt::format("Fixed {} file{}.", fixed_files, fixed_files == 1 ? "" : "s"));
    }
    if (findings.empty()) {
      out.line("No findings.");
      return;
    }
    const auto fixable = std::ranges::count_if(
        findings, [](const lint::Finding& each) { return !each.fix.empty(); });
    out.line(
        fmt::format("{} finding{}{}", findings.size(), findings.size() == 1 ? "" : "s",
                    fixable == 0 ? "." : fmt::format("; \"tofu lint -fix\" fixes {}.", fixable)));
  }

  bool fails(const std::vector<lint::Finding>& findings) const {
    if (options_.fail_on == FailOn::Never) return false;
    const auto least = static_cast<std::uint8_t>(options_.fail_on);
    return std::ranges::any_of(findings, [&](const lint::Finding& each) {
      return static_cast<std::uint8_t>(each.rule->severity) >= least;
    });
  }

  std::string for_terminal(std::string_view text) const {
    return context_.terminal.out_is_terminal ? diag::safe_for_terminal(text) : std::string(text);
  }

  const LintOptions& options_;
  const lint::Selection& selection_;
  const lint::OwnRules* own_;  // null: none
  Context& context_;
};

int run_lint(const LintOptions& options, cli::Session& session) {
  Context context(session, options);
  diag::Diagnostics diags;
  const auto failed = [&] {
    cli::print_diagnostics(diags, context.terminal);
    return cli::kExitError;
  };
  if (!check_options(options, diags)) return failed();
  const lint::Selection selection = lint::Selection::parse_from_all(options.rules);
  workdir::StandaloneLibraries libraries(context.environment(), context.sources);
  std::optional<lint::OwnRules> own;
  if (options.library) {
    const auto library = libraries.load(*options.library, "-library", diags);
    if (!library) return failed();
    own.emplace(*library);
    if (own->rules().empty()) {
      diags.error("Symbol library without rules")
          .detail(fmt::format("No function in {} is a rule. A rule has one parameter, which is "
                              "named resource, data, ephemeral, variable, output, module or "
                              "provider.",
                              *options.library));
      return failed();
    }
  }
  const lint::OwnRules* used = own ? &*own : nullptr;
  const std::vector<const lint::Rule*> rules = selected_rules(selection, used);
  if (rules.empty()) {
    diags.error("No lint rules selected")
        .detail(fmt::format("The value {:?} of -rules leaves no rule to check. \"tofu lint "
                            "-list-rules\" lists the rules and their groups.",
                            options.rules));
    return failed();
  }
  if (options.list_rules) {
    list_rules(rules, context.terminal.out);
    return cli::kExitOk;
  }
  auto load = workdir::load_options(options.configuration, context.load, diags);
  if (!load) return failed();
  load->check_package_locks = false;
  if (!options.arguments.empty()) load->directory = options.arguments[0];
  const std::shared_ptr<const workdir::Configuration> loaded =
      workdir::load_configuration(*load, context.load, diags);
  if (!loaded) return failed();
  context.keep_alive.add(loaded);
  diags.clear();  // warnings of the language are for validate
  return Linting(options, selection, used, context).run(loaded->tree, diags);
}

}  // namespace

const cli::Command kLintCommand = {
    "lint",
    "Find unclear, unused and dangerous parts of a configuration",
    "[options] [DIR]",
    "Checks the configuration in this directory, or in DIR, with rules that go further than "
    "\"tofu validate\": unused declarations, outdated forms, conditions without effect, versions "
    "that are not fixed, secrets. No provider and no remote service is used, but modules must "
    "be installed.\n\n"
    "A comment \"# tofu:ignore(RULE)\" at the end of a line or above it suppresses findings there. "
    "Exit status: 0 without findings, 1 after an error, 2 with findings, 3 with -check if -fix "
    "would change a file.",
    cli::action<LintOptions, run_lint>(),
    cli::Completes::Directories,
};

}  // namespace tofu::commands

#include "runs/run_options.h"

#include <fmt/format.h>
#include <utility>
#include <vector>

#include "addrs/target_file.h"
#include "addrs/text.h"
#include "base/file.h"
#include "diag/source.h"
#include "workdir/load_context.h"

namespace tofu::runs {

namespace {

// The addresses that uses of an option give. Errors name the option.
template <class Address>
std::vector<Address> addresses_of(const std::vector<std::string>& texts, std::string_view option,
                                  std::optional<Address> (*parse)(const syntax::Traversal&,
                                                                  diag::Diagnostics&),
                                  diag::Diagnostics& diags) {
  std::vector<Address> addresses;
  for (const std::string& text : texts) {
    diag::Diagnostics problems;
    auto address = addrs::parse_text(text, parse, problems);
    if (address) {
      addresses.push_back(std::move(*address));
    } else {
      diags.error(fmt::format("Invalid address for -{}", option))
          .detail(fmt::format("Invalid address {:?}: {}", text, problems.items()[0].detail));
    }
  }
  return addresses;
}

void add_files(const std::vector<std::string>& paths, std::string_view option,
               std::vector<addrs::Target>& out, diag::SourceMap& sources,
               diag::Diagnostics& diags) {
  for (const std::string& path : paths) {
    auto text = base::read_file(path);
    if (!text) {
      diags.error(fmt::format("Cannot read the -{} file", option))
          .detail(fmt::format("Reading {} failed: {}.", path, text.error().what));
      continue;
    }
    const diag::FileId file = sources.add(path, std::move(*text));
    for (addrs::Target& target : addrs::parse_target_file(sources, file, diags)) {
      out.push_back(std::move(target));
    }
  }
}

void check_replaced(const std::vector<addrs::AbsResourceInstance>& replaced,
                    diag::Diagnostics& diags) {
  for (const addrs::AbsResourceInstance& address : replaced) {
    if (address.object.resource.mode == addrs::ResourceMode::Managed) continue;
    diags.error("Invalid address for -replace")
        .detail(fmt::format("{} is not a managed resource. Only managed resources can be replaced.",
                            address.to_string()));
  }
}

engine::PlanOptions plan_options(const OperationOptions& operation, diag::SourceMap& sources,
                                 diag::Diagnostics& diags) {
  engine::PlanOptions plan;
  plan.refresh = operation.refresh;
  plan.allow_deferral = operation.allow_deferral;
  plan.minimal_refresh = operation.minimal_refresh;
  plan.mode = operation.destroy        ? plans::Mode::Destroy
              : operation.refresh_only ? plans::Mode::RefreshOnly
                                       : plans::Mode::Normal;
  plan.targets = addresses_of(operation.targets, "target", addrs::parse_target, diags);
  add_files(operation.target_files, "target-file", plan.targets, sources, diags);
  plan.excludes = addresses_of(operation.excludes, "exclude", addrs::parse_target, diags);
  add_files(operation.exclude_files, "exclude-file", plan.excludes, sources, diags);
  plan.replace =
      addresses_of(operation.replace, "replace", addrs::parse_abs_resource_instance, diags);
  check_replaced(plan.replace, diags);
  if (!plan.replace.empty() && plan.mode != plans::Mode::Normal) {
    diags.error("Conflicting options")
        .detail(
            "-replace creates new objects, so it cannot be combined with -destroy or "
            "-refresh-only.");
  }
  return plan;
}

}  // namespace

void RunFlags::declare(cli::FlagSet& flags) {
  cli::add_show_sensitive_flag(flags, show_sensitive);
  flags.include(json);
  flags.include(input);
  flags.include(operation);
  flags.include(lint);
  flags.include(change);
  flags.include(files);
}

diag::Checked<RunOptions> run_options(const RunFlags& flags, const workdir::LoadContext& context,
                                      diag::Diagnostics& diags) {
  const std::size_t errors = diags.error_count();
  if (!flags.operation.check(diags)) return std::nullopt;
  if (!flags.lint.check(diags)) return std::nullopt;
  RunOptions options;
  options.plan = plan_options(flags.operation, context.sources, diags);
  auto load = workdir::load_options(flags.change.configuration, context, diags);
  if (diags.error_count() != errors) return std::nullopt;
  options.load = std::move(*load);
  options.files = flags.files;
  if (options.plan.mode != plans::Mode::Destroy) options.lint = flags.lint.request();
  options.lock = flags.change.lock;
  if (flags.operation.parallelism > 0) {
    options.parallelism = static_cast<unsigned>(flags.operation.parallelism);
  }
  options.input = cli::may_ask(flags.input, flags.json, context.environment());
  options.show_sensitive = flags.show_sensitive;
  options.in_automation = !context.environment().variable("TF_IN_AUTOMATION").empty();
  return options;
}

}  // namespace tofu::runs

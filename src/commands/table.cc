#include "commands/table.h"

#include <array>

namespace tofu::commands {

namespace {

constexpr cli::Command kMetadataCommand = {
    "metadata",
    "Describe the language and commands in machine-readable form",
    "<subcommand> [options]",
    "Describes the functions and commands of tofu for editors and other tools.",
};

// Those of `env` are from the time before workspaces were called so.
constexpr cli::CommandAlias kAliases[] = {
    {"env", "workspace"},
    {"env delete", "workspace delete"},
    {"env list", "workspace list"},
    {"env new", "workspace new"},
    {"env select", "workspace select"},
    {"env show", "workspace show"},
    {"state ls", "state list"},
    {"state move", "state mv"},
    {"state remove", "state rm"},
};

constexpr cli::CommandExample kExamples[] = {
    {"apply", "tofu apply"},
    {"apply", "tofu apply plan.tfplan"},
    {"console", "tofu console"},
    {"console", "echo 'length(var.names)' | tofu console"},
    {"destroy", "tofu destroy"},
    {"destroy", "tofu destroy -target=module.test"},
    {"fmt", "tofu fmt -recursive"},
    {"fmt", "tofu fmt -check -diff"},
    {"force-unlock", "tofu force-unlock 21b79c61-54f5-2a4f-3a5f-0d3b0ff20c62"},
    {"get", "tofu get -update"},
    {"graph", "tofu graph | dot -Tsvg > graph.svg"},
    {"import", "tofu import aws_instance.web i-0123456789abcdef0"},
    {"import", "tofu import 'aws_instance.web[\"blue\"]' i-0123456789abcdef0"},
    {"init", "tofu init"},
    {"init", "tofu init -upgrade"},
    {"lint", "tofu lint"},
    {"lint", "tofu lint -fix -diff"},
    {"login", "tofu login app.terraform.io"},
    {"logout", "tofu logout app.terraform.io"},
    {"metadata functions", "tofu metadata functions -json"},
    {"metadata man", "tofu metadata man /usr/local/share/man/man1"},
    {"modules", "tofu modules -json"},
    {"output", "tofu output -raw endpoint"},
    {"output", "tofu output -json"},
    {"plan", "tofu plan -out=plan.tfplan"},
    {"plan", "tofu plan -var-file=prod.tfvars -target=module.network"},
    {"providers", "tofu providers"},
    {"providers lock", "tofu providers lock -platform=linux_amd64 -platform=darwin_arm64"},
    {"providers mirror", "tofu providers mirror -platform=linux_amd64 ./mirror"},
    {"providers schema", "tofu providers schema -json"},
    {"refresh", "tofu refresh"},
    {"show", "tofu show plan.tfplan"},
    {"show", "tofu show -json plan.tfplan"},
    {"state list", "tofu state list module.network"},
    {"state mv", "tofu state mv aws_instance.web module.web.aws_instance.this"},
    {"state pull", "tofu state pull > backup.tfstate"},
    {"state push", "tofu state push backup.tfstate"},
    {"state recover", "tofu state recover -dry-run"},
    {"state replace-provider",
     "tofu state replace-provider hashicorp/aws registry.acme.corp/acme/aws"},
    {"state rm", "tofu state rm 'aws_instance.web[0]'"},
    {"state show", "tofu state show 'aws_instance.web[0]'"},
    {"taint", "tofu taint aws_instance.web"},
    {"test", "tofu test -filter=tests/network.tftest.hcl"},
    {"untaint", "tofu untaint aws_instance.web"},
    {"validate", "tofu validate"},
    {"validate", "tofu validate -json"},
    {"version", "tofu version -json"},
    {"workspace delete", "tofu workspace delete staging"},
    {"workspace list", "tofu workspace list"},
    {"workspace new", "tofu workspace new staging"},
    {"workspace select", "tofu workspace select -or-create staging"},
    {"workspace show", "tofu workspace show"},
};

}  // namespace

const cli::CommandTable& command_table() {
  static const std::array kCommands = {
      kApplyCommand,
      kConsoleCommand,
      kDestroyCommand,
      kFmtCommand,
      kForceUnlockCommand,
      kGetCommand,
      kGraphCommand,
      kImportCommand,
      kInitCommand,
      kLintCommand,
      kLoginCommand,
      kLogoutCommand,
      kMetadataCommand,
      kMetadataFunctionsCommand,
      kMetadataManCommand,
      kModulesCommand,
      kOutputCommand,
      kPlanCommand,
      kProvidersCommand,
      kProvidersLockCommand,
      kProvidersMirrorCommand,
      kProvidersSchemaCommand,
      kRefreshCommand,
      kShowCommand,
      kStateCommand,
      kStateListCommand,
      kStateMvCommand,
      kStatePullCommand,
      kStatePushCommand,
      kStateRecoverCommand,
      kStateReplaceProviderCommand,
      kStateRmCommand,
      kStateShowCommand,
      kTaintCommand,
      kTestCommand,
      kUntaintCommand,
      kValidateCommand,
      kVersionCommand,
      kWorkspaceCommand,
      kWorkspaceDeleteCommand,
      kWorkspaceListCommand,
      kWorkspaceNewCommand,
      kWorkspaceSelectCommand,
      kWorkspaceShowCommand,
  };
  static const cli::CommandTable kTable(kCommands, kAliases, kExamples);
  return kTable;
}

}  // namespace tofu::commands

// The table of all commands.
//
// Help, completion, manual pages and dispatch read it and nothing else, so that none of them can
// promise a command that does not exist.
#pragma once

#include "cli/command.h"

namespace tofu::commands {

const cli::CommandTable& command_table();

// Defined in the command's own file.
extern const cli::Command kApplyCommand;
extern const cli::Command kConsoleCommand;
extern const cli::Command kDeprecationsCommand;
extern const cli::Command kDestroyCommand;
extern const cli::Command kFixCommand;
extern const cli::Command kFmtCommand;
extern const cli::Command kForceUnlockCommand;
extern const cli::Command kGetCommand;
extern const cli::Command kGraphCommand;
extern const cli::Command kImportCommand;
extern const cli::Command kInitCommand;
extern const cli::Command kLintCommand;
extern const cli::Command kLoginCommand;
extern const cli::Command kLogoutCommand;
extern const cli::Command kMetadataFunctionsCommand;
extern const cli::Command kMetadataManCommand;
extern const cli::Command kModulesCommand;
extern const cli::Command kModulesMirrorCommand;
extern const cli::Command kModulesPruneCommand;
extern const cli::Command kModulesVendorCommand;
extern const cli::Command kOutputCommand;
extern const cli::Command kPlanCommand;
extern const cli::Command kProvidersCommand;
extern const cli::Command kProvidersLockCommand;
extern const cli::Command kProvidersMirrorCommand;
extern const cli::Command kProvidersSchemaCommand;
extern const cli::Command kRefreshCommand;
extern const cli::Command kShowCommand;
extern const cli::Command kStateCommand;
extern const cli::Command kStateListCommand;
extern const cli::Command kStateMvCommand;
extern const cli::Command kStatePullCommand;
extern const cli::Command kStatePushCommand;
extern const cli::Command kStateRecoverCommand;
extern const cli::Command kStateReplaceProviderCommand;
extern const cli::Command kStateRmCommand;
extern const cli::Command kStateShowCommand;
extern const cli::Command kTaintCommand;
extern const cli::Command kTestCommand;
extern const cli::Command kUntaintCommand;
extern const cli::Command kValidateCommand;
extern const cli::Command kVersionCommand;
extern const cli::Command kVersionsCommand;
extern const cli::Command kWorkspaceCommand;
extern const cli::Command kWorkspaceDeleteCommand;
extern const cli::Command kWorkspaceListCommand;
extern const cli::Command kWorkspaceNewCommand;
extern const cli::Command kWorkspaceSelectCommand;
extern const cli::Command kWorkspaceShowCommand;

}  // namespace tofu::commands

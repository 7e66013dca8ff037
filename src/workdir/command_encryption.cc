#include "workdir/command_encryption.h"

#include <fmt/format.h>
#include <utility>

#include "base/ascii.h"
#include "encryption/encryptions.h"
#include "encryption/envelope.h"
#include "net/environment.h"
#include "state/state_file.h"
#include "workdir/module_clients.h"

namespace tofu::workdir {

// Key providers keep references to what they are given.
struct CommandEncryption::Parts {
  explicit Parts(const LoadContext& context)
      : environment(variables_of(context.settings.environment)),
        key_provider_context{web_options(context.settings), environment, context.stop} {}

  net::EnvironmentVariable environment;
  encryption::KeyProviderContext key_provider_context;
  std::unique_ptr<const encryption::Encryptions> encryptions;
};

namespace {

constexpr std::string_view kVariable = "TF_ENCRYPTION";

struct FromVariable {
  std::unique_ptr<syntax::File> file;  // the block points into it
  std::optional<config::Encryption> block;
};

diag::Checked<FromVariable> read_variable(const cli::Environment& environment,
                                          diag::SourceMap& sources, diag::Diagnostics& diags) {
  const std::string_view text = environment.variable(kVariable);
  const std::string_view content = base::trimmed(text);
  FromVariable found;
  if (content.empty()) return found;
  const std::size_t errors = diags.error_count();
  const diag::FileId id = sources.add(std::string(kVariable), std::string(text));
  found.file = content.front() == '{' ? syntax::parse_json_file(sources, id, diags)
                                      : syntax::parse_file(sources, id, diags);
  if (diags.error_count() != errors) return std::nullopt;
  found.block = config::read_encryption(found.file->body(), diag::SourceRange{id, 0, 0}, diags);
  if (!found.block) return std::nullopt;
  return found;
}

}  // namespace

CommandEncryption CommandEncryption::none() { return CommandEncryption(nullptr); }

StateEncryption CommandEncryption::state() const {
  return StateEncryption(parts_ ? parts_->encryptions->state() : state::no_encryption());
}

PlanEncryption CommandEncryption::plan() const {
  return PlanEncryption(parts_ ? parts_->encryptions->plan() : state::no_encryption());
}

StateEncryption CommandEncryption::remote_state(std::string_view name) const {
  return StateEncryption(parts_ ? parts_->encryptions->remote_state(name) : state::no_encryption());
}

diag::Checked<CommandEncryption> read_encryption(const Configuration& configuration,
                                                 const LoadContext& context,
                                                 diag::Diagnostics& diags) {
  const config::TreeNode& root = configuration.tree.root();
  auto variable = read_variable(context.settings.environment, context.sources, diags);
  if (!variable) return std::nullopt;
  std::optional<config::Encryption> block = root.module->encryption;
  if (variable->block) {
    block = block ? config::merge_encryption(std::move(*block), std::move(*variable->block))
                  : std::move(variable->block);
  }
  if (!block) return CommandEncryption::none();
  auto parts = std::make_shared<CommandEncryption::Parts>(context);
  const std::size_t before = diags.size();
  parts->encryptions =
      encryption::Encryptions::set_up(*block, *root.statics, parts->key_provider_context, diags);
  root.module->name_blocks(diags.items_from(before));
  if (!parts->encryptions) return std::nullopt;
  return CommandEncryption(std::move(parts));
}

std::optional<EncryptionOfEnvironment> encryption_of_environment(
    const cli::Environment& environment, diag::SourceMap& sources) {
  diag::Diagnostics ignored;
  auto variable = read_variable(environment, sources, ignored);
  if (!variable || !variable->block) return std::nullopt;
  return EncryptionOfEnvironment{std::move(variable->file), std::move(*variable->block)};
}

diag::Checked<state::State> read_given_state(std::string bytes, const std::string& path,
                                             StateEncryption encryption, diag::Diagnostics& diags) {
  if (encryption.get().is_plain() || !encryption::is_envelope(bytes)) {
    return state::read_large_state(std::move(bytes), diags);
  }
  auto text = encryption.get().decrypt(bytes);
  if (text) return state::read_large_state(std::move(*text), diags);
  diags.error("Cannot decrypt the state")
      .detail(fmt::format("Reading {} failed: {}.", path, text.error().what));
  return std::nullopt;
}

}  // namespace tofu::workdir

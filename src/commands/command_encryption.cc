#include "commands/command_encryption.h"

#include <fmt/format.h>
#include <memory>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "commands/package_doors.h"
#include "commands/state_access.h"
#include "encryption/envelope.h"
#include "state/state_file.h"
#include "syntax/parser.h"
#include "transport/environment.h"

namespace tofu::commands {

namespace {

constexpr std::string_view kVariable = "TF_ENCRYPTION";

}  // namespace

// Key providers keep references to the environment.
class CommandEncryption {
 public:
  explicit CommandEncryption(const World& world)
      : environment_(variables_of(world)),
        around_{web_options(world), environment_, world.interrupts.token()} {}

  const encryption::Surroundings& around() const { return around_; }

  std::unique_ptr<const encryption::Encryptions> made;

 private:
  transport::EnvironmentVariable environment_;
  encryption::Surroundings around_;
};

namespace {

struct FromVariable {
  std::unique_ptr<syntax::File> file;  // the block points into it
  std::optional<config::Encryption> block;
};

// Nothing if and only if an error was added.
std::optional<FromVariable> read_variable(World& world, diag::Diagnostics& diags) {
  const std::string_view text = world.environment.variable(kVariable);
  const std::string_view content = base::trimmed(text);
  FromVariable found;
  if (content.empty()) return found;
  const std::size_t errors = diags.error_count();
  const diag::FileId id = world.sources.add(std::string(kVariable), std::string(text));
  found.file = content.front() == '{' ? syntax::parse_json_file(world.sources, id, diags)
                                      : syntax::parse_file(world.sources, id, diags);
  if (diags.error_count() != errors) return std::nullopt;
  found.block = config::read_encryption(found.file->body(), diag::SourceRange{id, 0, 0}, diags);
  if (!found.block) return std::nullopt;
  return found;
}

}  // namespace

bool set_up_encryption(const Configuration& configuration, World& world, diag::Diagnostics& diags) {
  if (world.encryption) return true;
  const config::TreeNode& root = configuration.tree.root();
  auto variable = read_variable(world, diags);
  if (!variable) return false;
  std::optional<config::Encryption> block = root.module->encryption;
  if (variable->block) {
    block = block ? config::merge_encryption(std::move(*block), std::move(*variable->block))
                  : std::move(variable->block);
  }
  if (!block) return true;
  auto made = std::make_shared<CommandEncryption>(world);
  const std::size_t before = diags.size();
  made->made = encryption::Encryptions::set_up(*block, *root.statics, made->around(), diags);
  root.module->name_blocks(diags.items_from(before));
  if (!made->made) return false;
  world.encryption = std::move(made);
  return true;
}

bool set_up_encryption(const ConfigurationOptions& configuration, World& world,
                       diag::Diagnostics& diags) {
  diag::Diagnostics found;
  const auto loaded = load_root_module(configuration, world, found);
  if (loaded && set_up_encryption(*loaded, world, found)) return true;
  diags.take(std::move(found));
  return false;
}

const encryption::Encryptions& encryptions(const World& world) {
  static const encryption::Encryptions kNone;
  return world.encryption ? *world.encryption->made : kNone;
}

std::optional<state::State> read_given_state(std::string bytes, const std::string& path,
                                             const World& world, diag::Diagnostics& diags) {
  const state::Encryption& encryption = encryptions(world).state();
  if (encryption.is_plain() || !encryption::is_envelope(bytes)) {
    return state::read_large_state(std::move(bytes), diags);
  }
  auto text = encryption.decrypt(bytes);
  if (text) return state::read_large_state(std::move(*text), diags);
  diags.error("Cannot decrypt the state")
      .detail(fmt::format("Reading {} failed: {}.", path, text.error().what));
  return std::nullopt;
}

}  // namespace tofu::commands

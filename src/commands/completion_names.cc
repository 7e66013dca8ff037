#include "commands/completion_names.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/backend.h"
#include "commands/context.h"
#include "diag/diagnostic.h"
#include "workdir/access.h"
#include "workdir/backend_record.h"
#include "workdir/backend_settings.h"
#include "workdir/workspace.h"

namespace tofu::commands {

namespace {

// A state in a file, as far as it can be read without a key: setting up encryption may run programs
// and call services, which is too much while the user types. Problems are not reported: then no
// names are offered.
class LocalState {
 public:
  explicit LocalState(const cli::Session& session)
      : access_(load_context(session), options_, session.terminal, session.cancellation) {
    const auto found = workdir::read_backend_record(access_.environment(), ignored_);
    if (!found || (found->record && found->record->type != "local")) return;
    backend_ = workdir::open_recorded(found->record, {}, encryption_.state(), access_, ignored_);
  }

  std::vector<std::string> workspaces() {
    auto names = backend_ ? backend_->workspaces(ignored_) : std::nullopt;
    return names ? std::move(*names) : std::vector<std::string>();
  }

  std::vector<std::string> addresses() {
    const std::string workspace = workdir::workspace_name(access_.environment());
    const auto store = backend_ ? backend_->open(workspace, ignored_) : nullptr;
    const auto stored = store ? store->read(ignored_) : std::nullopt;
    std::vector<std::string> addresses;
    if (!stored || !stored->state) return addresses;
    for (const state::Resource* resource : stored->state->resources_by_address()) {
      resource->for_each([&](const state::Instance& instance) {
        addresses.push_back(resource->address().to_string() + instance.key().to_string());
      });
    }
    return addresses;
  }

 private:
  diag::Diagnostics ignored_;
  workdir::ConfigurationOptions options_;
  workdir::StateAccess access_;
  workdir::CommandEncryption encryption_ = workdir::CommandEncryption::none();
  std::unique_ptr<backends::Backend> backend_;
};

}  // namespace

cli::CompletionNames completion_names(const cli::Session& session) {
  return {.addresses = [&session] { return LocalState(session).addresses(); },
          .workspaces = [&session] { return LocalState(session).workspaces(); }};
}

}  // namespace tofu::commands

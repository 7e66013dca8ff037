#include "commands/context.h"

namespace tofu::commands {

workdir::LoadContext load_context(const cli::Session& session) {
  return {.settings = session.settings,
          .sources = session.sources,
          .stop = session.cancellation.token(),
          .deprecation = session.terminal.view.deprecation,
          .deprecation_errors = session.terminal.view.deprecation_errors,
          .deprecation_baseline = session.terminal.view.deprecation_baseline};
}

Context::Context(const cli::Session& session, const workdir::ConfigurationOptions& configuration,
                 const workdir::LoadContext& context)
    : terminal(session.terminal),
      settings(session.settings),
      cancellation(session.cancellation),
      sources(session.sources),
      keep_alive(session.keep_alive),
      load(context),
      access(load, configuration, terminal, cancellation),
      providers(access) {}

}  // namespace tofu::commands

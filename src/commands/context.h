// The context of commands that work on a configuration or a state.
//
// A command makes one of these from the session and its own options, as the first thing it does.
// The parts below take what they use of it.
#pragma once

#include "cli/session.h"
#include "runs/run_providers.h"
#include "workdir/access.h"
#include "workdir/load_context.h"
#include "workdir/options.h"

namespace tofu::commands {

workdir::LoadContext load_context(const cli::Session& session);

// The options about the configuration among those of a command.
template <class Options>
const workdir::ConfigurationOptions& configuration_options(const Options& options) {
  if constexpr (requires { options.configuration; }) {
    return options.configuration;
  } else if constexpr (requires { options.change; }) {
    return options.change.configuration;
  } else {
    return options.run.change.configuration;
  }
}

// Lives as long as the function of the command. `options` outlive it.
class Context {
 public:
  template <class Options>
  Context(const cli::Session& session, const Options& options)
      : Context(session, configuration_options(options), load_context(session)) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const cli::Environment& environment() const { return settings.environment; }

  cli::Terminal& terminal;
  const cli::Settings& settings;
  cli::Cancellation& cancellation;
  diag::SourceMap& sources;
  cli::KeepAlive& keep_alive;
  const workdir::LoadContext load;
  workdir::StateAccess access;
  runs::RunProviders providers;  // ended with the command

 private:
  Context(const cli::Session& session, const workdir::ConfigurationOptions& configuration,
          const workdir::LoadContext& context);
};

}  // namespace tofu::commands

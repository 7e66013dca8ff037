// One plugin process, started here or reattached, and the calls to it.
//
// It starts with the first call, or before that with start(). Calls wait until it is ready; when it
// cannot be started, crashes or violates the protocol, each pending call fails with the reason, as
// a text for people: which provider, what happened, and the last lines of its log. There is no
// limit for how long a call takes: creating things takes as long as it does.
//
// Threads: any, except as said. Answers come on the thread of the loop.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "process/program_file.h"
#include "providers/grpc_connection.h"
#include "providers/handshake.h"
#include "providers/io_loop.h"
#include "providers/plugin_method.h"
#include "providers/plugin_process.h"
#include "providers/tls.h"

namespace tofu::providers {

// A process that another program starts and ends, such as a debugger.
struct Reattach {
  int protocol = 0;
  PluginAddress address = {};
};

// How a plugin is reached.
struct PluginSpec {
  std::string provider = {};    // its address, for messages
  std::string executable = {};  // empty: `reattach`
  std::optional<Reattach> reattach = {};
  // The file that is started, where it was checked; null: what is at the path of the executable.
  std::shared_ptr<const process::ProgramFile> program = {};
};

struct PluginSettings {
  bool uses_tls = true;
  base::Log log = {};           // ours
  base::Log provider_log = {};  // what plugins write
  // Variables for plugins, besides those that every plugin is given and ours.
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::chrono::milliseconds start_timeout = std::chrono::minutes(1);
  std::chrono::milliseconds stop_timeout = std::chrono::seconds(2);
  // After stop(): how long a plugin may show no sign of life while calls are under way.
  std::chrono::milliseconds silence_timeout = std::chrono::seconds(30);
  // Between two questions whether it still answers. gRPC's servers take more frequent ones for an
  // attack, and end the connection.
  std::chrono::milliseconds check_pause = std::chrono::minutes(6);
};

// Why a call has no answer.
struct PluginFailure {
  enum class Kind : std::uint8_t {
    NotImplemented,  // the plugin does not know the call
    Refused,         // the plugin answered with an error of gRPC
    Ended,           // there is no plugin, or no longer one
  };
  Kind kind = Kind::Ended;
  std::string summary;
  std::string detail;
  bool was_sent = false;  // so the plugin may have carried out the request
};

struct PluginAnswer {
  std::string message;  // empty after a failure
  std::optional<PluginFailure> failure;
};

// Large: one process from its start to its end, whose state every event on the loop needs.
class Plugin {
 public:
  using Answered = std::function<void(PluginAnswer)>;

  // With `asks_schema`, the schema is requested before the first call. Plugins need that unless
  // they declare otherwise. `loop` and `settings` outlive this, which is made anywhere and taken
  // apart on the loop's thread.
  Plugin(IoLoop& loop, const PluginSettings& settings, std::shared_ptr<const TlsIdentity> identity,
         PluginSpec place, bool asks_schema);
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;
  ~Plugin();

  const PluginSpec& place() const { return place_; }

  void start();
  void call(PluginMethod method, std::string request, Answered answered);
  // Asks the plugin to end its calls soon. They go on as long as they take, unless the plugin no
  // longer answers at all: then each of them is answered with that.
  void stop();
  // The plugin's schema response, with its protocol version. Only with `asks_schema`.
  using SchemaAnswered = std::function<void(int protocol, const PluginAnswer& answer)>;
  void schema(SchemaAnswered answered);
  // Asks the process to end and kills it if it does not; then calls `ended`. A reattached one is
  // left alone.
  void shut_down(std::function<void()> ended);

 private:
  enum class State : std::uint8_t { New, Starting, Running, Failing, Failed, Ending, Ended };

  struct Waiting {
    PluginMethod method;
    std::string request;
    Answered answered;
    bool was_sent = false;
  };

  // All of these are on the thread of the loop.
  void begin();
  void launch();
  void complete_handshake(const std::optional<std::string>& line);
  void connect(int protocol, const PluginAddress& address, std::string certificate);
  void health_check();
  void ask_schema();
  void run();
  void accept(Waiting call);
  void send(Waiting call);
  void end_call(Waiting& call, const GrpcEnd& end, std::string message);
  void listen_to_stdio();
  void check_alive();

  void fail(std::string why);  // it cannot be used any more
  void answer_all();
  PluginFailure failure(PluginMethod method, bool was_sent = false) const;
  void set_deadline(std::string why);
  void clear_deadline();
  void finish();

  IoLoop& loop_;
  const PluginSettings& settings_;
  std::shared_ptr<const TlsIdentity> identity_;
  PluginSpec place_;
  bool asks_schema_;
  bool is_stopping_ = false;  // stop() was called

  State state_ = State::New;
  PluginProcess process_;
  std::unique_ptr<GrpcConnection> connection_;
  int protocol_ = 6;  // until it is known
  std::optional<IoLoop::TimerId> deadline_;
  std::optional<IoLoop::TimerId> alive_;  // the next check, or the end of one
  std::vector<Waiting> waiting_;          // for it to be ready, or for why it is not
  std::optional<PluginAnswer> schema_;
  std::vector<SchemaAnswered> schema_wanted_;
  std::string why_;  // it failed
  std::optional<int> exit_status_;
  std::vector<std::function<void()>> on_ended_;
};

}  // namespace tofu::providers

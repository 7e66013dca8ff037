#include "providers/plugin.h"

#include <fmt/format.h>
#include <utility>

#include "providers/plugin_log.h"
#include "providers/proto/plugin.pb.h"

namespace tofu::providers {

namespace {

// The variable that shows a plugin that it was started as one, and not by a person.
constexpr const char* kCookieName = "TF_PLUGIN_MAGIC_COOKIE";
constexpr const char* kCookie = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";

// More of what a plugin says of an error helps no one.
constexpr std::size_t kMaxReason = 8192;

// OpenTofu accepts no larger schema either.
constexpr std::size_t kMaxSchemaSize = std::size_t{64} << 20;

std::string name_of(const PluginSpec& place) {
  const std::size_t slash = place.executable.rfind('/');
  if (place.executable.empty()) return place.provider;
  return slash == std::string::npos ? place.executable : place.executable.substr(slash + 1);
}

std::string ended_text(int status) {
  if (status > 128) return fmt::format("was ended by signal {}", status - 128);
  return fmt::format("ended with status {}", status);
}

// One line of what was printed where a handshake belongs.
std::string shown(std::string_view line) { return fmt::format("{:?}", beginning_of(line, 100)); }

}  // namespace

Plugin::Plugin(IoLoop& loop, const PluginSettings& settings,
               std::shared_ptr<const TlsIdentity> identity, PluginSpec place, bool asks_schema)
    : loop_(loop),
      settings_(settings),
      identity_(std::move(identity)),
      place_(std::move(place)),
      asks_schema_(asks_schema),
      process_(loop, name_of(place_), settings.provider_log) {}

Plugin::~Plugin() {
  clear_deadline();
  if (alive_) loop_.cancel(*alive_);
}

void Plugin::start() {
  loop_.post([this] { begin(); });
}

void Plugin::call(PluginMethod method, std::string request, Answered answered) {
  loop_.post([this, call = Waiting{method, std::move(request), std::move(answered)}]() mutable {
    accept(std::move(call));
  });
}

void Plugin::stop() {
  loop_.post([this] {
    accept({PluginMethod::Stop, {}, [](const PluginAnswer&) {}});
    is_stopping_ = true;
    if (!alive_) check_alive();
  });
}

// Asks again and again until it is ended. One that another process started may be standing in a
// debugger.
void Plugin::check_alive() {
  alive_.reset();
  if (state_ != State::Running || place_.reattach) return;
  alive_ = loop_.after(settings_.silence_timeout, [this] {
    alive_.reset();
    if (state_ != State::Running) return;
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(settings_.silence_timeout).count();
    connection_->close(
        fmt::format("it has been silent for {} s since it was asked to stop", seconds));
  });
  connection_->ping([this] {
    if (alive_) loop_.cancel(*alive_);
    alive_ = loop_.after(settings_.check_pause, [this] { check_alive(); });
  });
}

void Plugin::schema(SchemaAnswered answered) {
  loop_.post([this, answered = std::move(answered)]() mutable {
    begin();
    schema_wanted_.push_back(std::move(answered));
    if (schema_) {
      for (const auto& each : std::exchange(schema_wanted_, {})) each(protocol_, *schema_);
    } else if (state_ == State::Failed) {
      answer_all();
    }
  });
}

void Plugin::begin() {
  if (state_ != State::New) return;
  state_ = State::Starting;
  if (place_.reattach) {
    connect(place_.reattach->protocol, place_.reattach->address, {});
  } else {
    launch();
  }
}

void Plugin::launch() {
  std::vector<std::pair<std::string, std::string>> environment = {
      {kCookieName, kCookie},
      {"PLUGIN_MIN_PORT", "10000"},
      {"PLUGIN_MAX_PORT", "25000"},
      {"PLUGIN_PROTOCOL_VERSIONS", fmt::format("{}", fmt::join(kPluginProtocols, ","))},
  };
  environment.insert(environment.end(), settings_.environment.begin(), settings_.environment.end());
  if (settings_.uses_tls) environment.emplace_back("PLUGIN_CLIENT_CERT", identity_->certificate());
  set_deadline("it did not say where it listens");
  const auto started =
      process_.start({place_.executable, place_.program.get()}, environment,
                     [this](const std::optional<std::string>& line) { complete_handshake(line); });
  if (!started) return fail("it could not be started: " + started.error().what);
  settings_.log.debug([&] { return "Started the plugin " + place_.executable; });
}

void Plugin::complete_handshake(const std::optional<std::string>& line) {
  if (state_ != State::Starting) return;
  if (!line) return fail("it ended its output without saying where it listens");
  auto shaken = parse_handshake(*line);
  if (!shaken) return fail(fmt::format("{}: {}", shaken.error().what, shown(*line)));
  if (settings_.uses_tls && shaken->certificate.empty()) {
    return fail("it does not protect its connection with TLS");
  }
  connect(shaken->protocol, shaken->address, std::move(shaken->certificate));
}

void Plugin::connect(int protocol, const PluginAddress& address, std::string certificate) {
  protocol_ = protocol;
  std::unique_ptr<TlsSession> tls;
  if (!certificate.empty() && settings_.uses_tls) {
    auto made = TlsSession::make(identity_, std::move(certificate));
    if (!made) return fail(made.error().what);
    tls = std::move(*made);
  }
  auto socket = connect_plugin(address);
  if (!socket) {
    return fail(fmt::format("no connection to {}: {}", address.address, socket.error().what));
  }
  settings_.log.debug([&] {
    return fmt::format("Connecting to the plugin of {} at {}, protocol {}{}", place_.provider,
                       address.address, protocol, tls ? ", TLS" : "");
  });
  connection_ = GrpcConnection::open(loop_, std::move(*socket), std::move(tls),
                                     [this](std::string why) { fail(std::move(why)); });
  if (state_ == State::Starting) health_check();
}

// Makes sure that there is a server which answers. Not all have the health service.
void Plugin::health_check() {
  set_deadline("it does not answer");
  wire::HealthCheckRequest request;
  request.set_service("plugin");
  connection_->call({.path = "/grpc.health.v1.Health/Check",
                     .message = request.SerializeAsString(),
                     .on_message = [](const std::string&) {},
                     .on_end =
                         [this](const GrpcEnd& end) {
                           if (state_ != State::Starting || end.is_lost) return;
                           listen_to_stdio();
                           if (asks_schema_) return ask_schema();
                           run();
                         }});
}

void Plugin::listen_to_stdio() {
  connection_->call({.path = "/plugin.GRPCStdio/StreamStdio",
                     .message = {},
                     .on_message =
                         [this](const std::string& message) {
                           wire::StdioData data;
                           if (!data.ParseFromString(message)) return;
                           const bool is_output = data.channel() == wire::StdioData::STDOUT;
                           process_.log().unexpected(
                               is_output ? "standard output" : "standard error", data.data());
                         },
                     .on_end = [](const GrpcEnd&) {}});  // not all have it
}

void Plugin::ask_schema() {
  set_deadline("it does not answer when it is asked for its schema");
  auto message = std::make_shared<std::string>();
  connection_->call({.path = method_path(PluginMethod::GetSchema, protocol_),
                     .message = {},
                     .limit = kMaxSchemaSize,
                     .on_message = [message](std::string answer) { *message = std::move(answer); },
                     .on_end =
                         [this, message](const GrpcEnd& end) {
                           if (state_ != State::Starting || end.is_lost) return;
                           schema_.emplace();
                           Waiting call{PluginMethod::GetSchema, {}, [this](PluginAnswer answer) {
                                          *schema_ = std::move(answer);
                                        }};
                           end_call(call, end, std::move(*message));
                           run();
                         }});
}

void Plugin::run() {
  clear_deadline();
  state_ = State::Running;
  if (schema_) {
    for (const auto& each : std::exchange(schema_wanted_, {})) each(protocol_, *schema_);
  }
  for (Waiting& each : std::exchange(waiting_, {})) accept(std::move(each));
  if (is_stopping_) check_alive();
}

void Plugin::accept(Waiting call) {
  begin();
  switch (state_) {
    case State::New:
    case State::Starting:
    case State::Failing: waiting_.push_back(std::move(call)); return;
    case State::Running: send(std::move(call)); return;
    case State::Failed:
    case State::Ending:
    case State::Ended: call.answered({{}, failure(call.method)}); return;
  }
}

void Plugin::send(Waiting call) {
  auto message = std::make_shared<std::string>();
  GrpcCall made{.path = method_path(call.method, protocol_),
                .message = std::exchange(call.request, {}),
                .on_message = [message](std::string answer) { *message = std::move(answer); },
                .on_end = {}};
  made.on_end = [this, message, call = std::move(call)](const GrpcEnd& end) mutable {
    end_call(call, end, std::move(*message));
  };
  connection_->call(std::move(made));
}

void Plugin::end_call(Waiting& call, const GrpcEnd& end, std::string message) {
  if (end.is_ok()) {
    call.answered({std::move(message), std::nullopt});
    return;
  }
  call.was_sent = end.was_sent;
  if (end.is_lost) {
    // How the process ended is known in a moment.
    waiting_.push_back(std::move(call));
    if (state_ == State::Failed || state_ == State::Ended) answer_all();
    return;
  }
  PluginFailure why;
  why.kind = end.status == GrpcStatus::Unimplemented ? PluginFailure::Kind::NotImplemented
                                                     : PluginFailure::Kind::Refused;
  why.was_sent = end.was_sent && why.kind != PluginFailure::Kind::NotImplemented;
  why.summary = "The plugin could not answer";
  why.detail =
      fmt::format("The plugin of the provider {} answered the call {} with an error: {} (code {}).",
                  place_.provider, method_name(call.method, protocol_),
                  beginning_of(end.message, kMaxReason), end.code);
  call.answered({{}, std::move(why)});
}

void Plugin::set_deadline(std::string why) {
  clear_deadline();
  deadline_ = loop_.after(settings_.start_timeout, [this, why = std::move(why)] {
    deadline_.reset();
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(settings_.start_timeout).count();
    fail(fmt::format("{} within {} s", why, seconds));
  });
}

void Plugin::clear_deadline() {
  if (deadline_) loop_.cancel(*deadline_);
  deadline_.reset();
}

void Plugin::fail(std::string why) {
  if (state_ != State::Starting && state_ != State::Running) return;
  clear_deadline();
  const bool was_running = state_ == State::Running;
  state_ = State::Failing;
  why_ = std::move(why);
  settings_.log.warn([&] { return fmt::format("The plugin of {}: {}", place_.provider, why_); });
  // A process that crashed is about to say so. One that only fails to make sense is ended.
  if (!was_running && place_.executable.empty()) return answer_all();
  constexpr std::chrono::milliseconds kMoment{500};
  process_.await_end(was_running ? settings_.stop_timeout : kMoment,
                     [this](std::optional<int> status) {
                       exit_status_ = status;
                       process_.kill();
                       answer_all();
                     });
}

void Plugin::answer_all() {
  if (state_ != State::Ending && state_ != State::Ended) state_ = State::Failed;
  for (Waiting& each : std::exchange(waiting_, {})) {
    each.answered({{}, failure(each.method, each.was_sent)});
  }
  const PluginAnswer none{{}, failure(PluginMethod::GetSchema)};
  for (const auto& each : std::exchange(schema_wanted_, {})) each(protocol_, none);
}

PluginFailure Plugin::failure(PluginMethod method, bool was_sent) const {
  PluginFailure made;
  made.was_sent = was_sent;
  made.kind = PluginFailure::Kind::Ended;
  made.summary = "The plugin of a provider failed";
  made.detail = fmt::format("The plugin of the provider {} did not answer the call {}: {}.",
                            place_.provider, method_name(method, protocol_), why_);
  if (exit_status_) made.detail += fmt::format(" Its process {}.", ended_text(*exit_status_));
  const std::string lines = process_.log().last_lines();
  if (lines.empty()) {
    made.detail += " It wrote nothing to its log; TF_LOG_PROVIDER=debug may show more.";
  } else {
    made.detail += "\n\nThe last lines of its log:\n" + lines;
  }
  return made;
}

void Plugin::shut_down(std::function<void()> ended) {
  loop_.post([this, ended = std::move(ended)]() mutable {
    on_ended_.push_back(std::move(ended));
    if (state_ == State::Ending) return;
    const State before = std::exchange(state_, State::Ending);
    clear_deadline();
    why_ = "it was stopped";
    answer_all();
    if (!place_.executable.empty() && before == State::Running) {
      connection_->call({.path = "/plugin.GRPCController/Shutdown",
                         .message = {},
                         .on_message = [](const std::string&) {},
                         .on_end = [](const GrpcEnd&) {}});
      process_.await_end(settings_.stop_timeout, [this](std::optional<int>) { finish(); });
      return;
    }
    finish();
  });
}

void Plugin::finish() {
  state_ = State::Ended;
  process_.kill();
  if (connection_) connection_->close("it was closed");
  answer_all();
  for (const auto& each : std::exchange(on_ended_, {})) each();
}

}  // namespace tofu::providers

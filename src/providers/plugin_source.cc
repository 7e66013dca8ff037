#include "providers/plugin_source.h"

#include <condition_variable>
#include <fmt/format.h>
#include <future>
#include <latch>
#include <utility>

#include "base/check.h"
#include "providers/plugin_ask.h"
#include "providers/plugin_provider.h"

namespace tofu::providers {

// A provider whose schema is known.
struct PluginSource::Known {
  PluginPackage package;
  std::shared_ptr<PluginSchema> schema;
  std::shared_ptr<const PluginTypes> types;
  std::vector<Plugin*> spare;           // not configured; by mutex_
  std::unique_ptr<Provider> functions;  // what functions are called of; by mutex_
};

struct PluginSource::Loading {
  const PluginPackage* package;
  Plugin* plugin;
  int protocol = 0;
  PluginAnswer schema = {};
  PluginAnswer identities = {};
};

PluginSource::PluginSource(PluginSettings settings, std::string schema_directory,
                           std::string version)
    : settings_(std::move(settings)),
      cache_(std::move(schema_directory)),
      version_(std::move(version)) {}

PluginSource::~PluginSource() {
  for (auto& [provider, known] : known_) known->functions.reset();
  if (!loop_) return;
  std::latch ended(static_cast<std::ptrdiff_t>(plugins_.size()));
  for (const auto& plugin : plugins_) {
    plugin->shut_down([&] { ended.count_down(); });
  }
  ended.wait();
  loop_->run([&] { plugins_.clear(); });
}

bool PluginSource::make_identity(diag::Diagnostics& diags) {
  if (identity_ || !settings_.uses_tls) return true;
  auto made = TlsIdentity::make();
  if (made) {
    const std::lock_guard lock(mutex_);
    identity_ = std::move(*made);
    return true;
  }
  diags.error("Plugins cannot be started")
      .detail(fmt::format("No certificate for talking to plugins could be made: {}.",
                          made.error().what));
  return false;
}

Plugin& PluginSource::make_plugin(const PluginSpec& place, bool asks_schema) {
  if (!loop_) loop_ = std::make_unique<IoLoop>();
  return *plugins_.emplace_back(
      std::make_unique<Plugin>(*loop_, settings_, identity_, place, asks_schema));
}

bool PluginSource::know(const PluginPackage& package, SchemaBytes bytes,
                        std::vector<Problem>& problems) {
  auto schema = read_schema(std::move(bytes), problems);
  if (!schema) return false;
  auto known = std::make_unique<Known>();
  known->package = package;
  known->schema = std::move(schema);
  add_functions(*known);
  known->types = std::make_shared<const PluginTypes>(known->schema);
  const std::lock_guard lock(mutex_);
  known_.try_emplace(package.provider.to_string(), std::move(known));
  return true;
}

PluginSource::Known* PluginSource::find(const std::string& provider) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(provider);
  return found == known_.end() ? nullptr : found->second.get();
}

diag::Checked<void> PluginSource::load(std::span<const PluginPackage> packages,
                                       diag::Diagnostics& diags) {
  const std::lock_guard one_at_a_time(load_mutex_);
  if (!make_identity(diags)) return false;
  std::vector<Loading> loading;
  for (const PluginPackage& package : packages) {
    if (has(package.provider)) continue;
    std::vector<Problem> ignored;  // what is kept was good, or is asked for again
    auto kept = cache_.find(package.schema_key);
    if (kept && know(package, std::move(*kept), ignored)) continue;
    const std::lock_guard lock(mutex_);
    loading.push_back({&package, &make_plugin(package.place, true)});
  }
  ask_schemas(loading);
  bool ok = true;
  for (Loading& each : loading) ok &= finish(each, diags);
  return ok;
}

void PluginSource::ask_schemas(std::vector<Loading>& loading) {
  std::latch answered(static_cast<std::ptrdiff_t>(loading.size()));
  for (Loading& each : loading) {
    each.plugin->schema([&](int protocol, const PluginAnswer& answer) {
      each.protocol = protocol;
      each.schema = answer;
      if (answer.failure) return answered.count_down();
      each.plugin->call(PluginMethod::GetIdentitySchemas, {}, [&](PluginAnswer identities) {
        each.identities = std::move(identities);
        answered.count_down();
      });
    });
  }
  answered.wait();
}

namespace {

void add(const std::vector<Problem>& problems, const std::string& provider,
         diag::Diagnostics& diags) {
  for (const Problem& each : problems) {
    diag::Diagnostic made;
    made.severity = each.severity;
    made.summary = each.summary;
    made.detail = fmt::format("{}\n\nThis was found in the schema of the provider {}.", each.detail,
                              provider);
    diags.add(std::move(made));
  }
}

}  // namespace

bool PluginSource::finish(Loading& loading, diag::Diagnostics& diags) {
  const std::string provider = loading.package->provider.to_string();
  if (loading.schema.failure) {
    diags.error(loading.schema.failure->summary).detail(loading.schema.failure->detail);
    return false;
  }
  // Identities are an addition: a provider works without.
  if (loading.identities.failure) loading.identities.message.clear();
  const SchemaBytes bytes = own_schema(loading.protocol, std::move(loading.schema.message),
                                       std::move(loading.identities.message));
  const std::size_t errors = diags.error_count();
  std::vector<Problem> problems = check_schema(bytes);
  const bool is_known = know(*loading.package, bytes, problems);
  add(problems, provider, diags);
  if (!is_known || diags.error_count() != errors) return false;
  cache_.keep(loading.package->schema_key, bytes);
  release(*find(provider), *loading.plugin, false);
  return true;
}

bool PluginSource::has(const addrs::Provider& provider) const {
  return find(provider.to_string()) != nullptr;
}

const schema::ProviderSchema* PluginSource::schema(const std::string& provider) const {
  const Known* known = find(provider);
  return known == nullptr ? nullptr : &known->schema->schema;
}

Plugin& PluginSource::take(Known& known) {
  const std::lock_guard lock(mutex_);
  if (!known.spare.empty()) {
    Plugin& plugin = *known.spare.back();
    known.spare.pop_back();
    return plugin;
  }
  return make_plugin(known.package.place, !known.schema->schema_is_optional);
}

void PluginSource::release(Known& known, Plugin& plugin, bool was_configured) {
  if (was_configured) return plugin.shut_down([] {});
  const std::lock_guard lock(mutex_);
  known.spare.push_back(&plugin);
}

void PluginSource::start(const addrs::Provider& provider) {
  Known* known = find(provider.to_string());
  if (known == nullptr) return;
  Plugin& plugin = take(*known);
  plugin.start();
  release(*known, plugin, false);
}

std::unique_ptr<Provider> PluginSource::open(const addrs::Provider& provider) {
  Known* const found = find(provider.to_string());
  TOFU_CHECK(found != nullptr, "a provider is loaded before it is opened");
  Known& known = *found;
  Plugin& plugin = take(known);
  plugin.start();
  return std::make_unique<PluginProvider>(
      plugin, known.types, version_,
      [this, &known, &plugin](bool was_configured) { release(known, plugin, was_configured); });
}

Provider& PluginSource::for_functions(Known& known) {
  auto opened = open(known.package.provider);  // gone after the lock is, if it is not needed
  const std::lock_guard lock(mutex_);
  if (!known.functions) known.functions = std::move(opened);
  return *known.functions;
}

// Expressions are evaluated on threads that may wait. Functions are pure, so a process
// that is not configured does for them.
void PluginSource::add_functions(Known& known) {
  for (auto& [name, function] : known.schema->schema.functions) {
    function.body = [this, &known, called = name](syntax::Arguments arguments,
                                                  value::Type) -> syntax::CallResult<value::Value> {
      Provider& provider = for_functions(known);
      std::promise<FunctionAnswer> promise;
      auto answer = promise.get_future();
      provider.call_function(called, {arguments.begin(), arguments.end()},
                             [&](FunctionAnswer got) { promise.set_value(std::move(got)); });
      FunctionAnswer got = answer.get();
      if (got.error) return syntax::CallError{std::move(*got.error), got.argument};
      return std::move(got.result);
    };
  }
}

}  // namespace tofu::providers

#include "engine/provider_configs.h"

#include <future>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/overloaded.h"
#include "engine/answers.h"
#include "schema/layout.h"

namespace tofu::engine {

using value::Value;

ProviderConfigs::State& ProviderConfigs::add(const addrs::AbsProviderInstance& address,
                                             State state) {
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = all_.emplace(address, std::move(state));
  TOFU_CHECK(is_new, "a provider configuration is opened once");
  return place->second;
}

tasks::Async<bool> ProviderConfigs::is_accepted(providers::Provider& provider, Value config,
                                                const syntax::Body* body, std::string address,
                                                diag::Diagnostics& diags) {
  auto checked = co_await calls_.ask<providers::ConfigAnswer>(
      [&](auto done) { provider.validate_config(config, std::move(done)); });
  report(checked.problems, body, address, diags);
  if (checked.has_errors()) co_return false;
  auto answer = co_await calls_.ask<providers::Answer>(
      [&](auto done) { provider.configure(config, std::move(done)); });
  report(answer.problems, body, address, diags);
  co_return !answer.has_errors();
}

std::unique_ptr<providers::Provider> ProviderConfigs::open(
    const addrs::AbsProviderInstance& address, diag::Diagnostics& diags) {
  auto opened = source_.open(address.config.provider, diags);
  if (opened == nullptr) fail(address);
  return opened;
}

tasks::Async<ConfiguredProvider*> ProviderConfigs::configure_opened(
    addrs::AbsProviderInstance address, std::unique_ptr<providers::Provider> opened, Value config,
    const syntax::Body* body, diag::Diagnostics& diags) {
  providers::Provider& provider = *opened;
  State& state = add(address, New{std::move(opened)});
  const bool ok =
      co_await is_accepted(provider, config.deep_unmarked(), body, address.to_string(), diags);
  const std::lock_guard lock(mutex_);
  auto settled = std::move(std::get<New>(state).provider);
  if (!ok) {
    state = Failed{std::move(settled)};
    co_return nullptr;
  }
  state = ConfiguredProvider(std::move(address), std::move(settled));
  co_return &std::get<ConfiguredProvider>(state);
}

tasks::Async<diag::Checked<ConfiguredProvider*>> ProviderConfigs::configure(
    addrs::AbsProviderInstance address, Value config, const syntax::Body* body,
    diag::Diagnostics& diags) {
  auto opened = open(address, diags);
  if (opened == nullptr) co_return nullptr;
  co_return co_await configure_opened(std::move(address), std::move(opened), std::move(config),
                                      body, diags);
}

void ProviderConfigs::fail(const addrs::AbsProviderInstance& address) {
  (void)add(address, Failed{});
}

ConfiguredProvider* ProviderConfigs::open_substitute(const addrs::AbsProviderInstance& address) {
  auto provider = substitutes_ == nullptr ? nullptr : substitutes_->open(address);
  if (provider == nullptr) return nullptr;
  return &std::get<ConfiguredProvider>(
      add(address, ConfiguredProvider(address, std::move(provider))));
}

tasks::Async<ConfiguredProvider*> ProviderConfigs::open_default(addrs::Provider provider,
                                                                diag::Diagnostics& diags) {
  const tasks::Gate::Place alone = co_await default_gate_.enter();
  const addrs::AbsProviderInstance address{{{}, provider}};
  if (has_failed(address)) co_return nullptr;
  if (ConfiguredProvider* found = find(address)) co_return found;
  if (ConfiguredProvider* substitute = open_substitute(address)) co_return substitute;
  auto opened = open(address, diags);
  if (opened == nullptr) co_return nullptr;
  schema::Layouts layouts;
  const schema::Layout& layout = layouts.of(opened->schema().provider);
  std::vector<Value> parts;
  for (const schema::Part& part : layout.parts()) parts.push_back(part.absent);
  Value empty = layout.make(std::move(parts));
  co_return co_await configure_opened(address, std::move(opened), std::move(empty), nullptr, diags);
}

ConfiguredProvider* ProviderConfigs::find(const addrs::AbsProviderInstance& address) {
  const std::lock_guard lock(mutex_);
  const auto found = all_.find(address);
  return found == all_.end() ? nullptr : std::get_if<ConfiguredProvider>(&found->second);
}

bool ProviderConfigs::has_failed(const addrs::AbsProviderInstance& address) const {
  const std::lock_guard lock(mutex_);
  const auto found = all_.find(address);
  return found != all_.end() && std::holds_alternative<Failed>(found->second);
}

ConfiguredProvider& ProviderConfigs::substitute(const addrs::AbsResourceInstance& instance,
                                                ConfiguredProvider& real) {
  if (substitutes_ == nullptr) return real;
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = for_resources_.try_emplace({instance, &real});
  if (is_new) {
    if (auto made = substitutes_->for_resource(instance, real.address(), real.provider())) {
      place->second = ConfiguredProvider(real.address(), std::move(made));
    }
  }
  return place->second ? *place->second : real;
}

void ProviderConfigs::stop() {
  const std::lock_guard lock(mutex_);
  for (const auto& [address, state] : all_) {
    std::visit(base::Overloaded{[](const ConfiguredProvider& each) { each.provider().stop(); },
                                [](const auto& each) {
                                  if (each.provider != nullptr) each.provider->stop();
                                }},
               state);
  }
}

using value::Value;

const ProviderFunctions::Functions& ProviderFunctions::functions_of(ConfiguredProvider& provider) {
  const auto [place, is_new] = offered_.try_emplace(&provider);
  if (is_new) {
    std::promise<providers::FunctionsAnswer> promise;
    auto answer = promise.get_future();
    provider.provider().get_functions(
        [&](providers::FunctionsAnswer got) { promise.set_value(std::move(got)); });
    place->second = answer.get().functions;
  }
  return place->second;
}

const syntax::Function* ProviderFunctions::find(ConfiguredProvider& provider,
                                                const std::string& name,
                                                const syntax::Function* listed) {
  const std::lock_guard lock(mutex_);
  const auto known = made_.find({&provider, name});
  if (known != made_.end()) return &known->second;
  if (listed == nullptr) {
    const Functions& offered = functions_of(provider);
    const auto found = offered.find(name);
    if (found == offered.end()) return nullptr;
    listed = &found->second;
  }
  syntax::Function made = *listed;
  // Expressions are evaluated on threads that may wait.
  made.body = [&called = provider.provider(), name](syntax::Arguments arguments,
                                                    value::Type) -> syntax::CallResult<Value> {
    std::promise<providers::FunctionAnswer> promise;
    auto answer = promise.get_future();
    called.call_function(name, {arguments.begin(), arguments.end()},
                         [&](providers::FunctionAnswer got) { promise.set_value(std::move(got)); });
    providers::FunctionAnswer got = answer.get();
    if (got.error) return syntax::CallError{std::move(*got.error), got.argument};
    return std::move(got.result);
  };
  return &made_.emplace(std::pair(&provider, name), std::move(made)).first->second;
}

}  // namespace tofu::engine

#include "engine/provider_functions.h"

#include <future>
#include <vector>

namespace tofu::engine {

using value::Value;

const ProviderFunctions::Functions& ProviderFunctions::functions_of(ConfiguredProvider& provider) {
  const auto [place, is_new] = offered_.try_emplace(&provider);
  if (is_new) {
    std::promise<providers::FunctionsAnswer> promise;
    auto answer = promise.get_future();
    provider.provider->get_functions(
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
  made.body = [&called = *provider.provider, name](syntax::Arguments arguments,
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

// The functions of providers in one run: they are called on the configuration that the calling
// module means, which may offer more of them than the provider's schema lists.
//
// Threads: any. A configuration is asked for its functions once, when the first that is not
// listed is called; whoever asks meanwhile waits.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "engine/provider_pool.h"
#include "syntax/function.h"

namespace tofu::engine {

class ProviderFunctions {
 public:
  // The function `name` of a provider that is configured. `listed` is what its schema says of
  // the function, null if nothing. Null if there is no such function.
  const syntax::Function* find(ConfiguredProvider& provider, const std::string& name,
                               const syntax::Function* listed);

 private:
  using Functions = std::map<std::string, syntax::Function, std::less<>>;

  const Functions& functions_of(ConfiguredProvider& provider);

  std::mutex mutex_;                                        // for everything below
  std::map<const ConfiguredProvider*, Functions> offered_;  // what configurations list
  std::map<std::pair<const ConfiguredProvider*, std::string>, syntax::Function> made_;
};

}  // namespace tofu::engine

// expect: private constructor
#include "engine/provider_configs.h"

tofu::engine::ConfiguredProvider* use(tofu::engine::ProviderConfigs& configs,
                                      const tofu::addrs::AbsProviderInstance& address) {
#ifdef MISUSE
  static tofu::engine::ConfiguredProvider unconfigured(address, nullptr);
  return &unconfigured;
#else
  return configs.find(address);
#endif
}

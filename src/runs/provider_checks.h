// What providers say of a configuration before anything is planned.
//
// Every block is asked about as soon as it was evaluated, and the answers are waited for
// together: a thousand blocks take little longer than one.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "eval/validate.h"
#include "providers/provider.h"
#include "runs/run_providers.h"

namespace tofu::runs {

class ProviderChecks {
 public:
  explicit ProviderChecks(RunProviders& providers) : providers_(providers) {}
  ProviderChecks(const ProviderChecks&) = delete;
  ProviderChecks& operator=(const ProviderChecks&) = delete;
  ~ProviderChecks() { wait(); }

  // Asks the block's provider; one that is part of this program was asked by validate().
  void ask(eval::ConfiguredBlock block, diag::Diagnostics& diags);
  // Waits for all answers and adds what they say, in the order of asking. Every error is
  // reported once, as by validate(): nothing is reported for objects that wait for a block with
  // one.
  void report(const eval::Program& program, diag::Diagnostics& diags);

 private:
  struct Asked {
    eval::ObjectId object;
    const syntax::Body* body;
    std::string address;
    const config::Module* module;
    providers::Answer answer = {};
  };

  providers::Provider* provider(const addrs::Provider& address, diag::Diagnostics& diags);
  void wait();
  std::vector<bool> behind_errors(const eval::Program& program) const;

  RunProviders& providers_;
  std::map<addrs::Provider, std::unique_ptr<providers::Provider>> open_;
  std::vector<std::unique_ptr<Asked>> asked_;
  std::mutex mutex_;  // for what follows, and the answers until all are there
  std::condition_variable changed_;
  std::size_t missing_ = 0;
};

}  // namespace tofu::runs

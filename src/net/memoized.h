// A cache of results by key, each computed once.
//
// The first caller does the work; others with the same key wait for the result, and later ones get
// it at once. Failures are cached too. Safe to use from several threads.
#pragma once

#include <future>
#include <map>
#include <mutex>
#include <string>

namespace tofu::net {

template <class Answer>
class Memoized {
 public:
  template <class Work>
  Answer get(const std::string& question, const Work& work) {
    std::promise<Answer> promise;
    std::shared_future<Answer> answer;
    bool first = false;
    {
      const std::lock_guard held(lock_);
      const auto [place, is_new] = answers_.try_emplace(question);
      if (is_new) place->second = promise.get_future().share();
      answer = place->second;
      first = is_new;
    }
    if (first) promise.set_value(work());
    return answer.get();
  }

 private:
  std::mutex lock_;
  std::map<std::string, std::shared_future<Answer>> answers_;
};

}  // namespace tofu::net

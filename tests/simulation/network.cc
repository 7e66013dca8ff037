#include "tests/simulation/network.h"

#include <utility>

namespace tofu::simulation {

namespace {

class Client final : public backends::RemoteClient {
 public:
  Client(Network& network, Process& process, RequestWatch& watch)
      : network_(network), process_(process), watch_(watch) {}

  base::Result<std::optional<std::string>> get() override {
    std::optional<std::string> found;
    if (auto sent = send([&] { found = network_.state; }); !sent) return sent.error();
    return found;
  }
  base::Result<void> put(const std::string& bytes) override {
    return send([&] {
      network_.state = bytes;
      watch_.on_stored(process_, bytes);
    });
  }
  base::Result<void> remove() override {
    return send([&] { network_.state.reset(); });
  }
  bool has_locks() const override { return true; }
  backends::LockAnswer lock(backends::LockInfo& info) override {
    backends::LockAnswer answer;
    const auto sent = send([&] {
      answer = {};
      if (network_.lock) {
        answer = {backends::LockAnswer::Verdict::Held, network_.lock, "another run holds its lock"};
      } else {
        network_.lock = info;
      }
    });
    if (!sent) answer = {backends::LockAnswer::Verdict::Failed, {}, sent.error().what};
    return answer;
  }
  base::Result<void> unlock(const std::string& id) override {
    base::Result<void> answer;
    const auto sent = send([&] {
      answer = {};
      if (!network_.lock || network_.lock->id != id) {
        answer = base::Error{"it is not locked by this lock"};
      } else {
        network_.lock.reset();
      }
    });
    return sent ? answer : sent;
  }
  backends::LockHold holds(const std::string& id) override {
    auto hold = backends::LockHold::Lost;
    const auto sent = send([&] {
      hold = network_.lock && network_.lock->id == id ? backends::LockHold::Ours
                                                      : backends::LockHold::Lost;
    });
    return sent ? hold : backends::LockHold::Unknown;
  }

 private:
  base::Result<void> send(const std::function<void()>& effect) {
    if (!process_.is_alive) return base::Error{"the process is dead"};
    const RequestFate fate = watch_.on_request(process_);
    if (!process_.is_alive) return base::Error{"the process is dead"};
    switch (fate) {
      case RequestFate::Well: effect(); return {};
      case RequestFate::Twice:
        effect();
        effect();
        return {};
      case RequestFate::Lost: return base::Error{"the connection timed out"};
      case RequestFate::AnswerLost: effect(); return base::Error{"the connection was reset"};
      case RequestFate::Refused: return base::Error{"500 Internal Server Error"};
    }
    return {};
  }

  Network& network_;
  Process& process_;
  RequestWatch& watch_;
};

class Storage final : public backends::RemoteStorage {
 public:
  Storage(Network& network, Process& process, RequestWatch& watch)
      : network_(network), process_(process), watch_(watch) {}

  std::string identity() const override { return "a simulated store"; }
  base::Result<std::vector<std::string>> list() override { return std::vector<std::string>(); }
  std::unique_ptr<backends::RemoteClient> client(const std::string&) override {
    return std::make_unique<Client>(network_, process_, watch_);
  }

 private:
  Network& network_;
  Process& process_;
  RequestWatch& watch_;
};

}  // namespace

std::unique_ptr<backends::RemoteStorage> make_storage(Network& network, Process& process,
                                                      RequestWatch& watch) {
  return std::make_unique<Storage>(network, process, watch);
}

}  // namespace tofu::simulation

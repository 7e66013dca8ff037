#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "backends/kinds.h"
#include "state/state.h"
#include "tests/net/test_server.h"

namespace tofu::backends {
namespace {

using net::ServerReply;
using net::ServerRequest;
using std::chrono::steady_clock;
using value::Value;

steady_clock::time_point now;

// A server of one state that knows who holds its lock.
class HttpLock : public ::testing::Test {
 protected:
  ServerReply answer(const ServerRequest& request) {
    const std::lock_guard lock(mutex_);
    if (request.method == "LOCK") {
      if (!holder_.empty()) return {.status = 423, .body = names_holder_ ? holder_ : ""};
      holder_ = request.body;
      return {};
    }
    if (request.method == "UNLOCK") {
      holder_.clear();
      return {};
    }
    if (request.method == "POST") {
      state_ = request.body;
      return {};
    }
    return state_.empty() ? ServerReply{.status = 404} : ServerReply{.body = state_};
  }

  std::unique_ptr<Store> locked_store() {
    const Kind& http = *find_kind("http");
    std::vector<value::Attr> settings;
    for (const schema::Attribute& attribute : http.schema().attributes) {
      const bool is_address = attribute.name.ends_with("address");
      Value v = is_address ? Value::string(server_.url("/state")) : Value::null(attribute.type);
      if (attribute.name == "retry_max") v = Value::number(value::Number(0));
      settings.push_back({attribute.name, std::move(v)});
    }
    BackendContext context{.version = "1.0.0", .encryption = state::no_encryption()};
    context.clock = [] { return now; };
    backend_ = http.open(Value::object(std::move(settings)), context, diags_);
    if (!backend_) return nullptr;
    auto store = backend_->open("default", diags_);
    LockInfo info;
    info.id = "ours";
    if (!store || !store->read(diags_) || !store->lock(std::move(info), {}, diags_)) return nullptr;
    return store;
  }

  // A state that differs from all before.
  state::State next_state() {
    state::State state;
    state.outputs["n"] = {Value::number(value::Number(++count_)), false};
    return state;
  }
  bool write(Store& store) {
    state::State state = next_state();
    return store.write(state, diags_);
  }
  int requests(const std::string& method) const {
    int found = 0;
    for (const ServerRequest& each : server_.requests()) found += each.method == method ? 1 : 0;
    return found;
  }
  void set_holder(std::string holder) {
    const std::lock_guard lock(mutex_);
    holder_ = std::move(holder);
  }

  std::mutex mutex_;
  std::string holder_;
  std::string state_;
  bool names_holder_ = true;
  int count_ = 0;
  diag::Diagnostics diags_;
  std::unique_ptr<Backend> backend_;
  net::TestServer server_{[this](const ServerRequest& request) { return answer(request); }};
};

TEST_F(HttpLock, IsLookedAtAgainAfterALongPauseOnly) {
  const auto store = locked_store();
  ASSERT_NE(store, nullptr);
  EXPECT_TRUE(write(*store));
  EXPECT_EQ(requests("LOCK"), 1);
  now += std::chrono::minutes(10);
  EXPECT_TRUE(write(*store));
  EXPECT_EQ(requests("LOCK"), 2);
  EXPECT_TRUE(write(*store));
  EXPECT_EQ(requests("LOCK"), 2);
  EXPECT_FALSE(diags_.has_errors());
}

TEST_F(HttpLock, ThatAnotherRunHasKeepsTheStateFromBeingOverwritten) {
  const auto store = locked_store();
  ASSERT_NE(store, nullptr);
  EXPECT_TRUE(write(*store));
  const std::string before = state_;
  set_holder(R"({"ID":"theirs"})");
  now += std::chrono::minutes(10);
  EXPECT_FALSE(write(*store));
  EXPECT_EQ(state_, before);
  ASSERT_EQ(diags_.error_count(), 1U);
  EXPECT_EQ(diags_.items()[0].summary, "The lock on the state was lost");
}

TEST_F(HttpLock, ThatTheServerForgotIsTakenAgain) {
  for (const bool names_holder : {true, false}) {
    names_holder_ = names_holder;
    set_holder("");
    const auto store = locked_store();
    ASSERT_NE(store, nullptr);
    EXPECT_TRUE(write(*store));
    set_holder("");
    now += std::chrono::minutes(10);
    EXPECT_TRUE(write(*store)) << names_holder;
    EXPECT_FALSE(diags_.has_errors());
  }
}

TEST_F(HttpLock, OfAServerThatNamesNoHolderIsTrusted) {
  names_holder_ = false;
  const auto store = locked_store();
  ASSERT_NE(store, nullptr);
  now += std::chrono::minutes(10);
  EXPECT_TRUE(write(*store));
  EXPECT_FALSE(diags_.has_errors());
}

}  // namespace
}  // namespace tofu::backends

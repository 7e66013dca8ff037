#include "tests/simulation/cloud.h"

#include <fmt/format.h>
#include <utility>

#include "providers/in_process.h"
#include "schema/schema.h"

namespace tofu::simulation {

using providers::Done;
using value::Type;
using value::Value;

namespace {

enum class Use { Required, Optional, Computed };

schema::Attribute attribute(std::string name, Type type, Use use) {
  schema::Attribute out;
  out.name = std::move(name);
  out.type = type;
  out.required = use == Use::Required;
  out.optional = use == Use::Optional;
  out.computed = use == Use::Computed;
  return out;
}

schema::ProviderSchema make_schema() {
  schema::Attribute secret = attribute("secret", Type::string(), Use::Optional);
  secret.sensitive = true;
  schema::ResourceSchema thing;
  thing.block.attributes = {attribute("id", Type::string(), Use::Computed),
                            attribute("label", Type::string(), Use::Optional),
                            attribute("name", Type::string(), Use::Required),
                            std::move(secret),
                            attribute("token", Type::string(), Use::Computed),
                            attribute("uses", Type::list(Type::string()), Use::Optional),
                            attribute("zone", Type::string(), Use::Optional)};
  schema::ProviderSchema out;
  out.resources.emplace("sim_thing", std::move(thing));
  return out;
}

const schema::ProviderSchema& schema_of_provider() {
  static const schema::ProviderSchema kSchema = make_schema();
  return kSchema;
}

class Schemas final : public schema::ProviderSchemas {
 public:
  const schema::ProviderSchema* find(const std::string& provider) const override {
    return provider.ends_with("/sim") ? &schema_of_provider()
                                      : schema::builtin_schemas().find(provider);
  }
};

// Calls that change nothing are answered at once, by what exists.
class Reader final : public providers::InProcessProvider {
 public:
  explicit Reader(const Cloud& cloud) : InProcessProvider(schema_of_provider()), cloud_(cloud) {}

 protected:
  providers::ReadAnswer answer_read(const providers::ReadRequest& request) override {
    auto answer = InProcessProvider::answer_read(request);
    const auto found = cloud_.things.find(text_of(request.current, "id"));
    answer.object =
        found == cloud_.things.end() ? Value::null(request.current.type()) : found->second.object;
    return answer;
  }
  providers::PlanAnswer answer_plan(const providers::PlanRequest& request) override {
    auto answer = InProcessProvider::answer_plan(request);
    if (request.proposed.is_null()) return answer;
    if (request.prior.is_null()) {
      answer.planned = with(answer.planned, "id", Value::unknown(Type::string()));
      answer.planned = with(answer.planned, "token", Value::unknown(Type::string()));
    } else if (text_of(request.prior, "zone") != text_of(request.proposed, "zone")) {
      answer.requires_replace = {value::Path().with_attribute("zone")};
    }
    return answer;
  }

 private:
  const Cloud& cloud_;
};

class SimulatedProvider final : public providers::Provider {
 public:
  SimulatedProvider(Cloud& cloud, Process& process, Loop& loop, CallWatch& watch)
      : cloud_(cloud), process_(process), loop_(loop), watch_(watch), reader_(cloud) {}

  const schema::ProviderSchema& schema() const override { return reader_.schema(); }
  providers::Capabilities capabilities() const override { return {}; }
  void validate_config(Value config, Done<providers::ConfigAnswer> done) override {
    reader_.validate_config(std::move(config), std::move(done));
  }
  void validate_resource(std::string type, Value config, Done<providers::Answer> done) override {
    reader_.validate_resource(std::move(type), std::move(config), std::move(done));
  }
  void validate_data(std::string type, Value config, Done<providers::Answer> done) override {
    reader_.validate_data(std::move(type), std::move(config), std::move(done));
  }
  void validate_ephemeral(std::string type, Value config, Done<providers::Answer> done) override {
    reader_.validate_ephemeral(std::move(type), std::move(config), std::move(done));
  }
  void configure(Value config, Done<providers::Answer> done) override {
    reader_.configure(std::move(config), std::move(done));
  }
  void upgrade(providers::StoredObject stored, Done<providers::UpgradeAnswer> done) override {
    reader_.upgrade(std::move(stored), std::move(done));
  }
  void read(providers::ReadRequest request, Done<providers::ReadAnswer> done) override {
    reader_.read(std::move(request), std::move(done));
  }
  void plan(providers::PlanRequest request, Done<providers::PlanAnswer> done) override {
    reader_.plan(std::move(request), std::move(done));
  }
  void apply(providers::ApplyRequest request, Done<providers::ApplyAnswer> done) override;
  void import(providers::ImportRequest request, Done<providers::ImportAnswer> done) override {
    reader_.import(std::move(request), std::move(done));
  }
  void move(providers::MoveRequest request, Done<providers::MoveAnswer> done) override {
    reader_.move(std::move(request), std::move(done));
  }
  void read_data(providers::DataRequest request, Done<providers::DataAnswer> done) override {
    reader_.read_data(std::move(request), std::move(done));
  }
  void open(std::string type, Value config, Done<providers::OpenAnswer> done) override {
    reader_.open(std::move(type), std::move(config), std::move(done));
  }
  void renew(std::string type, providers::PrivateData data,
             Done<providers::RenewAnswer> done) override {
    reader_.renew(std::move(type), std::move(data), std::move(done));
  }
  void close(std::string type, providers::PrivateData data, Done<providers::Answer> done) override {
    reader_.close(std::move(type), std::move(data), std::move(done));
  }
  void call_function(std::string name, std::vector<Value> arguments,
                     Done<providers::FunctionAnswer> done) override {
    reader_.call_function(std::move(name), std::move(arguments), std::move(done));
  }
  void stop() override {}

 private:
  struct Call {
    providers::ApplyRequest request;
    Done<providers::ApplyAnswer> done;
    CallFate fate = CallFate::Well;
    providers::ApplyAnswer answer = {};
  };
  void carry_out(Call& call);
  void answer(Call& call);

  Cloud& cloud_;
  Process& process_;
  Loop& loop_;
  CallWatch& watch_;
  Reader reader_;
};

void SimulatedProvider::apply(providers::ApplyRequest request, Done<providers::ApplyAnswer> done) {
  auto call = std::make_shared<Call>(Call{std::move(request), std::move(done)});
  call->fate = watch_.on_call(process_);
  const auto delay = call->fate == CallFate::IsSlow ? std::chrono::milliseconds(30'000)
                                                    : std::chrono::milliseconds(0);
  loop_.after(delay + loop_.moment(), [this, call] {
    if (process_.is_alive || watch_.comes_late(process_)) carry_out(*call);
    loop_.after(loop_.moment(), [this, call] { answer(*call); });
  });
}

// The effect, and the answer that a good provider gives.
void SimulatedProvider::carry_out(Call& call) {
  const auto& [request, done, fate, ignored] = call;
  providers::ApplyAnswer& answer = call.answer;
  answer.private_data = request.planned_private;
  answer.identity = request.planned_identity;
  answer.object = request.prior;
  if (fate == CallFate::FailsBefore || fate == CallFate::CrashesBefore) return;
  const std::string id = text_of(request.prior, "id");
  if (request.planned.is_null()) {
    watch_.on_destroy(process_, id);
    cloud_.things.erase(id);
    answer.object = request.planned;
  } else if (request.prior.is_null()) {
    const std::string made = fmt::format("id-{}", ++cloud_.last_id);
    answer.object = with(request.planned, "id", Value::string(made));
    answer.object = with(answer.object, "token", Value::string("token-" + made));
    const std::string name = text_of(request.planned, "name");
    const bool is_unfinished = watch_.on_create(process_, name);
    const bool is_half_made =
        is_unfinished || fate == CallFate::FailsAfter || fate == CallFate::StaysUnknown;
    cloud_.things[made] = {answer.object, name, is_half_made};
  } else {
    watch_.on_update(process_, id);
    answer.object = request.planned;
    const auto found = cloud_.things.find(id);
    if (found != cloud_.things.end()) found->second.object = answer.object;
  }
}

void SimulatedProvider::answer(Call& call) {
  providers::ApplyAnswer& answer = call.answer;
  switch (call.fate) {
    case CallFate::Well:
    case CallFate::IsSlow: break;
    case CallFate::FailsBefore:
    case CallFate::FailsAfter:
      answer.problems.push_back(providers::problem("Refused", "The cloud refused the call."));
      break;
    case CallFate::CrashesBefore:
    case CallFate::CrashesAfter:
      answer.problems.push_back(providers::problem("Crashed", "The provider crashed."));
      answer.object = call.request.prior;
      answer.is_lost = true;
      break;
    case CallFate::StaysUnknown:
      if (!answer.object.is_null()) {
        answer.object = with(answer.object, "token", Value::unknown(Type::string()));
      }
      break;
  }
  if (!process_.is_alive) {
    // To a process that does not exist any more, any answer will do.
    answer = {};
    answer.problems.push_back(providers::problem("Killed", "The process was killed."));
    answer.object = call.request.prior;
  }
  call.done(std::move(answer));
}

}  // namespace

const schema::ProviderSchemas& schemas() {
  static const Schemas kSchemas;
  return kSchemas;
}

std::unique_ptr<providers::Provider> make_provider(Cloud& cloud, Process& process, Loop& loop,
                                                   CallWatch& watch) {
  return std::make_unique<SimulatedProvider>(cloud, process, loop, watch);
}

Value with(const Value& object, std::string_view name, Value item) {
  std::vector<Value> items(object.plain().items().begin(), object.plain().items().end());
  items[*object.type().attribute_index(name)] = std::move(item);
  return Value::object(object.type(), std::move(items));
}

std::string text_of(const Value& object, std::string_view name) {
  if (object.is_null() || object.is_unknown()) return {};
  const Value* found = object.plain().find(name);
  if (found == nullptr || found->kind() != value::Kind::String || !found->is_known()) return {};
  return std::string(found->plain().as_string());
}

}  // namespace tofu::simulation

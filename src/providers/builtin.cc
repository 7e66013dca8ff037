#include "providers/builtin.h"

#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "base/task.h"
#include "base/uuid.h"
#include "providers/in_process.h"
#include "providers/side_threads.h"
#include "value/convert.h"
#include "value/json.h"
#include "value/object_shape.h"

namespace tofu::providers {

namespace {

using value::Type;
using value::Value;

constexpr std::string_view kData = "terraform_data";
// As many states are read at a time as resources are changed.
constexpr std::size_t kMaxReading = 10;

// The places of terraform_data's attributes in its object.
struct DataPlaces {
  explicit DataPlaces(Type object)
      : id(*object.attribute_index("id")),
        input(*object.attribute_index("input")),
        output(*object.attribute_index("output")),
        trigger(*object.attribute_index("triggers_replace")) {}
  std::size_t id;
  std::size_t input;
  std::size_t output;
  std::size_t trigger;
};

// The shape of terraform_data's objects. Types of `any` attributes follow their values.
value::ObjectShape data_shape() {
  std::vector<std::string_view> names;
  const auto found = schema::builtin_terraform().resources.find(kData);
  for (const schema::Attribute& attribute : found->second.block.attributes) {
    names.push_back(attribute.name);
  }
  return value::ObjectShape(names);
}

class Builtin final : public InProcessProvider {
 public:
  explicit Builtin(ReadRemoteState remote_states)
      : InProcessProvider(schema::builtin_terraform()), remote_states_(std::move(remote_states)) {}

  void read_data(DataRequest request, Done<DataAnswer> done) override;
  Capabilities capabilities() const override {
    return {.moves_state = true, .objects_are_records = true};
  }

 protected:
  Answer answer_validate_resource(const std::string& type, const Value& config) override;
  UpgradeAnswer answer_upgrade(const StoredObject& stored) override;
  PlanAnswer answer_plan(const PlanRequest& request) override;
  ApplyAnswer answer_apply(const ApplyRequest& request) override;
  ImportAnswer answer_import(const ImportRequest& request) override;
  MoveAnswer answer_move(const MoveRequest& request) override;

 private:
  // Adds an error if a state cannot hold the object `items` once it has its output.
  void check_storable(std::vector<Value> items, const DataPlaces& at, PlanAnswer& answer) const;
  // An object of terraform_data from what is given; the rest is null.
  Value data_object(std::vector<value::Attr> given) const;

  ReadRemoteState remote_states_;
  value::ObjectShape data_ = data_shape();
  base::UuidSource ids_;
  SideThreads reading_{kMaxReading};  // last, so that it ends before what it uses
};

Answer Builtin::answer_validate_resource(const std::string&, const Value& config) {
  Answer answer;
  if (config.is_null() || config.is_unknown()) return answer;
  for (const std::string_view name : {"id", "output"}) {
    if (config.plain().find(name)->is_null()) continue;
    answer.problems.push_back(
        problem("Read-only attribute",
                fmt::format("{:?} is decided by the provider and cannot be set.", name)));
  }
  return answer;
}

// An output is mostly what the input is; then both are one value, however large.
UpgradeAnswer Builtin::answer_upgrade(const StoredObject& stored) {
  UpgradeAnswer answer = InProcessProvider::answer_upgrade(stored);
  constexpr std::size_t kLarge = 4096;
  if (answer.has_errors() || stored.json.size() < kLarge) return answer;
  const DataPlaces at(answer.object.type());
  const auto items = answer.object.plain().items();
  if (!raw_equal(items[at.input], items[at.output])) return answer;
  std::vector<Value> shared(items.begin(), items.end());
  shared[at.output] = shared[at.input];
  answer.object = data_.make(std::move(shared));
  return answer;
}

void Builtin::check_storable(std::vector<Value> items, const DataPlaces& at,
                             PlanAnswer& answer) const {
  if (!items[at.output].is_unknown()) return;
  items[at.output] = items[at.input];
  const auto unstorable = value::json_problem(data_.make(std::move(items)));
  if (!unstorable) return;
  answer.problems.push_back(problem(
      "Input cannot be stored",
      fmt::format("A state cannot hold the input and the output, which repeats it: {}. Give it a "
                  "smaller input.",
                  value::to_string(*unstorable))));
  answer.problems.back().attribute = value::Path().with_attribute("input");
}

PlanAnswer Builtin::answer_plan(const PlanRequest& request) {
  PlanAnswer answer = InProcessProvider::answer_plan(request);
  if (request.proposed.is_null()) return answer;
  const DataPlaces at(request.proposed.type());
  std::vector<Value> items(request.proposed.plain().items().begin(),
                           request.proposed.plain().items().end());
  const Value& input = items[at.input];
  const bool is_new = request.prior.is_null();
  const bool triggered =
      !is_new && !raw_equal(request.prior.plain().items()[at.trigger], items[at.trigger]);
  if (is_new || triggered) {
    items[at.id] = Value::unknown(Type::string()).refined_not_null();
    // The type of the output is that of the input, also where that is null.
    items[at.output] = input.is_null() ? input : Value::unknown(input.type());
    if (triggered) answer.requires_replace = {value::Path().with_attribute("triggers_replace")};
  } else if (!raw_equal(request.prior.plain().items()[at.input], input)) {
    items[at.output] = Value::unknown(input.type());
  } else {
    items[at.input] = request.prior.plain().items()[at.input];  // the same, kept only once
  }
  check_storable(items, at, answer);
  answer.planned = data_.make(std::move(items));
  return answer;
}

ApplyAnswer Builtin::answer_apply(const ApplyRequest& request) {
  ApplyAnswer answer = InProcessProvider::answer_apply(request);
  if (request.planned.is_null()) return answer;
  const DataPlaces at(request.planned.type());
  std::vector<Value> items(request.planned.plain().items().begin(),
                           request.planned.plain().items().end());
  if (items[at.output].is_unknown()) items[at.output] = items[at.input];
  if (items[at.id].is_unknown()) {
    const auto id = ids_.next();
    if (id) {
      items[at.id] = Value::string(*id);
    } else {
      answer.problems.push_back(problem("No id could be made", id.error().what));
    }
  }
  answer.object = data_.make(std::move(items));
  return answer;
}

Value Builtin::data_object(std::vector<value::Attr> given) const {
  for (const schema::Attribute& attribute :
       schema().resources.find(kData)->second.block.attributes) {
    bool is_given = false;
    for (const value::Attr& one : given) is_given |= one.name == attribute.name;
    if (!is_given) given.push_back({attribute.name, Value::null(attribute.type)});
  }
  return Value::object(std::move(given));
}

ImportAnswer Builtin::answer_import(const ImportRequest& request) {
  ImportAnswer answer;
  answer.objects.push_back(
      {request.type, data_object({{"id", Value::string(request.id)}}), {}, Value::null()});
  return answer;
}

// A null_resource becomes a terraform_data: what triggered the one triggers the other.
MoveAnswer Builtin::answer_move(const MoveRequest& request) {
  MoveAnswer answer{{}, Value::null(), request.source_private, Value::null()};
  if (request.source.type != "null_resource" || request.target_type != kData) {
    answer.problems.push_back(problem(
        "Objects of this type cannot be moved",
        fmt::format("Only objects of a null_resource can become those of a terraform_data, not "
                    "those of a {} those of a {}.",
                    request.source.type, request.target_type)));
    return answer;
  }
  const Type stored =
      Type::object({{"id", Type::string()}, {"triggers", Type::map(Type::string())}});
  const auto object = value::parse_json(request.source.json, stored);
  if (!object) {
    answer.problems.push_back(
        problem("Stored object is not a null_resource", value::to_string(object.error())));
    return answer;
  }
  std::vector<value::Attr> given;
  if (const Value* id = object->plain().find("id"); !id->is_null()) given.push_back({"id", *id});
  if (const Value* triggers = object->plain().find("triggers"); !triggers->is_null()) {
    std::vector<value::Attr> parts;
    value::for_each_element(triggers->plain(), [&](const Value& key, const Value& item) {
      parts.push_back({std::string(key.plain().as_string()), item});
    });
    given.push_back({"triggers_replace", Value::object(std::move(parts))});
  }
  answer.object = data_object(std::move(given));
  return answer;
}

void Builtin::read_data(DataRequest request, Done<DataAnswer> done) {
  if (!remote_states_) {
    return done({{{problem("Remote states cannot be read here",
                           "This command does not read the states of other configurations.")}},
                 Value::null()});
  }
  reading_.post([this, request = std::move(request), done = std::move(done)] {
    DataAnswer answer{{{problem("Internal error",
                                "Reading the remote state did not come to an end, "
                                "which is a bug in tofu.")}},
                      Value::null()};
    base::Task task;
    task.run([&] { answer = remote_states_(request); });
    done(std::move(answer));
  });
}

}  // namespace

std::unique_ptr<Provider> make_builtin(ReadRemoteState remote_states) {
  return std::make_unique<Builtin>(std::move(remote_states));
}

}  // namespace tofu::providers

#include "tests/providers/mock_provider.h"

#include <fmt/format.h>
#include <utility>

#include "value/json.h"

namespace tofu::providers {

using schema::Attribute;
using schema::Block;
using schema::NestedBlock;
using schema::NestedType;
using schema::Nesting;
using value::Type;
using value::Value;

std::map<std::string, Value> MockCloud::things() const {
  const std::lock_guard lock(mutex_);
  return things_;
}

void MockCloud::put(const std::string& id, Value thing) {
  const std::lock_guard lock(mutex_);
  things_.insert_or_assign(id, std::move(thing));
}

void MockCloud::remove(const std::string& id) {
  const std::lock_guard lock(mutex_);
  things_.erase(id);
}

void MockCloud::clear() {
  const std::lock_guard lock(mutex_);
  things_.clear();
  calls_.clear();
  next_id_ = 1;
}

std::vector<std::string> MockCloud::calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

void MockCloud::fail(std::string call) {
  const std::lock_guard lock(mutex_);
  failing_.insert(std::move(call));
}

void MockCloud::stop_failing() {
  const std::lock_guard lock(mutex_);
  failing_.clear();
}

bool MockCloud::note(std::string call) {
  const std::lock_guard lock(mutex_);
  const bool fails = failing_.contains(call);
  calls_.push_back(std::move(call));
  return fails;
}

std::string MockCloud::new_id() {
  const std::lock_guard lock(mutex_);
  return fmt::format("id-{}", next_id_++);
}

Value with_attribute(const Value& object, std::string_view name, Value item) {
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

namespace {

enum class Use { Required, Optional, Computed, OptionalComputed };

Attribute attribute(std::string name, Type type, Use use) {
  Attribute out;
  out.name = std::move(name);
  out.type = type;
  out.required = use == Use::Required;
  out.optional = use == Use::Optional || use == Use::OptionalComputed;
  out.computed = use == Use::Computed || use == Use::OptionalComputed;
  return out;
}

Attribute nested_attribute(std::string name, Nesting nesting) {
  auto inside = std::make_shared<NestedType>();
  inside->nesting = nesting;
  inside->attributes = {attribute("cidr", Type::string(), Use::Optional),
                        attribute("gateway", Type::string(), Use::Computed)};
  Attribute out = attribute(std::move(name), schema::type_of(*inside), Use::Optional);
  out.nested = std::move(inside);
  return out;
}

NestedBlock nested_block(std::string name, Nesting nesting) {
  auto inside = std::make_shared<Block>();
  inside->attributes = {attribute("size", Type::number(), Use::Optional),
                        attribute("state", Type::string(), Use::Computed)};
  return {std::move(name), std::move(inside), nesting, 0, 0};
}

schema::ResourceSchema thing() {
  Attribute secret = attribute("secret", Type::string(), Use::Optional);
  secret.sensitive = true;
  Attribute token = attribute("token", Type::string(), Use::Optional);
  token.write_only = true;
  Attribute old = attribute("old_name", Type::string(), Use::Optional);
  old.deprecated = true;
  schema::ResourceSchema out;
  out.block.attributes = {attribute("id", Type::string(), Use::Computed),
                          attribute("labels", Type::map(Type::string()), Use::Optional),
                          attribute("name", Type::string(), Use::Required),
                          std::move(old),
                          attribute("ports", Type::set(Type::number()), Use::Optional),
                          std::move(secret),
                          std::move(token),
                          attribute("zone", Type::string(), Use::OptionalComputed)};
  return out;
}

schema::ResourceSchema item() {
  schema::ResourceSchema out;
  out.block.attributes = {attribute("id", Type::string(), Use::Computed),
                          attribute("name", Type::string(), Use::Optional)};
  return out;
}

schema::ResourceSchema person() {
  schema::ResourceSchema out = item();
  out.identity = std::make_shared<const schema::IdentitySchema>(schema::IdentitySchema{
      .attributes = {{.name = "name", .type = Type::string(), .required_for_import = true},
                     {.name = "team", .type = Type::string(), .optional_for_import = true}},
      .version = 2});
  return out;
}

// What identifies a person; null for all else.
Value identity_of(const std::string& type, const Value& object) {
  if (type != "mock_person" || object.is_null()) return Value::null();
  return Value::object({{"name", *object.plain().find("name")}, {"team", Value::string("mock")}});
}

schema::ResourceSchema shapes() {
  schema::ResourceSchema out;
  out.block.attributes = {attribute("anything", Type::dynamic(), Use::Optional),
                          nested_attribute("attr_list", Nesting::List),
                          nested_attribute("attr_map", Nesting::Map),
                          nested_attribute("attr_set", Nesting::Set),
                          nested_attribute("attr_single", Nesting::Single),
                          attribute("id", Type::string(), Use::Computed)};
  out.block.blocks = {
      nested_block("block_group", Nesting::Group), nested_block("block_list", Nesting::List),
      nested_block("block_map", Nesting::Map), nested_block("block_set", Nesting::Set),
      nested_block("block_single", Nesting::Single)};
  return out;
}

schema::ResourceSchema list() {
  Attribute token = attribute("token", Type::string(), Use::Computed);
  token.sensitive = true;
  schema::ResourceSchema out;
  out.block.attributes = {attribute("ids", Type::list(Type::string()), Use::Computed),
                          attribute("prefix", Type::string(), Use::Optional), std::move(token)};
  return out;
}

schema::ResourceSchema lease() {
  schema::ResourceSchema out;
  out.block.ephemeral = true;
  out.block.attributes = {attribute("for", Type::string(), Use::Required),
                          attribute("password", Type::string(), Use::Computed)};
  return out;
}

// Every unknown inside becomes something that depends on nothing.
Value settled(const Value& v, const std::string& id) {
  if (v.wholly_known()) return v;
  if (v.is_unknown()) {
    return v.type() == Type::string() ? Value::string("made-by-" + id) : Value::null(v.type());
  }
  std::vector<Value> items;
  for (const Value& item : v.plain().items()) items.push_back(settled(item, id));
  switch (v.type().kind()) {
    case value::TypeKind::List: return Value::list(v.type().element(), std::move(items));
    case value::TypeKind::Set: return Value::set(v.type().element(), std::move(items));
    case value::TypeKind::Map:
      return Value::map(v.type().element(),
                        {v.plain().map_keys().begin(), v.plain().map_keys().end()},
                        std::move(items));
    case value::TypeKind::Tuple: return Value::tuple(std::move(items));
    case value::TypeKind::Object: return Value::object(v.type(), std::move(items));
    case value::TypeKind::Dynamic:
    case value::TypeKind::Bool:
    case value::TypeKind::Number:
    case value::TypeKind::String:
    case value::TypeKind::Capsule: break;
  }
  return v;
}

Type thing_type() {
  return mock_schema().resources.find("mock_thing")->second.block.implied_type();
}

class Mock final : public InProcessProvider {
 public:
  explicit Mock(MockCloud& cloud) : InProcessProvider(mock_schema()), cloud_(cloud) {}

 protected:
  Answer answer_validate_resource(const std::string& type, const Value& config) override {
    return edited(cloud_.script.validate, config,
                  noted(fmt::format("validate {} {}", type, text_of(config, "name"))));
  }
  Answer answer_configure(const Value& config) override {
    return edited(cloud_.script.configure, config, noted("configure"));
  }
  UpgradeAnswer answer_upgrade(const StoredObject& stored) override;
  ReadAnswer answer_read(const ReadRequest& request) override;
  PlanAnswer answer_plan(const PlanRequest& request) override;
  ApplyAnswer answer_apply(const ApplyRequest& request) override;
  ImportAnswer answer_import(const ImportRequest& request) override;
  MoveAnswer answer_move(const MoveRequest& request) override;
  DataAnswer answer_data(const DataRequest& request) override;
  OpenAnswer answer_open(const std::string& type, const Value& config) override;
  RenewAnswer answer_renew(const std::string& type, const PrivateData& data) override {
    RenewAnswer answer{noted(fmt::format("renew {} {}", type, data)), data, std::nullopt};
    return edited(cloud_.script.renew, data, std::move(answer));
  }
  Answer answer_close(const std::string& type, const PrivateData& data) override {
    return edited(cloud_.script.close, data, noted(fmt::format("close {} {}", type, data)));
  }
  void stop() override { cloud_.note("stop"); }

 private:
  Answer noted(const std::string& call) {
    if (!cloud_.note(call)) return {};
    return {{problem("Mock failure", fmt::format("The test asked {:?} to fail.", call))}};
  }
  template <class Request, class A>
  A edited(const MockScript::Edit<Request, A>& edit, const Request& request, A answer) {
    if (edit) edit(request, answer);
    return answer;
  }

  MockCloud& cloud_;
};

// Identities of old have another name for the name.
UpgradeAnswer Mock::answer_upgrade(const StoredObject& stored) {
  UpgradeAnswer answer = InProcessProvider::answer_upgrade(stored);
  if (stored.identity) {
    cloud_.note(fmt::format("upgrade identity {}", stored.identity->schema_version));
    const auto old = value::parse_json(stored.identity->json);
    answer.identity =
        Value::object({{"name", *old->plain().find("who")}, {"team", Value::null(Type::string())}});
  }
  return edited(cloud_.script.upgrade, stored, std::move(answer));
}

ReadAnswer Mock::answer_read(const ReadRequest& request) {
  ReadAnswer answer = InProcessProvider::answer_read(request);
  const std::string id = text_of(request.current, "id");
  answer.problems = noted(fmt::format("read {} {}", request.type, id)).problems;
  const auto things = cloud_.things();
  const auto found = things.find(id);
  answer.object = found == things.end() ? Value::null(request.current.type()) : found->second;
  answer.identity = identity_of(request.type, answer.object);
  return edited(cloud_.script.read, request, std::move(answer));
}

PlanAnswer Mock::answer_plan(const PlanRequest& request) {
  PlanAnswer answer = InProcessProvider::answer_plan(request);
  answer.problems =
      noted(fmt::format("plan {} {}", request.type, text_of(request.proposed, "name"))).problems;
  if (request.proposed.is_null()) {
    return edited(cloud_.script.plan, request, std::move(answer));
  }
  // What is write-only is kept nowhere.
  const Value* token = answer.planned.plain().find("token");
  if (token != nullptr) {
    answer.planned = with_attribute(answer.planned, "token", Value::null(Type::string()));
  }
  const Value* zone = request.proposed.plain().find("zone");
  if (request.prior.is_null()) {
    answer.planned = with_attribute(answer.planned, "id", Value::unknown(Type::string()));
    if (zone != nullptr && zone->is_null()) {
      answer.planned = with_attribute(answer.planned, "zone", Value::unknown(Type::string()));
    }
  } else if (zone != nullptr && !raw_equal(*zone, *request.prior.plain().find("zone"))) {
    // A thing cannot move to another zone.
    answer.requires_replace = {value::Path().with_attribute("zone")};
  }
  return edited(cloud_.script.plan, request, std::move(answer));
}

ApplyAnswer Mock::answer_apply(const ApplyRequest& request) {
  ApplyAnswer answer = InProcessProvider::answer_apply(request);
  const bool destroys = request.planned.is_null();
  const Value& about = destroys ? request.prior : request.planned;
  answer.problems = noted(fmt::format("{} {} {}", destroys ? "destroy" : "apply", request.type,
                                      text_of(about, "name")))
                        .problems;
  if (answer.has_errors()) {
    answer.object = request.prior;
  } else if (destroys) {
    cloud_.remove(text_of(request.prior, "id"));
  } else {
    std::string id = text_of(request.planned, "id");
    if (id.empty()) id = cloud_.new_id();
    answer.object = settled(with_attribute(request.planned, "id", Value::string(id)), id);
    cloud_.put(id, answer.object);
    answer.identity = identity_of(request.type, answer.object);
  }
  return edited(cloud_.script.apply, request, std::move(answer));
}

ImportAnswer Mock::answer_import(const ImportRequest& request) {
  ImportAnswer answer;
  answer.problems = noted(fmt::format("import {} {}", request.type, request.id)).problems;
  const std::string name = text_of(request.identity, "name");
  for (const auto& [id, thing] : cloud_.things()) {
    const bool is_meant = name.empty() ? id == request.id : text_of(thing, "name") == name;
    if (is_meant) {
      answer.objects.push_back({request.type, thing, {}, identity_of(request.type, thing)});
    }
  }
  return edited(cloud_.script.import, request, std::move(answer));
}

// A thing can become an item.
MoveAnswer Mock::answer_move(const MoveRequest& request) {
  if (request.source.type != "mock_thing" || request.target_type != "mock_item") {
    return InProcessProvider::answer_move(request);
  }
  MoveAnswer answer;
  answer.problems =
      noted(fmt::format("move {} {}", request.source.type, request.target_type)).problems;
  const auto thing = value::parse_json(request.source.json, thing_type());
  answer.object =
      Value::object({{"id", *thing->plain().find("id")}, {"name", *thing->plain().find("name")}});
  answer.private_data = request.source_private;
  answer.identity = Value::null();
  return edited(cloud_.script.move, request, std::move(answer));
}

DataAnswer Mock::answer_data(const DataRequest& request) {
  DataAnswer answer;
  answer.problems = noted("read_data " + request.type).problems;
  const std::string prefix = text_of(request.config, "prefix");
  std::vector<Value> ids;
  for (const auto& [id, thing] : cloud_.things()) {
    if (text_of(thing, "name").starts_with(prefix)) ids.push_back(Value::string(id));
  }
  answer.object =
      with_attribute(request.config, "ids", Value::list(Type::string(), std::move(ids)));
  return edited(cloud_.script.data, request, std::move(answer));
}

OpenAnswer Mock::answer_open(const std::string& type, const Value& config) {
  OpenAnswer answer;
  const std::string whose = text_of(config, "for");
  answer.problems = noted(fmt::format("open {} {}", type, whose)).problems;
  answer.result = with_attribute(config, "password", Value::string("pw-" + whose));
  answer.private_data = whose;
  return edited(cloud_.script.open, config, std::move(answer));
}

class MockSchemas final : public schema::ProviderSchemas {
 public:
  const schema::ProviderSchema* find(const std::string& provider) const override {
    if (provider.ends_with("/mock")) return &mock_schema();
    return schema::builtin_schemas().find(provider);
  }
};

schema::ProviderSchema make_schema() {
  schema::ProviderSchema out;
  out.provider.ephemeral = true;
  out.provider.attributes = {attribute("region", Type::string(), Use::Optional)};
  out.resources.emplace("mock_item", item());
  out.resources.emplace("mock_person", person());
  out.resources.emplace("mock_thing", thing());
  out.resources.emplace("mock_shapes", shapes());
  out.data_sources.emplace("mock_list", list());
  out.ephemeral_resources.emplace("mock_lease", lease());
  return out;
}

}  // namespace

const schema::ProviderSchema& mock_schema() {
  static const schema::ProviderSchema kSchema = make_schema();
  return kSchema;
}

std::unique_ptr<Provider> make_mock(MockCloud& cloud) { return std::make_unique<Mock>(cloud); }

const schema::ProviderSchemas& mock_schemas() {
  static const MockSchemas kSchemas;
  return kSchemas;
}

}  // namespace tofu::providers

#include <fmt/format.h>
#include <utility>

#include "engine/answers.h"
#include "engine/pass.h"
#include "plans/object_label.h"
#include "schema/consistency.h"
#include "schema/proposed.h"
#include "schema/selection.h"
#include "value/json.h"
#include "value/marks.h"

namespace tofu::engine {

using plans::Action;
using value::Value;

const schema::ResourceSchema* Pass::find_schema(const addrs::Provider& provider,
                                                const addrs::Resource& resource) const {
  const schema::ProviderSchema* found = program().schemas->find(provider.to_string());
  if (found == nullptr) return nullptr;
  return eval::find_resource_schema(*found, resource.mode, resource.type);
}

Value Pass::stored_value(const state::Object& object, const schema::ResourceSchema& schema) {
  const state::ObjectFields fields = object.fields();
  const auto read = value::parse_json(fields.attributes, schema.block.implied_type());
  if (!read) return Value::unknown(schema.block.implied_type());
  std::vector<schema::PathMarks> marks;
  for (const value::Path& path : fields.sensitive_paths) {
    marks.push_back({path, value::Marks::sensitive()});
  }
  return schema_marks(schema.block).apply(schema::mark(*read, marks));
}

Value Pass::without_result(const schema::ResourceSchema& schema,
                           const schema::Unmarked& arguments) {
  const Value planned = schema::planned_data(schema.block, arguments.value);
  return schema::mark(schema::unknown_as_null(planned), arguments.marks);
}

Pass::BlockFacts::BlockFacts(const schema::Block& block)
    : marks(block), write_only(schema::write_only_attributes(block)) {}

void Pass::find_declared_facts() {
  const schema::ResourceSchema* last = nullptr;
  for (const auto& shape : program().shapes) {
    for (const eval::Row& row : shape->rows()) {
      if (row.schema == nullptr || row.schema == last) continue;
      last = row.schema;
      declared_facts_.try_emplace(&last->block, last->block);
    }
  }
}

const Pass::BlockFacts& Pass::facts_of(const schema::Block& block) {
  const auto declared = declared_facts_.find(&block);
  if (declared != declared_facts_.end()) return declared->second;
  const std::lock_guard lock(facts_mutex_);
  return other_facts_.try_emplace(&block, block).first->second;
}

value::Type Pass::type_of(const schema::ResourceSchema* schema) {
  return schema == nullptr ? value::Type::dynamic() : schema->block.implied_type();
}

const schema::SchemaMarks& Pass::schema_marks(const schema::Block& block) {
  return facts_of(block).marks;
}

const schema::Selection& Pass::write_only(const schema::Block& block) {
  return facts_of(block).write_only;
}

Ticker::Id Pass::tick(plans::Subject subject, Action action, plans::ObjectLabel label) {
  return ticker_.started(
      [about = plans::ApplyProgress{std::move(subject), action, std::move(label), {}}](
          std::chrono::seconds elapsed) {
        plans::ApplyProgress now = about;
        now.elapsed = elapsed;
        return plans::Event(std::move(now));
      });
}

Async<std::optional<Value>> Pass::read_data(Source source, schema::Unmarked config,
                                            diag::Diagnostics& diags) {
  const std::string address = source.address.to_string();
  const std::string& type = source.address.object.resource.type;
  providers::Provider& provider = *source.provider.provider;
  const syntax::Body* body = &source.config.config;
  auto valid = co_await ask<providers::Answer>(
      [&](auto done) { provider.validate_data(type, config.value, std::move(done)); });
  report(valid.problems, body, address, diags);
  if (valid.has_errors()) co_return std::nullopt;
  const plans::Subject subject{source.address};
  inputs_.events.on(plans::ApplyStart{subject, Action::Read, {}});
  const Ticker::Id ticking = tick(subject, Action::Read, {});
  auto answer = co_await ask<providers::DataAnswer>([&](auto done) {
    provider.read_data({type, config.value, source.provider_meta, address}, std::move(done));
  });
  const auto elapsed = ticker_.ended(ticking);
  report(answer.problems, body, address, diags);
  if (answer.has_errors()) {
    inputs_.events.on(plans::ApplyErrored{subject, Action::Read, elapsed});
    co_return std::nullopt;
  }
  if (!is_read_well(source, answer.object, diags)) co_return std::nullopt;
  inputs_.events.on(
      plans::ApplyComplete{subject, Action::Read, plans::label_of(answer.object), elapsed});
  co_return schema_marks(source.schema.block).apply(schema::mark(answer.object, config.marks));
}

// Whether a provider may answer so when something is read or opened.
bool Pass::is_read_well(const Source& source, const Value& object, diag::Diagnostics& diags) const {
  const std::string address = source.address.to_string();
  const std::string provider = source.provider.address.config.provider.to_string();
  if (!has_its_type({source.address, source.provider, source.schema}, object, diags)) return false;
  if (object.is_null()) {
    diags.error("Provider produced null object")
        .detail(fmt::format("The provider {} answered {} with nothing. This is a bug in the "
                            "provider.",
                            provider, address));
    return false;
  }
  if (!object.wholly_known()) {
    diags.error("Provider produced invalid object")
        .detail(fmt::format("The provider {} left something unknown in {}. This is a bug in the "
                            "provider.",
                            provider, address));
    return false;
  }
  return true;
}

}  // namespace tofu::engine

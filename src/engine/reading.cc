#include "engine/reading.h"

#include <string>
#include <utility>

#include "engine/answers.h"
#include "schema/consistency.h"
#include "schema/proposed.h"

namespace tofu::engine {

using value::Value;

tasks::Async<std::optional<Value>> DataReader::read(ReadSource source, schema::Unmarked arguments,
                                                    diag::Diagnostics& diags) {
  const std::string address = source.address.to_string();
  const std::string& type = source.address.object.resource.type;
  providers::Provider& provider = source.provider.provider();
  const syntax::Body* body = &source.config.config;
  auto place = co_await run_.calls.enter();
  if (!place) co_return std::nullopt;
  auto valid = co_await run_.calls.ask<providers::Answer>(
      *place, [&](auto done) { provider.validate_data(type, arguments.value, std::move(done)); });
  report(valid.problems, body, address, diags);
  if (valid.has_errors()) co_return std::nullopt;
  Operation operation(std::move(*place), run_.observers, {source.address}, plans::Action::Read);
  auto answer = co_await run_.calls.ask<providers::DataAnswer>(operation.place(), [&](auto done) {
    provider.read_data({type, arguments.value, source.provider_meta, address}, std::move(done));
  });
  report(answer.problems, body, address, diags);
  const ResponseContext about{source.address, source.provider, source.schema};
  if (answer.has_errors() || !check_read_result(about, answer.object, diags)) {
    operation.fail();
    co_return std::nullopt;
  }
  Value result =
      run_.schemas.marks(source.schema.block).apply(schema::mark(answer.object, arguments.marks));
  operation.complete(plans::label_of(result));
  co_return result;
}

Value without_result(const schema::ResourceSchema& schema, const schema::Unmarked& arguments) {
  const Value planned = schema::planned_data(schema.block, arguments.value);
  return schema::mark(schema::unknown_as_null(planned), arguments.marks);
}

using eval::ObjectId;
using plans::EphemeralStep;
using value::Value;

EphemeralResources::EphemeralResources(RunContext& run)
    : run_(run), objects_(run.events, run.ticker) {
  for (const config::TreeNode& node : run.program.tree->nodes) {
    any_ = any_ || !node.module->ephemeral_resources.empty();
  }
}

tasks::Async<std::optional<Value>> EphemeralResources::open(ObjectId row, ReadSource source,
                                                            schema::Unmarked arguments,
                                                            diag::Diagnostics& diags) {
  const std::string address = source.address.to_string();
  const std::string& type = source.address.object.resource.type;
  providers::Provider& provider = source.provider.provider();
  const syntax::Body* body = &source.config.config;
  const auto place = co_await run_.calls.enter();
  if (!place) co_return std::nullopt;
  auto valid = co_await run_.calls.ask<providers::Answer>(*place, [&](auto done) {
    provider.validate_ephemeral(type, arguments.value, std::move(done));
  });
  report(valid.problems, body, address, diags);
  if (valid.has_errors()) co_return std::nullopt;
  const plans::Subject subject{source.address};
  run_.events.on(plans::EphemeralStart{subject, EphemeralStep::Open});
  const Ticker::Id ticking =
      run_.ticker.started([subject](std::chrono::seconds elapsed) -> plans::Event {
        return plans::EphemeralProgress{subject, EphemeralStep::Open, elapsed};
      });
  auto answer = co_await run_.calls.ask<providers::OpenAnswer>(
      *place, [&](auto done) { provider.open(type, arguments.value, std::move(done)); });
  const auto elapsed = run_.ticker.ended(ticking);
  report(answer.problems, body, address, diags);
  if (answer.has_errors()) co_return std::nullopt;
  // It is open, whatever is wrong with what was said of it.
  {
    const std::lock_guard lock(mutex_);
    open_[row].push_back(
        {address, objects_.keep({source.address, provider, std::move(answer.private_data),
                                 answer.renew_at})});
  }
  run_.events.on(plans::EphemeralComplete{subject, EphemeralStep::Open, elapsed});
  const ResponseContext about{source.address, source.provider, source.schema};
  if (!check_read_result(about, answer.result, diags)) co_return std::nullopt;
  co_return run_.schemas.marks(source.schema.block)
      .apply(schema::mark(answer.result, arguments.marks));
}

tasks::Async<void> EphemeralResources::close(ObjectId row, diag::Diagnostics& diags) {
  std::vector<Open> open;
  {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(row);
    if (found != open_.end()) open = std::move(open_.extract(found).mapped());
  }
  const auto close_one = [&](std::size_t i, diag::Diagnostics& own) -> tasks::Async<void> {
    const auto problems = co_await tasks::asking<std::vector<providers::Problem>>(
        run_.executor, [&](auto done) { objects_.close(open[i].id, std::move(done)); });
    report(problems, &run_.resource(row).config, open[i].address, own);
  };
  co_await run_.instances.for_each(open.size(), close_one, diags, InstanceLoop::OnStop::Continue);
}

tasks::Async<void> EphemeralResources::close_all(diag::Diagnostics& diags) {
  // What was opened last may need what was opened before it.
  std::vector<ObjectId> rows;
  for (const std::uint32_t row : run_.program.order) {
    if (open_.contains({row})) rows.push_back({row});
  }
  while (!rows.empty()) {
    co_await close(rows.back(), diags);
    rows.pop_back();
  }
}

}  // namespace tofu::engine

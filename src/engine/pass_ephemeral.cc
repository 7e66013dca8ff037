#include <utility>

#include "engine/pass.h"

namespace tofu::engine {

using eval::ObjectId;
using plans::EphemeralStep;
using value::Value;

Async<std::optional<Value>> Pass::open_ephemeral(ObjectId row, Source source,
                                                 schema::Unmarked config,
                                                 diag::Diagnostics& diags) {
  const std::string address = source.address.to_string();
  const std::string& type = source.address.object.resource.type;
  providers::Provider& provider = *source.provider.provider;
  const syntax::Body* body = &source.config.config;
  auto valid = co_await ask<providers::Answer>(
      [&](auto done) { provider.validate_ephemeral(type, config.value, std::move(done)); });
  report(valid.problems, body, address, diags);
  if (valid.has_errors()) co_return std::nullopt;
  const plans::Subject subject{source.address};
  inputs_.events.on(plans::EphemeralStart{subject, EphemeralStep::Open});
  const Ticker::Id ticking =
      ticker_.started([subject](std::chrono::seconds elapsed) -> plans::Event {
        return plans::EphemeralProgress{subject, EphemeralStep::Open, elapsed};
      });
  auto answer = co_await ask<providers::OpenAnswer>(
      [&](auto done) { provider.open(type, config.value, std::move(done)); });
  const auto elapsed = ticker_.ended(ticking);
  report(answer.problems, body, address, diags);
  if (answer.has_errors()) co_return std::nullopt;
  // It is open, whatever is wrong with what was said of it.
  {
    const std::lock_guard lock(open_mutex_);
    open_[row].push_back(
        {address, ephemerals_.keep({source.address, provider, std::move(answer.private_data),
                                    answer.renew_at})});
  }
  inputs_.events.on(plans::EphemeralComplete{subject, EphemeralStep::Open, elapsed});
  if (!is_read_well(source, answer.result, diags)) co_return std::nullopt;
  co_return schema_marks(source.schema.block).apply(schema::mark(answer.result, config.marks));
}

// Closes all instances of a resource.
Async<void> Pass::close_row(ObjectId row, diag::Diagnostics& diags) {
  std::vector<Open> open;
  {
    const std::lock_guard lock(open_mutex_);
    const auto found = open_.find(row);
    if (found != open_.end()) open = std::move(open_.extract(found).mapped());
  }
  const auto close_one = [&](std::size_t i, diag::Diagnostics& own) -> Async<void> {
    const auto problems = co_await asking<std::vector<providers::Problem>>(
        executor_, [&](auto done) { ephemerals_.close(open[i].id, std::move(done)); });
    report(problems, &resource_at(row).config, open[i].address, own);
  };
  co_await for_each(open.size(), close_one, diags, OnStop::GoOn);
}

Async<void> Pass::close_row_and_pass_on(ObjectId row, Walk& walk) {
  diag::Diagnostics diags;
  co_await close_row(row, diags);
  keep_found(row, std::move(diags));
  // Only now: its provider may have been configured with another one, which it needs to close.
  walk.pass_on(row.index);
}

bool Pass::let_go(std::uint32_t node, Walk& walk) {
  if (node >= program().objects.size()) return true;
  const ObjectId row{node};
  const eval::Object& object = program().object(row);
  if (object.kind == eval::ObjectKind::Provider) return !uses_providers_later();
  if (object.kind != eval::ObjectKind::Resource) return true;
  if (resource_at(row).mode != addrs::ResourceMode::Ephemeral) return true;
  executor_.start(close_row_and_pass_on(row, walk));
  return false;
}

Async<void> Pass::close_all(diag::Diagnostics& diags) {
  // What was opened last may need what was opened before it.
  std::vector<ObjectId> rows;
  for (const std::uint32_t row : program().order) {
    if (open_.contains({row})) rows.push_back({row});
  }
  while (!rows.empty()) {
    co_await close_row(rows.back(), diags);
    rows.pop_back();
  }
}

}  // namespace tofu::engine

#include "tests/engine/run_fixture.h"

#include <algorithm>
#include <utility>

#include "base/overloaded.h"
#include "value/json.h"

namespace tofu::engine {

namespace {

using plans::Action;

std::string_view word_of(Action action) {
  switch (action) {
    case Action::NoOp: return "keep";
    case Action::Create: return "create";
    case Action::Read: return "read";
    case Action::Update: return "update";
    case Action::DeleteThenCreate: return "replace";
    case Action::CreateThenDelete: return "replace, creating first,";
    case Action::ForgetThenCreate: return "replace, forgetting,";
    case Action::Delete: return "delete";
    case Action::Forget: return "forget";
  }
  return "";
}

std::string_view word_of(plans::EphemeralStep step) {
  switch (step) {
    case plans::EphemeralStep::Open: return "open";
    case plans::EphemeralStep::Renew: return "renew";
    case plans::EphemeralStep::Close: return "close";
  }
  return "";
}

std::string name(const plans::Subject& subject) {
  return subject.address.to_string() + (subject.deposed.empty() ? "" : " deposed");
}

std::string sentence_of(const plans::Event& event) {
  return std::visit(
      base::Overloaded{
          [](const plans::RefreshStart& e) { return "start refresh " + name(e.subject); },
          [](const plans::RefreshComplete& e) { return "end refresh " + name(e.subject); },
          [](const plans::ApplyStart& e) {
            return fmt::format("start {} {}", word_of(e.action), name(e.subject));
          },
          [](const plans::ApplyComplete& e) {
            return fmt::format("end {} {}", word_of(e.action), name(e.subject));
          },
          [](const plans::ApplyErrored& e) {
            return fmt::format("fail {} {}", word_of(e.action), name(e.subject));
          },
          [](const plans::EphemeralStart& e) {
            return fmt::format("start {} {}", word_of(e.step), name(e.subject));
          },
          [](const plans::EphemeralComplete& e) {
            return fmt::format("end {} {}", word_of(e.step), name(e.subject));
          },
          [](const plans::EphemeralDeferred& e) {
            return fmt::format(
                "defer {}, {}", name(e.subject),
                e.reason == plans::DeferReason::UnknownConfig ? "unknown" : "pending");
          },
          [](const plans::ImportProgress& e) {
            return fmt::format("import {} {}", name(e.subject), static_cast<int>(e.step));
          },
          [](const auto&) { return std::string(); },
      },
      event);
}

std::string attribute_of(const state::Object& object, std::string_view name) {
  const auto json = value::parse_json(object.attributes());
  return json ? providers::text_of(*json, name) : std::string();
}

}  // namespace

void EventLog::on(const plans::Event& event) {
  std::visit(
      [this](const auto& e) {
        if constexpr (requires { e.label.value; }) {
          if (e.label.empty()) return;
          const std::lock_guard lock(mutex_);
          labels_.push_back(e.label.key + "=" + e.label.value);
        }
      },
      event);
  std::string sentence = sentence_of(event);
  if (sentence.empty()) return;
  if (watch) watch(sentence);
  const std::lock_guard lock(mutex_);
  all_.push_back(std::move(sentence));
}

std::vector<std::string> EventLog::all() const {
  const std::lock_guard lock(mutex_);
  return all_;
}

std::vector<std::string> EventLog::labels() const {
  const std::lock_guard lock(mutex_);
  return labels_;
}

void EventLog::clear() {
  const std::lock_guard lock(mutex_);
  all_.clear();
  labels_.clear();
}

std::unique_ptr<providers::Provider> MockSource::open(const addrs::Provider& provider,
                                                      diag::Diagnostics&) {
  if (provider.type == "mock") return providers::make_mock(cloud_);
  return providers::make_builtin({});
}

RunInputs EngineRun::inputs() {
  return {.program = *program_,
          .functions = functions(),
          .facts = facts_,
          .providers = source_,
          .events = events_,
          .variables = variables_,
          .stop = stop_.get_token(),
          .parallelism = parallelism_,
          .threads = GetParam().threads,
          .shuffle = GetParam().shuffle};
}

const Planned& EngineRun::plan(const std::string& text, const PlanOptions& options) {
  diags_ = {};
  planned_.reset();
  program_.reset();
  write(".", text);
  program_.emplace(compiled());
  eval::validate(*program_, functions(), {}, diags_, eval::DeprecationLevel::None);
  EXPECT_THAT(shown(), ::testing::IsEmpty()) << "the configuration itself is good";
  facts_.applying = false;
  planned_.emplace(make_plan(inputs(), options, state_, diags_));
  return *planned_;
}

const Planned& EngineRun::plan_destroy(const std::string& text) {
  PlanOptions options;
  options.mode = plans::Mode::Destroy;
  return plan(text, options);
}

void EngineRun::apply(state::JournalWriter* journal) {
  diags_ = {};
  facts_.applying = true;
  StateWriter writer(planned_->prior, journal, {});
  state_ = apply_consuming(inputs(), *planned_, writer, diags_);
}

void EngineRun::make(const std::string& text, const PlanOptions& options) {
  plan(text, options);
  EXPECT_THAT(shown(), ::testing::IsEmpty());
  apply();
  EXPECT_THAT(shown(), ::testing::IsEmpty());
}

void EngineRun::destroy(const std::string& text) {
  PlanOptions options;
  options.mode = plans::Mode::Destroy;
  make(text, options);
}

std::vector<std::string> EngineRun::texts_of(
    const std::vector<plans::ResourceChange>& changes) const {
  std::vector<std::string> out;
  for (const plans::ResourceChange& change : changes) {
    if (change.action == Action::NoOp && change.previous() == nullptr &&
        change.importing() == nullptr) {
      continue;
    }
    std::string text =
        fmt::format("{} {}", word_of(change.action),
                    planned_->plan.addresses.instance(change.resource, change.key).to_string());
    if (!change.deposed().empty()) text += " deposed";
    if (change.previous() != nullptr) text += " from " + change.previous()->to_string();
    if (change.importing() != nullptr) text += " imported";
    if (change.reason != plans::ActionReason::None) {
      text += fmt::format(" ({})", plans::name_of(change.reason));
    }
    out.push_back(std::move(text));
  }
  std::ranges::sort(out);
  return out;
}

std::vector<std::string> EngineRun::objects() const {
  std::vector<std::string> out;
  for (const state::Resource* resource : state_.resources()) {
    resource->for_each([&](const state::Instance& each) {
      const std::string address = addrs::instance_of(resource->address(), each.key()).to_string();
      if (const state::Object* current = each.current()) {
        const bool is_tainted = current->status() == state::ObjectStatus::Tainted;
        out.push_back(fmt::format("{} {}{}", address, attribute_of(*current, "name"),
                                  is_tainted ? " tainted" : ""));
      }
      for (const auto& [key, deposed] : each.deposed()) {
        out.push_back(fmt::format("{} {} deposed", address, attribute_of(deposed, "name")));
      }
    });
  }
  std::ranges::sort(out);
  return out;
}

std::vector<std::string> EngineRun::outside() const {
  std::vector<std::string> out;
  for (const auto& [id, thing] : cloud_.things()) out.push_back(providers::text_of(thing, "name"));
  std::ranges::sort(out);
  return out;
}

std::vector<std::string> EngineRun::calls(std::string_view word) const {
  std::vector<std::string> out;
  for (const std::string& call : cloud_.calls()) {
    if (call.starts_with(word)) out.push_back(call);
  }
  return out;
}

std::size_t EngineRun::when(std::string_view call) const {
  const auto all = cloud_.calls();
  const auto found = std::ranges::find(all, call);
  EXPECT_NE(found, all.end()) << call;
  return static_cast<std::size_t>(found - all.begin());
}

const plans::ResourceChange* EngineRun::change(std::string_view address) const {
  for (const plans::ResourceChange& each : planned_->plan.changes) {
    const auto of = planned_->plan.addresses.instance(each.resource, each.key);
    if (of == instance(address) && each.deposed().empty()) return &each;
  }
  ADD_FAILURE() << "no change of " << address;
  return nullptr;
}

std::string EngineRun::after(std::string_view address, std::string_view attribute) const {
  const plans::ResourceChange* found = change(address);
  if (found == nullptr) return {};
  const value::Value plain = found->after.deep_unmarked();
  if (plain.is_null()) return "(nothing)";
  const value::Value* item = plain.plain().find(attribute);
  if (item == nullptr) return "(no such attribute)";
  if (item->is_unknown()) return "(unknown)";
  if (item->is_null()) return "(null)";
  return providers::text_of(plain, attribute);
}

}  // namespace tofu::engine

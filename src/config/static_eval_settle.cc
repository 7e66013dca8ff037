#include <fmt/format.h>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/overloaded.h"
#include "config/static_eval.h"
#include "syntax/analysis.h"

namespace tofu::config {

namespace {

using value::Value;

// OpenTofu reports a failed local again for each reference that leads to it. Likewise
// here, but not without end: their number can double with each local.
constexpr std::size_t kMaxRepeats = 100;
// How many names of a longer chain of references are shown at each end.
constexpr std::size_t kShownAtEachEnd = 4;

template <class T>
constexpr bool kIsPlanned =
    !std::is_same_v<T, addrs::LocalValue> && !std::is_same_v<T, addrs::InputVariable> &&
    !std::is_same_v<T, addrs::PathAttr> && !std::is_same_v<T, addrs::TerraformAttr> &&
    !std::is_same_v<T, addrs::FeatureBlock>;

bool is_planned(const addrs::Subject& subject) {
  return std::visit([]<class T>(const T&) { return kIsPlanned<T>; }, subject);
}

}  // namespace

// Resolves the names in an expression after its dependencies are settled.
class StaticEvaluator::Scope final : public syntax::Scope {
 public:
  explicit Scope(const StaticEvaluator& values) : values_(values) {}

  std::optional<Resolved> resolve(const syntax::Traversal& traversal,
                                  diag::Diagnostics& diags) const override {
    const auto reference = addrs::parse_reference(traversal, values_.module_, diags);
    if (!reference) return std::nullopt;
    if (std::holds_alternative<addrs::FeatureBlock>(reference->subject)) {
      return values_.names_.symbol(*reference, traversal, diags);
    }
    auto v =
        std::visit(base::Overloaded{
                       [&](const addrs::LocalValue& a) {
                         return known(values_.locals_, values_.module_.locals.find(a.name));
                       },
                       [&](const addrs::InputVariable& a) {
                         return known(values_.variables_, values_.module_.variables.find(a.name));
                       },
                       [&](const addrs::PathAttr& a) {
                         return values_.names_.path(a, reference->range, diags);
                       },
                       [&](const addrs::TerraformAttr& a) {
                         return values_.names_.terraform(a, reference->range, diags);
                       },
                       // Refused before anything is evaluated.
                       [&](const auto&) { return std::optional<Value>(); },
                   },
                   reference->subject);
    if (!v) return std::nullopt;
    return Resolved{std::move(*v), traversal.steps.size() - reference->remaining.size()};
  }

  const syntax::Function* function(std::string_view name) const override {
    return values_.names_.function(name);
  }
  const syntax::ImportedSymbols* symbols() const override { return values_.names_.symbols(); }
  std::vector<std::string_view> function_names() const override {
    return values_.names_.function_names();
  }
  bool is_interrupted() const override { return values_.names_.is_interrupted(); }

 private:
  template <class Slots, class Declared>
  static std::optional<Value> known(const Slots& slots, const Declared* declared) {
    const auto found = slots.find(declared);
    TOFU_CHECK(found != slots.end(), "an expression is evaluated after what it names");
    return found->second.value.value_or(Value::unknown());
  }

  const StaticEvaluator& values_;
};

std::optional<Value> StaticEvaluator::evaluate_by(Evaluate how, const syntax::Expr& expr,
                                                  Asking asking, diag::Diagnostics& diags) {
  const std::size_t from = log_.size();
  std::optional<Value> v;
  if (!settle({.expr = &expr, .asking = std::move(asking)}).failed) {
    const Scope scope(*this);
    v = how(expr, &scope, log_);
  }
  frames_.clear();
  pass_on(from, diags);
  return v;
}

void StaticEvaluator::pass_on(std::size_t from, diag::Diagnostics& diags) const {
  for (const diag::Diagnostic& each : log_.items().subspan(from)) diags.add(each);
}

StaticEvaluator::Frame& StaticEvaluator::settle(Frame first) {
  TOFU_CHECK(frames_.empty(), "one expression is settled at a time");
  open(std::move(first));
  while (true) {
    Frame& frame = frames_.back();
    if (frame.next < frame.names.size()) {
      settle_name(*frame.names[frame.next++], frame);  // may open another one
    } else if (frames_.size() > 1) {
      close();
    } else {
      return frame;
    }
  }
}

void StaticEvaluator::open(Frame frame) {
  frame.names = syntax::variables(*frame.expr);
  frame.log_begin = log_.size();
  if (frame.slot != nullptr) frame.slot->state = Slot::State::Open;
  frames_.push_back(std::move(frame));
  check_names(frames_.back());
}

// Evaluates the local whose references are settled, and lets the one that needs it go on.
void StaticEvaluator::close() {
  const Frame done = std::move(frames_.back());
  frames_.pop_back();
  Slot& slot = *done.slot;
  if (!done.failed) {
    const Scope scope(*this);
    slot.value = syntax::evaluate(*done.expr, &scope, log_);
  }
  slot.state = slot.value ? Slot::State::Known : Slot::State::Failed;
  slot.log_begin = done.log_begin;
  slot.log_end = log_.size();
  if (!slot.value && !frames_.empty()) need_failed(slot, done.asking.what, true, frames_.back());
}

// Invalid references and references to planned values are reported before evaluation; even try()
// does not get past it.
void StaticEvaluator::check_names(Frame& frame) {
  bool refused = false;
  for (const syntax::Traversal* traversal : frame.names) {
    const auto reference = addrs::parse_reference(*traversal, module_, log_);
    if (!reference) {
      frame.failed = true;
    } else if (is_planned(reference->subject)) {
      refuse_planned(*reference);
      refused = true;
    }
  }
  if (!refused) return;
  frame.failed = true;
  frame.next = frame.names.size();
}

void StaticEvaluator::settle_name(const syntax::Traversal& traversal, Frame& frame) {
  diag::Diagnostics reported;  // by check_names()
  const auto reference = addrs::parse_reference(traversal, module_, reported);
  if (!reference) return;
  const diag::SourceRange place = reference->range;
  std::visit(base::Overloaded{
                 [&](const addrs::LocalValue& a) { settle_local(a.name, place, frame); },
                 [&](const addrs::InputVariable& a) { settle_variable(a.name, place, frame); },
                 [&](const addrs::PathAttr& a) {
                   if (!names_.path(a, place, log_)) frame.failed = true;
                 },
                 [&](const addrs::TerraformAttr& a) {
                   if (!names_.terraform(a, place, log_)) frame.failed = true;
                 },
                 [&](const addrs::FeatureBlock&) {
                   if (!names_.symbol(*reference, traversal, log_)) frame.failed = true;
                 },
                 [](const auto&) {},
             },
             reference->subject);
}

void StaticEvaluator::settle_local(const std::string& name, diag::SourceRange place, Frame& frame) {
  const Local* declared = names_.local(name, place, log_);
  if (declared == nullptr) {
    frame.failed = true;
    return;
  }
  Slot& slot = locals_[declared];
  if (slot.state == Slot::State::Known) return;
  std::string what = full_name("local." + name);
  if (slot.state == Slot::State::New) {
    open({.expr = declared->expr, .slot = &slot, .asking = {std::move(what), declared->range}});
  } else if (slot.state == Slot::State::Failed) {
    need_failed(slot, what, repeat(slot), frame);
  } else {
    log_.error("Circular reference")
        .detail(fmt::format("{} depends on itself: {} uses {}.", what, chain(), what))
        .at(declared->range);
    frame.failed = true;
  }
}

void StaticEvaluator::settle_variable(const std::string& name, diag::SourceRange place,
                                      Frame& frame) {
  const Variable* declared = names_.variable(name, place, log_);
  if (declared == nullptr) {
    frame.failed = true;
    return;
  }
  if (!allows(*declared, place)) {
    frame.failed = true;
    return;
  }
  (void)settled(*declared, frame);
}

const std::optional<Value>& StaticEvaluator::settled(const Variable& variable, Frame& frame) {
  Slot& slot = variables_[&variable];
  const bool is_new = slot.state == Slot::State::New;
  if (is_new) settle(variable, slot);
  if (!slot.value) {
    need_failed(slot, full_name("var." + variable.name), is_new || repeat(slot), frame);
  }
  return slot.value;
}

void StaticEvaluator::settle(const Variable& variable, Slot& slot) {
  slot.log_begin = log_.size();
  if (auto given = given_(variable, log_)) {
    // A value of the wrong type is reported without a place and without its user, as in OpenTofu.
    slot.is_explained = !given->is_null();
    const auto at = slot.is_explained ? std::nullopt : std::optional(variable.range);
    slot.value = config::settle_variable(variable, std::move(*given), path_, at, log_);
  }
  slot.state = slot.value ? Slot::State::Known : Slot::State::Failed;
  slot.log_end = log_.size();
}

void StaticEvaluator::need_failed(const Slot& slot, const std::string& what, bool was_reported,
                                  Frame& frame) {
  frame.failed = true;
  if (!slot.is_explained || !was_reported) report_need(frame.asking, what);
}

bool StaticEvaluator::repeat(const Slot& slot) {
  const std::size_t length = slot.log_end - slot.log_begin;
  if (repeated_ + length > kMaxRepeats) return false;
  repeated_ += length;
  for (std::size_t i = slot.log_begin; i < slot.log_end; ++i) {
    log_.add(diag::Diagnostic(log_.items()[i]));
  }
  return true;
}

std::string StaticEvaluator::chain() const {
  std::string text;
  const std::size_t length = frames_.size();
  for (std::size_t i = 0; i < length; ++i) {
    if (i == kShownAtEachEnd && length > 2 * kShownAtEachEnd + 1) {
      i = length - kShownAtEachEnd;
      text += fmt::format(" uses ({} more)", i - kShownAtEachEnd);
    }
    text += (text.empty() ? "" : " uses ") + frames_[i].asking.what;
  }
  return text;
}

}  // namespace tofu::config

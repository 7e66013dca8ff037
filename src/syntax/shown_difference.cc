#include "syntax/shown_difference.h"

#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/json_writer.h"
#include "value/json.h"
#include "value/marks.h"
#include "value/value.h"

namespace tofu::syntax {

namespace {

using value::Kind;
using value::Value;

// Deeper values are not compared line by line.
constexpr int kDeepest = 1'000;

// Numbers for secrets, the same one for the same value.
class Secrets {
 public:
  std::string placeholder(const Value& v) {
    const auto [at, is_new] = numbers_.try_emplace(v.deep_unmarked(), numbers_.size() + 1);
    return fmt::format("(sensitive value {})", at->second);
  }

 private:
  struct Hash {
    std::size_t operator()(const Value& v) const { return static_cast<std::size_t>(v.hash()); }
  };
  struct Same {
    bool operator()(const Value& a, const Value& b) const { return value::raw_equal(a, b); }
  };
  std::unordered_map<Value, std::size_t, Hash, Same> numbers_;
};

bool is_container(const Value& v) {
  const Kind kind = v.unmarked().kind();
  return kind >= Kind::List && kind <= Kind::Object;
}

bool has_names(const Value& v) {
  const Kind kind = v.unmarked().kind();
  return kind == Kind::Map || kind == Kind::Object;
}

// Calls `on(name, item)` for each element of a map or object.
template <class On>
void for_each_named(const Value& v, On&& on) {
  value::for_each_element(v.unmarked(), [&](const Value& key, const Value& item) {
    on(key.unmarked().as_string(), item);
  });
}

// The documents about one side. One that cannot be written whole has failed.
class Documents {
 public:
  explicit Documents(Secrets& secrets) : secrets_(secrets) {}

  // The value: what is unknown is left out of objects and null in lists.
  std::string known(const Value& v) {
    return document([&](base::JsonWriter& json) { write_known(json, v); });
  }
  // True where a part is unknown, or sensitive. Plain parts that are not are left out of objects.
  std::string unknown(const Value& v) {
    const auto is_unknown = [](const Value& part) { return part.is_unknown(); };
    return document([&](base::JsonWriter& json) { write_parts(json, v, is_unknown); });
  }
  std::string sensitive(const Value& v) {
    const auto is_sensitive = [](const Value& part) { return part.marks().is_sensitive(); };
    return document([&](base::JsonWriter& json) { write_parts(json, v, is_sensitive); });
  }
  bool failed() const { return failed_; }

 private:
  template <class Write>
  std::string document(Write&& write) {
    std::string text;
    base::JsonWriter json(text);
    write(json);
    return text;
  }

  // Whether to go one level further down.
  bool enter() {
    if (depth_ >= kDeepest) failed_ = true;
    if (failed_) return false;
    ++depth_;
    return true;
  }

  void write_known(base::JsonWriter& json, const Value& v) {
    if (v.marks().is_sensitive()) return json.string(secrets_.placeholder(v));
    const value::Plain& plain = v.unmarked();
    if (plain.is_null() || plain.is_unknown()) return json.null();
    if (!is_container(v)) return write_scalar(json, plain);
    if (!enter()) return json.null();
    if (has_names(v)) {
      json.begin_object();
      for_each_named(v, [&](std::string_view name, const Value& item) {
        if (item.is_unknown() && !item.marks().is_sensitive()) return;
        json.key(name);
        write_known(json, item);
      });
      json.end_object();
    } else {
      json.begin_array();
      for (const Value& item : plain.items()) write_known(json, item);
      json.end_array();
    }
    --depth_;
  }

  void write_scalar(base::JsonWriter& json, const value::Plain& plain) {
    const auto text = value::to_json(plain);
    if (!text) failed_ = true;  // such as a capsule: there is no JSON for it
    json.raw(text ? *text : "null");
  }

  template <class IsTrue>
  void write_parts(base::JsonWriter& json, const Value& v, const IsTrue& is_true) {
    if (is_true(v) || !is_container(v)) return json.boolean(is_true(v));
    if (!enter()) return json.null();
    if (has_names(v)) {
      json.begin_object();
      for_each_named(v, [&](std::string_view name, const Value& item) {
        if (!is_true(item) && !is_container(item)) return;
        json.key(name);
        write_parts(json, item, is_true);
      });
      json.end_object();
    } else {
      json.begin_array();
      for (const Value& item : v.unmarked().items()) write_parts(json, item, is_true);
      json.end_array();
    }
    --depth_;
  }

  Secrets& secrets_;
  int depth_ = 0;
  bool failed_ = false;
};

}  // namespace

std::optional<diag::ShownDifference> shown_difference(const Expr& expr, const Scope* scope) {
  const auto* comparison = as_if<BinaryExpr>(expr);
  if (comparison == nullptr || comparison->op != BinaryOp::Equal) return std::nullopt;
  diag::Diagnostics ignored;  // it was evaluated before, so there is nothing new to report
  const auto left = evaluate(*comparison->left, scope, ignored);
  const auto right = evaluate(*comparison->right, scope, ignored);
  if (!left || !right || !left->wholly_known()) return std::nullopt;
  if (left->deep_marks().is_ephemeral() || right->deep_marks().is_ephemeral()) return std::nullopt;

  Secrets secrets;
  Documents documents(secrets);
  diag::ShownDifference shown;
  shown.before = documents.known(*left);
  if (!right->is_unknown()) shown.after = documents.known(*right);
  shown.after_unknown = right->wholly_known() ? "false" : documents.unknown(*right);
  shown.before_sensitive = documents.sensitive(*left);
  shown.after_sensitive = documents.sensitive(*right);
  if (documents.failed()) return std::nullopt;
  return shown;
}

}  // namespace tofu::syntax

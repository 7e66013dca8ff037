#include "functions/define.h"

#include <string>
#include <utility>

namespace tofu::functions {

namespace {

syntax::Parameter parameter(std::string_view name, value::Type type, Accepts accepts,
                            std::string_view description) {
  return {.name = std::string(name),
          .type = type,
          .description = std::string(description),
          .allow_null = accepts.null,
          .allow_unknown = accepts.unknown,
          .allow_dynamic = accepts.dynamic,
          .allow_marked = accepts.marked};
}

}  // namespace

Definition::Definition(List& list, std::string_view name, std::string_view description)
    : list_(list) {
  function_.name = name;
  function_.description = description;
  function_.result_not_null = true;
}

Definition& Definition::takes(std::string_view name, value::Type type, Accepts accepts,
                              std::string_view description) {
  function_.parameters.push_back(parameter(name, type, accepts, description));
  return *this;
}

Definition& Definition::takes_many(std::string_view name, value::Type type, Accepts accepts,
                                   std::string_view description) {
  function_.variadic = parameter(name, type, accepts, description);
  return *this;
}

Definition& Definition::gives(value::Type type) { return gives(syntax::always(type)); }

Definition& Definition::gives(TypeRule rule) {
  function_.result_type = std::move(rule);
  return *this;
}

Definition& Definition::may_give_null() {
  function_.result_not_null = false;
  return *this;
}

void Definition::as(Body body) {
  function_.body = std::move(body);
  list_.push_back(std::move(function_));
}

void Definition::as_lazy(Lazy lazy) {
  function_.lazy = std::move(lazy);
  list_.push_back(std::move(function_));
}

void Definition::as_in_scope(BodyInScope body) {
  function_.body_in_scope = std::move(body);
  list_.push_back(std::move(function_));
}

Definition define(List& list, std::string_view name, std::string_view description) {
  return Definition(list, name, description);
}

}  // namespace tofu::functions

#include "functions/table.h"

#include <algorithm>
#include <unordered_map>

#include "base/check.h"
#include "functions/families.h"

namespace tofu::functions {

struct Table::Inside {
  Environment environment;  // the bodies of functions refer to it
  List list;                // complete before anything points into it
  std::unordered_map<std::string_view, const syntax::Function*> by_name;

  void add_all() {
    list.reserve(140);
    add_numeric(list);
    add_string(list);
    add_format(list);
    add_regex(list);
    add_collection(list);
    add_set(list);
    add_conversion(list, environment);
    add_marks(list);
    add_encoding(list);
    add_csv(list);
    add_yaml(list);
    add_crypto(list, environment);
    add_date(list, environment);
    add_network(list);
    add_filesystem(list, environment);
    add_template(list, environment, [this](std::string_view name) { return find(name); });
  }

  const syntax::Function* find(std::string_view name) const {
    if (name.starts_with("core::")) name.remove_prefix(6);
    const auto found = by_name.find(name);
    return found == by_name.end() ? nullptr : found->second;
  }
};

Table::Table(Environment environment) : inside_(std::make_unique<Inside>()) {
  inside_->environment = std::move(environment);
  inside_->add_all();
  inside_->by_name.reserve(inside_->list.size());
  for (const syntax::Function& function : inside_->list) {
    const bool added = inside_->by_name.emplace(function.name, &function).second;
    TOFU_CHECK(added, "each function is added by one family");
  }
}

Table::~Table() = default;

const syntax::Function* Table::find(std::string_view name) const { return inside_->find(name); }

std::vector<std::string_view> Table::names() const {
  std::vector<std::string_view> names;
  names.reserve(inside_->list.size());
  for (const syntax::Function& function : inside_->list) names.push_back(function.name);
  std::ranges::sort(names);
  return names;
}

}  // namespace tofu::functions

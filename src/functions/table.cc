#include "functions/table.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "base/check.h"
#include "base/once.h"
#include "functions/families.h"

namespace tofu::functions {

namespace {

constexpr std::array<std::string_view, 17> kOutside{
    "abspath",          "bcrypt",     "file",       "filebase64",    "filebase64sha256",
    "filebase64sha512", "fileexists", "filemd5",    "fileset",       "filesha1",
    "filesha256",       "filesha512", "pathexpand", "plantimestamp", "templatefile",
    "timestamp",        "uuid"};

std::string_view plain_name(std::string_view name) {
  return name.starts_with("core::") ? name.substr(6) : name;
}

}  // namespace

bool depends_on_outside(std::string_view name) {
  return std::ranges::find(kOutside, plain_name(name)) != kOutside.end();
}

// Filled when the first function is asked for: many expressions call none.
struct Table::Impl {
  Environment environment;  // the bodies of functions refer to it
  base::Once filled;
  List list;  // complete before anything points into it
  std::unordered_map<std::string_view, const syntax::Function*> by_name;

  void fill() {
    filled.call([this] {
      add_all();
      by_name.reserve(list.size());
      for (const syntax::Function& function : list) {
        const bool added = by_name.emplace(function.name, &function).second;
        TOFU_CHECK(added, "each function is added by one family");
      }
    });
  }

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
    if (environment.self_contained) {
      std::erase_if(list, [](const syntax::Function& f) { return depends_on_outside(f.name); });
    }
  }

  const syntax::Function* find(std::string_view name) {
    fill();
    const auto found = by_name.find(plain_name(name));
    return found == by_name.end() ? nullptr : found->second;
  }
};

Table::Table(Environment environment) : impl_(std::make_unique<Impl>()) {
  impl_->environment = std::move(environment);
}

Table::~Table() = default;

const syntax::Function* Table::find(std::string_view name) const { return impl_->find(name); }

bool Table::is_interrupted() const { return impl_->environment.stop.stop_requested(); }

std::vector<std::string_view> Table::names() const {
  impl_->fill();
  std::vector<std::string_view> names;
  names.reserve(impl_->list.size());
  for (const syntax::Function& function : impl_->list) names.push_back(function.name);
  std::ranges::sort(names);
  return names;
}

}  // namespace tofu::functions

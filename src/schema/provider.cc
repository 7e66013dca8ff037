#include "schema/provider.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace tofu::schema {

value::Type IdentitySchema::type() const {
  std::vector<value::ObjectAttribute> parts;
  for (const IdentityAttribute& each : attributes) parts.push_back({each.name, each.type});
  return value::Type::object(std::move(parts));
}

value::Type IdentitySchema::import_type() const {
  std::vector<value::ObjectAttribute> parts;
  for (const IdentityAttribute& each : attributes) {
    parts.push_back({each.name, each.type, each.optional_for_import});
  }
  return value::Type::object(std::move(parts));
}

TypeSchemas::TypeSchemas(const TypeSchemas& other) { *this = other; }

TypeSchemas& TypeSchemas::operator=(const TypeSchemas& other) {
  if (this == &other) return *this;
  const std::lock_guard lock(other.mutex_);
  made_ = other.made_;
  missing_ = other.missing_;
  maker_ = other.maker_;
  return *this;
}

void TypeSchemas::announce(std::vector<std::string> types, std::shared_ptr<const Maker> maker) {
  for (std::string& type : types) missing_.insert(std::move(type));
  maker_ = std::move(maker);
}

void TypeSchemas::emplace(std::string type, ResourceSchema schema) {
  made_.emplace(std::move(type), std::move(schema));
}

void TypeSchemas::insert_or_assign(std::string type, ResourceSchema schema) {
  made_.insert_or_assign(std::move(type), std::move(schema));
}

TypeSchemas::const_iterator TypeSchemas::find(std::string_view type) const {
  if (!maker_) return made_.find(type);
  const std::lock_guard lock(mutex_);
  const auto missing = missing_.find(type);
  if (missing == missing_.end()) return made_.find(type);
  const auto made = made_.emplace(*missing, maker_->make(*missing)).first;
  missing_.erase(missing);
  return made;
}

const ResourceSchema& TypeSchemas::at(std::string_view type) const {
  const auto found = find(type);
  TOFU_CHECK(found != end(), "there is a type of that name");
  return found->second;
}

TypeSchemas::const_iterator TypeSchemas::begin() const {
  if (!maker_) return made_.begin();
  const std::lock_guard lock(mutex_);
  for (const std::string& type : missing_) made_.emplace(type, maker_->make(type));
  missing_.clear();
  return made_.begin();
}

std::size_t TypeSchemas::size() const {
  const std::lock_guard lock(mutex_);
  return made_.size() + missing_.size();
}

std::vector<std::string_view> TypeSchemas::names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string_view> names(missing_.begin(), missing_.end());
  for (const auto& [type, schema] : made_) names.push_back(type);
  std::ranges::sort(names);
  return names;
}

}  // namespace tofu::schema

// One object of a resource instance, as the state keeps it.
//
// Kept as text: the JSON members that a state file has for it, from "schema_version" on, compact
// and in OpenTofu's order. So an unchanged object is written as the bytes it was read from, two
// objects are the same if their texts are, and a journal holds what the state will hold. Many
// objects share the buffer of the file they came from. Attributes become a value only where the
// schema is known.
//
// Promise: the text of an Object was checked when it was made, so reading it
// cannot fail. Threads: an Object may be copied and read from any thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "addrs/resource.h"
#include "value/path.h"

namespace tofu::state {

enum class ObjectStatus : std::uint8_t { Ready, Tainted };

// An object taken apart. Code that makes a new object fills one in.
struct ObjectFields {
  ObjectStatus status = ObjectStatus::Ready;
  std::uint64_t schema_version = 0;
  std::string attributes = "{}";  // JSON of the value, by the schema of that version
  // Instead of `attributes`, from states before version 4: providers upgrade it.
  std::optional<std::map<std::string, std::string>> attributes_flat = {};
  std::vector<value::Path> sensitive_paths = {};
  std::string private_data = {};  // the provider's own bytes
  std::vector<addrs::ConfigResource> dependencies = {};
  bool create_before_destroy = false;
  bool skip_destroy = false;
  std::string identity = {};  // JSON; empty if there is none
  std::optional<std::uint64_t> identity_schema_version = {};
  std::string unknown = {};  // further members, as an Object has them; see UnknownMembers
};

// Properties of the JSON in ObjectFields: anything that is well-formed, or that it is as
// value::to_json() writes it, so that no other code has to check it again.
enum class JsonForm : std::uint8_t { Any, Compact };

class Object {
 public:
  Object() = default;  // no object
  explicit Object(const ObjectFields& fields, JsonForm form = JsonForm::Any);
  // `text` lies in `buffer`, and is exactly what members_text() makes.
  Object(std::shared_ptr<const std::string> buffer, std::string_view text, ObjectStatus status)
      : buffer_(std::move(buffer)), text_(text), status_(status) {}

  explicit operator bool() const { return !text_.empty(); }

  ObjectStatus status() const { return status_; }
  Object with_status(ObjectStatus status) const;
  Object with_dependencies(const std::vector<addrs::ConfigResource>& dependencies) const;

  // The members of the JSON object, without braces.
  std::string_view text() const { return text_; }
  std::uint64_t schema_version() const;
  // Compact JSON, valid while a copy of the object lives. Empty for an object that
  // has flat attributes only.
  std::string_view attributes() const;
  std::vector<addrs::ConfigResource> dependencies() const;
  // As JSON; the same for objects that depend on the same. Valid as attributes() is.
  std::string_view dependencies_text() const;
  bool create_before_destroy() const;
  // Members that this version does not know, without braces. Valid as attributes() is.
  std::string_view unknown() const;
  ObjectFields fields() const;
  // Without `attributes` and `attributes_flat`, which may be large.
  ObjectFields fields_but_attributes() const;

  bool operator==(const Object& other) const {
    return text_ == other.text_ && status_ == other.status_;
  }

 private:
  // Shared: the objects of one file have one buffer, and snapshots of the state on
  // several threads keep them alive.
  std::shared_ptr<const std::string> buffer_;
  std::string_view text_;  // in *buffer_
  ObjectStatus status_ = ObjectStatus::Ready;
};

// The members of an object as a state file has them, each as JSON text; empty where a member is
// absent. Filled in by the reader of state files.
struct ObjectMembers {
  std::uint64_t schema_version = 0;
  std::string_view attributes = {};
  std::string_view attributes_flat = {};
  std::string_view sensitive_attributes = "[]";
  std::string_view private_data = {};  // base64 in quotes
  std::string_view dependencies = {};
  bool create_before_destroy = false;
  bool skip_destroy = false;
  std::string_view identity = {};
  std::optional<std::uint64_t> identity_schema_version = {};
  std::string_view unknown = {};  // members that this version does not know, without braces
};

void append_members(std::string& out, const ObjectMembers& members);

}  // namespace tofu::state

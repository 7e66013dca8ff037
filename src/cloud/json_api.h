// Documents of JSON:API, as the service sends and takes them.
//
// A document has one resource or a list of them: a type, an ID, attributes and names of other
// resources. Responses are not trusted: an attribute that is missing or of another type counts as
// empty, and the caller checks for required ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "value/value.h"

namespace tofu::cloud {

struct Resource {
  std::string type;
  std::string id;
  value::Value attributes;     // an object
  value::Value relationships;  // likewise

  std::string text(std::string_view name) const;
  bool flag(std::string_view name) const;
  std::int64_t number(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;
  // Null if it is missing or null.
  const value::Value* attribute(std::string_view name) const;
  // Inside an attribute that is an object.
  bool flag(std::string_view object, std::string_view name) const;

  // The ID of the resource that a relationship names; empty if there is none.
  std::string related(std::string_view name) const;
  std::vector<std::string> all_related(std::string_view name) const;
};

struct Document {
  std::vector<Resource> data;      // one, unless it is a list
  std::vector<Resource> included;  // others that were requested
  std::int64_t next_page = 0;      // of a list; 0 after the last
};

// An error if it is not JSON, or has no data of that form.
base::Result<Document> read_document(std::string_view json);

// The messages of an error document, one clause each; empty if it is none. A line at most, and
// nothing that could confuse a terminal.
std::vector<std::string> read_errors(std::string_view json);

// A document to send: one resource.
class Draft {
 public:
  explicit Draft(std::string_view type) : type_(type) {}

  Draft& set(std::string_view name, std::string_view text);
  Draft& set(std::string_view name, const char* text) { return set(name, std::string_view(text)); }
  Draft& set(std::string_view name, bool value);
  Draft& set(std::string_view name, std::int64_t number);
  Draft& set(std::string_view name, const std::vector<std::string>& texts);
  Draft& set_json(std::string_view name, std::string json);
  Draft& relate(std::string_view name, std::string_view type, std::string_view id);
  // Several of a type, by a name that each has.
  Draft& relate_named(std::string_view name, std::string_view type,
                      const std::vector<std::string>& names);

  std::string json() const;

 private:
  using Parts = std::vector<std::pair<std::string, std::string>>;  // names and JSON

  std::string type_;
  Parts attributes_;
  Parts relationships_;
};

// A list of resources of a type to send, each by its name.
std::string named_list_json(std::string_view type, const std::vector<std::string>& names);

}  // namespace tofu::cloud

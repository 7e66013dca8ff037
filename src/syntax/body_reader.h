// How bodies of each syntax are read: the halves of syntax/body.h that differ.
//
// Nothing here keeps state between calls. Private to this component: they ask a Body, which knows
// its own syntax.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "diag/diagnostic.h"
#include "syntax/body.h"

namespace tofu::syntax {

// Names that an earlier partial_content() took. JSON does not distinguish attributes from blocks,
// so its names are all in `attributes`.
struct Body::Hidden {
  std::vector<std::string> attributes;
  std::vector<std::string> blocks;
};

// The parts of a merged body, in order.
struct Body::Merged {
  enum class Kind : std::uint8_t { Joined, Overridden };
  Kind kind;
  std::vector<Body> parts;  // at least two
};

// Finds names in a schema. Few are compared one by one, many are hashed.
class SchemaIndex {
 public:
  explicit SchemaIndex(const BodySchema& schema);
  const AttributeSchema* attribute(std::string_view name) const;
  const BlockSchema* block(std::string_view type) const;

 private:
  const BodySchema& schema_;
  std::unordered_map<std::string_view, const AttributeSchema*> attributes_;
  std::unordered_map<std::string_view, const BlockSchema*> blocks_;
};

// A set of names; hashed for the same reason.
class NameSet {
 public:
  NameSet() = default;
  explicit NameSet(const std::vector<std::string>& names);
  bool contains(std::string_view name) const;

 private:
  const std::vector<std::string>* few_ = nullptr;
  std::unordered_map<std::string_view, bool> many_;
};

struct BodyReader {
  // Reads what the schema names. Other contents are reported if `rest` is null; otherwise `rest`
  // becomes the body without what was read.
  static Content native(const Body& body, const BodySchema& schema, Body* rest,
                        diag::Diagnostics& diags);
  static Content json(const Body& body, const BodySchema& schema, Body* rest,
                      diag::Diagnostics& diags);
  static std::vector<Attribute> native_attributes(const Body& body, diag::Diagnostics& diags);
  static std::vector<Attribute> json_attributes(const Body& body, diag::Diagnostics& diags);

  static Content merged(const Body& body, const BodySchema& schema, Body* rest,
                        diag::Diagnostics& diags);
  static std::vector<Attribute> merged_attributes(const Body& body, diag::Diagnostics& diags);

  static NameSet hidden_attributes(const Body& body);
  static NameSet hidden_blocks(const Body& body);
  // `body` without the given names, which come on top of those already hidden.
  static Body hide(const Body& body, std::vector<std::string> attributes,
                   std::vector<std::string> blocks);
  static void report_missing(const Body& body, const BodySchema& schema, const Content& found,
                             diag::Diagnostics& diags);
};

}  // namespace tofu::syntax

// The shape of a block that a provider (or a backend, or a provisioner) decides:
// its attributes and nested blocks.
//
// Schemas are built once and then only read. Attributes and nested blocks are sorted by name, which
// is also their order in the type that the block implies.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "syntax/ast.h"
#include "value/type.h"
#include "value/value.h"

namespace tofu::schema {

enum class Nesting : std::uint8_t { Single, Group, List, Set, Map };

struct Attribute;

// An attribute whose value is an object, or a collection of objects, with
// attributes of their own.
struct NestedType {
  std::vector<Attribute> attributes;
  Nesting nesting = Nesting::Single;
};

struct Attribute {
  std::string name;
  value::Type type;                          // also set where `nested` is: what that implies
  std::shared_ptr<const NestedType> nested;  // shared: schemas are copied as values
  std::string description;
  bool markdown = false;  // is the description
  bool required = false;
  bool optional = false;
  bool computed = false;
  bool sensitive = false;
  bool write_only = false;
  bool never_null = false;  // even if the rest is unknown
  bool deprecated = false;
  std::string deprecation_message;
};

struct Block;

struct NestedBlock {
  std::string name;
  std::shared_ptr<const Block> block;  // shared: schemas are copied as values
  Nesting nesting = Nesting::Single;
  std::uint64_t min_items = 0;
  std::uint64_t max_items = 0;  // 0: any number
};

// A type that is computed at first use and cached, because every instance of a resource needs it. A
// copy begins anew: a copy of a schema may be changed.
class KnownType {
 public:
  KnownType() = default;
  KnownType(const KnownType&) noexcept {}
  KnownType& operator=(const KnownType&) noexcept {
    type_ = value::Type();
    return *this;
  }

  // `any`: it is not known yet.
  value::Type get() const { return type_.load(std::memory_order_acquire); }
  void set(value::Type type) const { type_.store(type, std::memory_order_release); }

 private:
  mutable std::atomic<value::Type> type_ = value::Type();
};

struct Block {
  std::vector<Attribute> attributes;
  std::vector<NestedBlock> blocks;
  std::string description;
  bool markdown = false;  // is the description
  bool deprecated = false;
  std::string deprecation_message = {};
  bool ephemeral = false;     // its contents are never stored, so ephemeral values are allowed
  KnownType known_type = {};  // implied_type(); attributes and blocks stay as they are then

  const Attribute* attribute(std::string_view name) const;
  const NestedBlock* block(std::string_view name) const;
  // The type of a whole decoded block.
  value::Type implied_type() const;
  // The same with optional attributes inside nested attribute types, for
  // converting what an author wrote.
  value::Type constraint_type() const;
};

// The value of a block before its object has been read or created: every part unknown, sensitive
// ones marked.
value::Value unknown_value(const Block& schema);

// Whether `steps` lead to something in a value that `schema` describes.
diag::Checked<void> check_traversal(const Block& schema,
                                    std::span<const syntax::TraversalStep> steps,
                                    diag::Diagnostics& diags);

// The type of a nested type; its optional attributes may be left out.
value::Type type_of(const NestedType& type);

}  // namespace tofu::schema

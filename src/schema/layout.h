// Information derived once from a block's schema: the parts of its object in their order, their
// types, what each is when nothing is written, and the names that syntax looks for.
//
// Threads: a Layouts is filled by one task; a Layout is only read and may be used
// by many.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "schema/schema.h"
#include "syntax/body.h"
#include "value/object_shape.h"
#include "value/type.h"
#include "value/value.h"

namespace tofu::schema {

class Layout;
class Layouts;

// The part of a block's schema that syntax needs for reading a body.
syntax::BodySchema body_schema(const Block& block);

struct Part {
  std::string_view name;                 // in the schema
  const Attribute* attribute = nullptr;  // either this
  const NestedBlock* nested = nullptr;   // or this, with
  const Layout* inside = nullptr;        // the layout of its blocks
  value::Value absent;                   // what the part is when nothing is written
};

class Layout {
 public:
  // `block` outlives it, as does `layouts`, which keeps those of nested blocks.
  Layout(const Block& block, Layouts& layouts);

  const Block& block() const { return block_; }
  value::Type type() const { return type_; }  // Block::implied_type()
  // In the order of the type's attributes, by name.
  std::span<const Part> parts() const { return parts_; }
  std::optional<std::size_t> find(std::string_view name) const;
  // The allowed contents, including `dynamic` blocks.
  const syntax::BodySchema& names() const { return names_; }
  // The schema of the nested blocks of `part` among names().
  const syntax::BlockSchema& block_names(std::size_t part) const {
    return names_.blocks[block_names_[part]];
  }
  // The object of these parts. Its type differs from type() only in what that leaves open.
  value::Value make(std::vector<value::Value> parts) const { return shape_.make(std::move(parts)); }

 private:
  const Block& block_;
  value::Type type_;
  std::vector<Part> parts_;
  syntax::BodySchema names_;
  std::vector<std::size_t> block_names_;  // by part
  value::ObjectShape shape_;
};

// The layouts of the blocks of some schemas, each created at first use.
class Layouts {
 public:
  // `block` outlives this.
  const Layout& of(const Block& block);

 private:
  std::unordered_map<const Block*, std::unique_ptr<const Layout>> all_;
};

}  // namespace tofu::schema

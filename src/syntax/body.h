// Bodies: attributes and blocks, as written and as a schema reads them.
//
// Native and JSON bodies answer the same questions. Only a schema can distinguish attributes from
// blocks in a JSON body, so all readers of configuration go through content(), partial_content() or
// just_attributes(), for both syntaxes.
//
// Bodies are views into their File and stay valid while it lives.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/ast.h"

namespace tofu::syntax {

struct Attribute {
  std::string_view name;
  const Expr* expr;
  diag::SourceRange range;  // name to end of expression
  diag::SourceRange name_range;
  diag::SourceRange equals_range;  // empty in JSON
};

struct Label {
  std::string_view text;
  diag::SourceRange range;
};

struct NativeBlock;

// The contents of a block or of a whole file.
struct NativeBody {
  std::span<const Attribute> attributes;  // in source order
  std::span<const NativeBlock> blocks;    // in source order
  diag::SourceRange range;
  diag::SourceRange end_range;  // the empty place at the end
};

struct NativeBlock {
  std::string_view type;
  std::span<const Label> labels;
  NativeBody body;
  diag::SourceRange type_range;
  diag::SourceRange open_range;
  diag::SourceRange close_range;
};

struct AttributeSchema {
  std::string name;
  bool required = false;
};

struct BlockSchema {
  std::string type;
  std::vector<std::string> label_names;
};

struct BodySchema {
  std::vector<AttributeSchema> attributes;
  std::vector<BlockSchema> blocks;
};

struct Block;
struct Content;
struct PartialContent;

class Body {
 public:
  Body() = default;  // empty
  explicit Body(const NativeBody& native);
  // `json` is what a JSON parser made of an object, or an array of objects. Other contents are
  // reported when the body is read.
  explicit Body(const Expr& json);

  // The contents named by the schema; anything else is reported. Always returns what could be read,
  // so that later stages can report more: look at `diags` for errors.
  Content content(const BodySchema& schema, diag::Diagnostics& diags) const;
  // The contents named by the schema, and a body with everything else.
  PartialContent partial_content(const BodySchema& schema, diag::Diagnostics& diags) const;
  // All of it as attributes; a block is reported.
  std::vector<Attribute> just_attributes(diag::Diagnostics& diags) const;

  // The union of both. An argument that is set in both is reported when it is read.
  static Body joined(Body first, Body second);
  // `base` with `override` on top: arguments replace those of the same name, blocks
  // replace all blocks of their type. As in OpenTofu, what a schema does not name
  // is not reported in such a body.
  static Body overridden(Body base, Body override);

  diag::SourceRange missing_item_range() const;
  bool is_json() const { return json_ != nullptr; }
  const NativeBody* native() const { return native_; }
  const Expr* json() const { return json_; }

 private:
  friend struct BodyReader;  // body_native.cc, body_json.cc
  struct Hidden;             // names that a partial_content took
  struct Merged;             // the bodies that a merged one is made of
  const NativeBody* native_ = nullptr;
  const Expr* json_ = nullptr;
  std::shared_ptr<const Hidden> hidden_;  // shared by copies of this body
  std::shared_ptr<Merged> merged_;        // likewise; then all of the above are unset
};

struct Block {
  std::string_view type;
  std::vector<Label> labels;
  Body body;
  diag::SourceRange range;  // the header: type and labels; in JSON the opening brace
  diag::SourceRange type_range;
};

struct Content {
  std::vector<Attribute> attributes;  // in source order
  std::vector<Block> blocks;          // in source order
  diag::SourceRange missing_item_range;

  const Attribute* attribute(std::string_view name) const;
};

struct PartialContent {
  Content content;
  Body remaining;
};

}  // namespace tofu::syntax

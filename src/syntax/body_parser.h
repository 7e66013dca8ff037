// Bodies: arguments and blocks, up to the brace or the end of the text that closes them.
//
// An argument that is set twice is reported and the first one kept; a block whose
// header is broken stays in the tree without a body.
//
// Private to this component; they call syntax/parser.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "syntax/body.h"
#include "syntax/expression_parser.h"
#include "syntax/tree_builder.h"

namespace tofu::syntax {

class BodyParser {
 public:
  BodyParser(TokenCursor& tokens, TreeBuilder& tree, ExpressionParser& expressions)
      : tokens_(tokens), tree_(tree), expressions_(expressions) {}

  const NativeBody* whole();  // the whole text as a body

 private:
  // The names of the arguments of a body, to find those that are set twice.
  struct AttributeNames {
    // Whether `name` may have been here before; if not, it surely was not.
    bool seen(std::string_view name);

    std::uint64_t shapes = 0;  // a bit for each length and outer letters, as hashed
    std::unordered_map<std::string_view, std::size_t> places;  // filled if there are many
  };

  NativeBody body(TokenKind end);
  NativeBody close_body(std::size_t first_attribute, std::size_t first_block,
                        diag::SourceRange start, diag::SourceRange last);
  void misplaced(const Token& token, diag::SourceRange body_start);
  void item(std::size_t first_attribute, AttributeNames& names);
  void incomplete_item(const Token& name);
  Attribute finish_attribute(const Token& name, bool single_line);
  void add_attribute(const Attribute& attribute, std::size_t first_attribute,
                     AttributeNames& names);
  void missing_line_end(const Token& name, const Token& end);
  void finish_block(const Token& type);
  std::optional<Token> block_labels(const Token& type);
  NativeBody single_line_body(const Token& type, const Token& open);
  std::optional<NativeBody> single_attribute();

  TokenCursor& tokens_;
  TreeBuilder& tree_;
  ExpressionParser& expressions_;
  // Of all bodies being read, innermost last.
  std::vector<Attribute> attributes_;
  std::vector<NativeBlock> blocks_;
  std::vector<Label> labels_;
};

}  // namespace tofu::syntax

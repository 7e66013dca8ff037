// Functions shared by the readers of blocks: the module being declared, and arguments that are read
// without being evaluated.
//
// A reader takes a block apart and returns a record. It reports what is wrong with the block
// itself; whether the record may be added to the module is decided in declare.cc. Private to this
// component.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "addrs/reference.h"
#include "config/module.h"
#include "config/objects.h"
#include "diag/diagnostic.h"
#include "diag/place_text.h"
#include "diag/source.h"
#include "syntax/ast.h"
#include "syntax/block_reading.h"
#include "syntax/body.h"
#include "syntax/constants.h"

namespace tofu::config {

struct BlockReader {
  diag::SourceMap& sources;
  Module& module;         // keeps what is parsed on the way; otherwise only looked at
  syntax::File& scratch;  // of the module; owns generated expressions
  const addrs::ParseRefContext& references;
  diag::Diagnostics& diags;
  bool is_override = false;
  bool is_tofu_file = false;  // by its name

  std::string where(diag::SourceRange range) const { return diag::place_text(sources, range); }
};

void check_identifier(BlockReader& block_reader, const syntax::Label& label, std::string_view what);
// Whether `name` can be the local name of a provider; otherwise reports it.
bool check_provider_name(BlockReader& block_reader, std::string_view name, diag::SourceRange at);

// A constant version constraint.
diag::Checked<addrs::Constraints> constant_constraints(BlockReader& block_reader,
                                                       const syntax::Attribute& attribute,
                                                       diag::Diagnostics& diags);

// The expression that a JSON string spells, or the one given if it is native.
diag::Checked<const syntax::Expr*> unquoted_expr(BlockReader& block_reader,
                                                 const syntax::Expr& expr);

// A reference or keyword that may stand in quotes, as it had to long ago; that draws a warning. No
// traversal and not quoted: it is none, and nothing was reported. No traversal but quoted: what is
// in the quotes was reported. A text that does not begin with a name is reported and counts as not
// quoted, so that it is refused as well, as in OpenTofu.
enum class Quotable : std::uint8_t { Reference, Keyword };
struct Unquoted {
  std::optional<syntax::Traversal> traversal;
  bool quoted = false;
};
Unquoted unquote(BlockReader& block_reader, const syntax::Expr& expr, Quotable what);
// A bare word, in quotes or not; empty if it is none.
std::string_view keyword_or_quoted(BlockReader& block_reader, const syntax::Expr& expr);

// The items of depends_on and the like.
std::vector<syntax::Traversal> reference_list(BlockReader& block_reader,
                                              const syntax::Attribute& attribute);

// `aws.west["eu"]`. `argument` is the name of the argument. Nothing only if an
// error was added (an error may also come with a result).
std::optional<ProviderRef> provider_reference(BlockReader& block_reader, const syntax::Expr& expr,
                                              std::string_view argument);
std::vector<PassedProvider> passed_providers(BlockReader& block_reader,
                                             const syntax::Attribute& attribute);

// A block with a condition and an error message. Always returns a record.
syntax::Condition read_condition(BlockReader& block_reader, const syntax::Block& block);

// The places of count, for_each and enabled, to report that only one is allowed.
struct RepetitionPlaces {
  std::optional<diag::SourceRange> count;
  std::optional<diag::SourceRange> for_each;
  std::optional<diag::SourceRange> enabled;
};
void check_exclusive(BlockReader& block_reader, const RepetitionPlaces& places);

// Blocks of which a block can have one, such as lifecycle and _.
class OnlyOne {
 public:
  // Whether this is the first; otherwise reports it.
  bool admit(BlockReader& block_reader, const syntax::Block& block, std::string_view message);

 private:
  std::optional<diag::SourceRange> first_;
};
void report_reserved_block(BlockReader& block_reader, const syntax::Block& block,
                           std::string_view container);

// The readers. Nothing means that there is nothing to add; an error was added then.
Variable read_variable(BlockReader& block_reader, const syntax::Block& block);
Output read_output(BlockReader& block_reader, const syntax::Block& block);
std::vector<Local> read_locals(BlockReader& block_reader, const syntax::Block& block);
ModuleCall read_module_call(BlockReader& block_reader, const syntax::Block& block);
Resource read_managed(BlockReader& block_reader, const syntax::Block& block);
Resource read_data(BlockReader& block_reader, const syntax::Block& block, bool nested);
Resource read_ephemeral(BlockReader& block_reader, const syntax::Block& block);
std::optional<Provisioner> read_provisioner(BlockReader& block_reader, const syntax::Block& block);
// Reports references that do not work when an object is being destroyed.
void check_destroy_references(BlockReader& block_reader, const syntax::Body& body);
std::optional<ProviderConfig> read_provider(BlockReader& block_reader, const syntax::Block& block);
std::optional<ProviderMeta> read_provider_meta(BlockReader& block_reader,
                                               const syntax::Block& block);
std::vector<RequiredProvider> read_required_providers(BlockReader& block_reader,
                                                      const syntax::Block& block);
struct ReadCheck {
  Check check;
  std::optional<Resource> data;
};
ReadCheck read_check(BlockReader& block_reader, const syntax::Block& block);
std::optional<Moved> read_moved(BlockReader& block_reader, const syntax::Block& block);
std::optional<Removed> read_removed(BlockReader& block_reader, const syntax::Block& block);
Import read_import(BlockReader& block_reader, const syntax::Block& block);
void read_language(BlockReader& block_reader, const syntax::Block& block);
// The arguments `experiments` and `language` of a terraform or tofu block.
void read_language_arguments(BlockReader& block_reader, const syntax::Content& content,
                             std::string_view block_type);

// Everything in a file that says which versions it is for.
void gather_versions(BlockReader& block_reader, const syntax::Body& file);

}  // namespace tofu::config

// What the readers of blocks share: the module being declared, and arguments that
// are read without being evaluated.
//
// A reader takes a block apart and returns a record. It reports what is wrong with
// the block itself; whether the record may be added to the module is decided in
// declare.cc. Not for other rooms.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "addrs/reference.h"
#include "config/constants.h"
#include "config/module.h"
#include "config/objects.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/ast.h"
#include "syntax/body.h"

namespace tofu::config {

// "main.tf:3", for messages that name a second place.
std::string place_text(const diag::SourceMap& sources, diag::SourceRange range);

struct Reading {
  diag::SourceMap& sources;
  Module& module;         // keeps what is parsed on the way; otherwise only looked at
  syntax::File& scratch;  // of the module; owns expressions that nobody wrote
  const addrs::ParseRefContext& references;
  diag::Diagnostics& diags;
  bool is_override = false;
  bool is_tofu_file = false;  // by its name

  std::string where(diag::SourceRange range) const { return place_text(sources, range); }
};

// Schemas are written in one line each; none of these names is required.
syntax::BodySchema schema_of(std::initializer_list<std::string_view> attributes,
                             std::initializer_list<syntax::BlockSchema> blocks = {});
syntax::BodySchema with_required(syntax::BodySchema schema,
                                 std::initializer_list<std::string_view> names);

// Reports a name that is not an identifier; `what` says what it names.
void check_identifier(const syntax::Label& label, std::string_view what, diag::Diagnostics& diags);
void check_identifier(Reading& reading, const syntax::Label& label, std::string_view what);
// Whether `name` can be the local name of a provider; otherwise reports it.
bool check_provider_name(Reading& reading, std::string_view name, diag::SourceRange at);

// A constant version constraint. Nothing if and only if an error was added.
std::optional<Constraints> constant_constraints(Reading& reading,
                                                const syntax::Attribute& attribute,
                                                diag::Diagnostics& diags);

// The expression that a JSON string spells, or the one given if it is native.
// Null if and only if an error was added.
const syntax::Expr* spelt_out(Reading& reading, const syntax::Expr& expr);

// A reference or keyword that may stand in quotes, as it had to long ago; that
// draws a warning. No traversal and not quoted: it is none, and nothing was
// reported. No traversal but quoted: what is in the quotes was reported. What does
// not even begin with a name is reported and counts as not quoted, so that it is
// refused as well, as OpenTofu does.
enum class Quotable : std::uint8_t { Reference, Keyword };
struct Unquoted {
  std::optional<syntax::Traversal> traversal;
  bool quoted = false;
};
Unquoted unquote(Reading& reading, const syntax::Expr& expr, Quotable what);
// A bare word, in quotes or not; empty if it is none.
std::string_view keyword_or_quoted(Reading& reading, const syntax::Expr& expr);

// The items of depends_on and the like.
std::vector<syntax::Traversal> reference_list(Reading& reading, const syntax::Attribute& attribute);

// `aws.west["eu"]`. `argument` is the name of the argument. Nothing only if an
// error was added (an error may also come with a result).
std::optional<ProviderRef> provider_reference(Reading& reading, const syntax::Expr& expr,
                                              std::string_view argument);
std::vector<PassedProvider> passed_providers(Reading& reading, const syntax::Attribute& attribute);

// A block with a condition and an error message. Always returns a record.
Condition read_condition(Reading& reading, const syntax::Block& block);

// Where count, for_each and enabled stand, to say that only one may.
struct RepetitionPlaces {
  std::optional<diag::SourceRange> count;
  std::optional<diag::SourceRange> for_each;
  std::optional<diag::SourceRange> enabled;
};
void check_exclusive(Reading& reading, const RepetitionPlaces& places);

// Blocks of which a block can have one, such as lifecycle and _.
class OnlyOne {
 public:
  // Whether this is the first; otherwise reports it.
  bool admit(Reading& reading, const syntax::Block& block, std::string_view message);

 private:
  std::optional<diag::SourceRange> first_;
};
void report_reserved_block(Reading& reading, const syntax::Block& block,
                           std::string_view container);

// The readers. Nothing means that there is nothing to add; an error was added then.
Variable read_variable(Reading& reading, const syntax::Block& block);
Output read_output(Reading& reading, const syntax::Block& block);
std::vector<Local> read_locals(Reading& reading, const syntax::Block& block);
ModuleCall read_module_call(Reading& reading, const syntax::Block& block);
Resource read_managed(Reading& reading, const syntax::Block& block);
Resource read_data(Reading& reading, const syntax::Block& block, bool nested);
Resource read_ephemeral(Reading& reading, const syntax::Block& block);
std::optional<Provisioner> read_provisioner(Reading& reading, const syntax::Block& block);
// Reports references that do not work when an object is being destroyed.
void check_destroy_references(Reading& reading, const syntax::Body& body);
std::optional<ProviderConfig> read_provider(Reading& reading, const syntax::Block& block);
std::optional<ProviderMeta> read_provider_meta(Reading& reading, const syntax::Block& block);
std::vector<RequiredProvider> read_required_providers(Reading& reading, const syntax::Block& block);
struct ReadCheck {
  Check check;
  std::optional<Resource> data;
};
ReadCheck read_check(Reading& reading, const syntax::Block& block);
std::optional<Moved> read_moved(Reading& reading, const syntax::Block& block);
std::optional<Removed> read_removed(Reading& reading, const syntax::Block& block);
Import read_import(Reading& reading, const syntax::Block& block);
SymbolsImport read_symbols(const syntax::Block& block, diag::Diagnostics& diags);
void read_language(Reading& reading, const syntax::Block& block);
// The arguments `experiments` and `language` of a terraform or tofu block.
void read_language_arguments(Reading& reading, const syntax::Content& content,
                             std::string_view block_type);

// Everything in a file that says which versions it is for.
void gather_versions(Reading& reading, const syntax::Body& file);

}  // namespace tofu::config

// The arguments of a key provider or a method, evaluated and converted.
//
// The caller declares which ones exist; afterwards they are read by name. One that is null counts
// as not given, but for keys, where it is an error. Values may be secret: no message shows one.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "encryption/key_provider.h"
#include "syntax/body.h"
#include "value/value.h"

namespace tofu::encryption {

struct Argument {
  enum class Kind : std::uint8_t { Text, Number, Flag, Texts, Bytes, Keys, Object, Block };
  std::string_view name;
  Kind kind = Kind::Text;
  bool is_required = false;
  std::span<const std::string_view> texts = {};  // the arguments of a block
};

class Settings {
 public:
  // The value of an argument.
  using Evaluate = std::function<diag::Checked<value::Value>(const syntax::Attribute& attribute,
                                                             diag::Diagnostics& diags)>;
  // A key provider by its address, such as key_provider.pbkdf2.k.
  using FindKeys = std::function<diag::Checked<std::shared_ptr<const KeyProvider>>(
      std::string_view address, diag::SourceRange place, diag::Diagnostics& diags)>;
  struct Source {
    Evaluate evaluate;
    FindKeys find_keys;
  };

  static diag::Checked<Settings> read(const syntax::Body& body, std::span<const Argument> arguments,
                                      const Source& source, diag::Diagnostics& diags);

  bool has(std::string_view name) const { return values_.contains(name); }
  std::string text(std::string_view name) const;  // empty if not given
  std::optional<std::int64_t> whole(std::string_view name) const;
  std::optional<bool> flag(std::string_view name) const;
  std::vector<std::string> texts(std::string_view name) const;
  std::string bytes(std::string_view name) const;
  std::shared_ptr<const KeyProvider> keys(std::string_view name) const;  // null if not given
  const value::Value* object(std::string_view name) const;               // null if not given
  // Blocks of that name, whose arguments are texts.
  std::size_t block_count(std::string_view name) const;
  // An argument of the first of them; empty if not given.
  std::string block_text(std::string_view block, std::string_view name) const;

 private:
  void read_argument(const Argument& argument, const syntax::Attribute& attribute,
                     const Source& source, diag::Diagnostics& diags);
  void read_block(const Argument& argument, const syntax::Block& block, const Source& source,
                  diag::Diagnostics& diags);

  std::map<std::string, value::Value, std::less<>> values_;  // converted, without marks
  std::map<std::string, std::shared_ptr<const KeyProvider>, std::less<>> keys_;
  std::map<std::string, std::vector<std::map<std::string, std::string, std::less<>>>, std::less<>>
      blocks_;
};

// How key providers stand in expressions: opaque, so that no key becomes a value.
value::Value key_provider_value(std::shared_ptr<const KeyProvider> provider);

}  // namespace tofu::encryption

// Rules about blocks and arguments as they are written: secrets, dynamic blocks, lifecycle,
// commands, duplicates.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "config/module.h"
#include "diag/source.h"
#include "lint/finding.h"
#include "lint/walk.h"

namespace tofu::lint {

class BlockRules final : public Visitor {
 public:
  // All outlive it.
  BlockRules(const config::Module& module, const diag::SourceMap& sources, Findings& findings);

  void block(const syntax::NativeBlock& block, const Site& site) override;
  void end_block(const syntax::NativeBlock& block, const Site& site) override;
  void attribute(const syntax::Attribute& attribute, const Site& site) override;
  void expression(const syntax::Expr& expr, const Site& site) override;

 private:
  void check_secret(std::string_view name, const syntax::Expr& expr, diag::SourceRange place,
                    const Site& site);
  void check_output(const syntax::NativeBlock& block);
  void check_dynamic(const syntax::NativeBlock& block);
  void check_duplicate(const syntax::NativeBlock& block);
  void check_dependencies();
  void note_reference(const syntax::Traversal& traversal, const Site& site);
  void check_impure(const syntax::Expr& expr, const Site& site);

  const config::Module& module_;
  const diag::SourceMap& sources_;
  Findings& findings_;
  bool finds_duplicates_;
  // Content of blocks, with the type, and the header of the first that has it.
  std::unordered_map<std::string, std::string> contents_;
  // Of the outermost block: what it refers to, and the entries of its depends_on.
  std::unordered_set<std::string> references_;
  std::vector<const syntax::Traversal*> dependencies_;
  // Local values whose result is different each time, and the function that makes it so.
  std::map<std::string, std::string, std::less<>> impure_locals_;
};

// Whether a name is usual for secrets: `db_password`, `api_key`.
bool is_secret_name(std::string_view name);

}  // namespace tofu::lint

#include "lint/walk.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "syntax/analysis.h"

namespace tofu::lint {

namespace {

using syntax::as;
using syntax::Expr;
using syntax::ExprKind;

class Walker {
 public:
  explicit Walker(std::span<Visitor* const> visitors) : visitors_(visitors) {}

  void body(const syntax::NativeBody& body) {
    for (const syntax::Attribute& attribute : body.attributes) {
      for (Visitor* visitor : visitors_) visitor->attribute(attribute, site_);
      site_.attribute = &attribute;
      root(*attribute.expr);
      site_.attribute = nullptr;
    }
    for (const syntax::NativeBlock& block : body.blocks) this->block(block);
  }

  void root(const Expr& expr) {
    site_.parent = nullptr;
    visit(expr);
  }

 private:
  void block(const syntax::NativeBlock& block) {
    for (Visitor* visitor : visitors_) visitor->block(block, site_);
    const auto [top, around] = std::pair(site_.top, site_.block);
    if (top == nullptr) site_.top = &block;
    site_.block = &block;
    body(block.body);
    site_.top = top;
    site_.block = around;
    for (Visitor* visitor : visitors_) visitor->end_block(block, site_);
  }

  void tell(const Expr& expr) {
    for (Visitor* visitor : visitors_) visitor->expression(expr, site_);
  }

  void visit(const Expr& expr) {
    tell(expr);
    const Expr* parent = site_.parent;
    site_.parent = &expr;
    inside(expr);
    site_.parent = parent;
  }

  void all(std::span<const Expr* const> exprs) {
    for (const Expr* expr : exprs) visit(*expr);
  }

  void inside(const Expr& expr) {
    switch (expr.kind) {
      case ExprKind::Literal:
      case ExprKind::Local:
      case ExprKind::Variable:
      case ExprKind::Invalid: return;
      case ExprKind::Template: return all(as<syntax::TemplateExpr>(expr).parts);
      case ExprKind::TemplateWrap: return visit(*as<syntax::TemplateWrapExpr>(expr).wrapped);
      case ExprKind::TemplateJoin: return visit(*as<syntax::TemplateJoinExpr>(expr).tuple);
      case ExprKind::RelativeTraversal:
        return visit(*as<syntax::RelativeTraversalExpr>(expr).source);
      case ExprKind::Index:
        visit(*as<syntax::IndexExpr>(expr).collection);
        return visit(*as<syntax::IndexExpr>(expr).key);
      case ExprKind::Splat:
        visit(*as<syntax::SplatExpr>(expr).source);
        return visit(*as<syntax::SplatExpr>(expr).each);
      case ExprKind::Call: return all(as<syntax::CallExpr>(expr).arguments);
      case ExprKind::Conditional:
        visit(*as<syntax::ConditionalExpr>(expr).condition);
        visit(*as<syntax::ConditionalExpr>(expr).if_true);
        return visit(*as<syntax::ConditionalExpr>(expr).if_false);
      case ExprKind::Binary: return binary(expr);
      case ExprKind::Unary: return visit(*as<syntax::UnaryExpr>(expr).operand);
      case ExprKind::Parens: return visit(*as<syntax::ParensExpr>(expr).inner);
      case ExprKind::Tuple: return all(as<syntax::TupleExpr>(expr).items);
      case ExprKind::Object:
        for (const syntax::ObjectItem& item : as<syntax::ObjectExpr>(expr).items) {
          visit(*item.key);
          visit(*item.value);
        }
        return;
      case ExprKind::ObjectKey: {
        const auto& key = as<syntax::ObjectKeyExpr>(expr);
        if (key.forced || syntax::keyword(*key.wrapped).empty()) visit(*key.wrapped);
        return;
      }
      case ExprKind::For: return for_expression(as<syntax::ForExpr>(expr));
      case ExprKind::JsonString: return visit(*as<syntax::JsonStringExpr>(expr).parsed);
    }
    base::broken_promise("expression kind out of range");
  }

  // The chain of left operands may be of any length, so it is followed by a loop.
  void binary(const Expr& expr) {
    const auto spine = syntax::left_spine(expr);
    for (std::size_t i = 1; i < spine.size(); ++i) {
      site_.parent = spine[i - 1];
      tell(*spine[i]);
    }
    site_.parent = spine.back();
    visit(*spine.back()->left);
    for (auto each = spine.rbegin(); each != spine.rend(); ++each) {
      site_.parent = *each;
      visit(*(*each)->right);
    }
  }

  void for_expression(const syntax::ForExpr& expr) {
    visit(*expr.collection);
    site_.binders.push_back(&expr);
    if (expr.key) visit(*expr.key);
    visit(*expr.value);
    if (expr.condition) visit(*expr.condition);
    site_.binders.pop_back();
  }

  std::span<Visitor* const> visitors_;
  Site site_;
};

}  // namespace

std::vector<const syntax::File*> module_files(const config::Module& module,
                                              const diag::SourceMap& sources) {
  constexpr std::array<std::string_view, 3> kOfTests = {".tftest.", ".tofutest.", ".tfmock."};
  std::vector<const syntax::File*> files;
  for (const auto& file : module.files()) {
    const std::string_view name = sources.name(file->id);
    const bool is_whole = file->native != nullptr || file->json != nullptr;
    const bool is_of_tests = std::ranges::any_of(
        kOfTests, [&](auto part) { return name.find(part) != std::string_view::npos; });
    if (is_whole && !is_of_tests) files.push_back(file.get());
  }
  return files;
}

void walk(std::span<const syntax::File* const> files, std::span<Visitor* const> visitors) {
  for (const syntax::File* file : files) {
    Walker walker(visitors);
    if (file->native != nullptr) walker.body(*file->native);
    if (file->json != nullptr) walker.root(*file->json);
  }
}

void walk_quoted(const config::Module& module, Visitor& visitor) {
  Visitor* const visitors[] = {&visitor};
  for (const auto& file : module.files()) {
    if (file->expr != nullptr) Walker(visitors).root(*file->expr);
  }
}

}  // namespace tofu::lint

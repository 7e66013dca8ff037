// Edits that replace what is deprecated, in forms that script cases do not have.
#include "lint/rewrites.h"

#include "lint/file_edit.h"
#include "tests/config/link_fixture.h"

namespace tofu::lint {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class RewritesTest : public config::LinkFixture {
 protected:
  void SetUp() override {
    write("./net",
          "variable \"size\" {\n  default     = null\n  deprecated  = \"x\"\n"
          "  replaced_by = { mib = var.size * 1024 }\n}\n"
          "variable \"mib\" {\n  default = null\n}\n"
          "output \"mb\" {\n  value       = 1\n  deprecated  = \"x\"\n"
          "  replaced_by = output.mib / 1024\n}\n"
          "output \"mib\" {\n  value = 1\n}\n"
          "output \"old\" {\n  value       = 1\n  deprecated  = \"x\"\n"
          "  replaced_by = output.new\n}\n"
          "output \"new\" {\n  value = 1\n}\n");
  }

  // The root after all edits, without its last lines, which call the module.
  std::string rewritten(const std::string& text) {
    write(".", text + kCall);
    tree_.emplace(link());
    std::vector<syntax::EditGroup> groups;
    obstacles_.clear();
    for (const Rewrite& each : find_rewrites(*tree_, sources_)) {
      if (each.edits.empty()) obstacles_.push_back(each.obstacle);
      if (!each.edits.empty()) groups.push_back(each.edits);
    }
    if (groups.empty()) return text;
    const auto edited = edit_file(groups[0][0].range.file, groups, sources_);
    if (!edited) return "not edited";
    return edited->text.substr(0, edited->text.size() - kCall.size());
  }

  const std::string kCall =
      "module \"a\" {\n  source = \"./net\"\n}\n"
      "module \"b\" {\n  source = \"./net\"\n  count  = 2\n}\n";
  std::optional<config::Tree> tree_;
  std::vector<std::string> obstacles_;
};

std::string local(const std::string& expr) { return "locals {\n  x = " + expr + "\n}\n"; }

TEST_F(RewritesTest, AnExpressionGetsParenthesesWhereItNeedsThem) {
  EXPECT_EQ(rewritten(local("module.a.mb")), local("module.a.mib / 1024"));
  EXPECT_EQ(rewritten(local("module.a.mb + 1")), local("(module.a.mib / 1024) + 1"));
  EXPECT_EQ(rewritten(local("[module.a.mb, 1]")), local("[module.a.mib / 1024, 1]"));
  EXPECT_EQ(rewritten(local("\"${module.a.mb} MB\"")), local("\"${module.a.mib / 1024} MB\""));
  EXPECT_EQ(rewritten(local("abs(module.b[1].mb)")), local("abs(module.b[1].mib / 1024)"));
}

TEST_F(RewritesTest, InstancesAreFollowedThroughFunctionsAndLoops) {
  EXPECT_EQ(rewritten(local("one(module.b).old")), local("one(module.b).new"));
  EXPECT_EQ(rewritten(local("module.b[*].old")), local("module.b[*].new"));
  EXPECT_EQ(rewritten(local("[for m in module.b : m.old if m.old > 0]")),
            local("[for m in module.b : m.new if m.new > 0]"));
  EXPECT_EQ(rewritten(local("[for m in [1] : [for n in module.b : n.old]]")),
            local("[for m in [1] : [for n in module.b : n.new]]"));
}

TEST_F(RewritesTest, OtherNamesStay) {
  EXPECT_EQ(rewritten(local("[for module in [{ a = { old = 1 } }] : module.a.old]")),
            local("[for module in [{ a = { old = 1 } }] : module.a.old]"));
  EXPECT_EQ(rewritten(local("{ old = module.a.new }")), local("{ old = module.a.new }"));
  EXPECT_THAT(obstacles_, IsEmpty());
}

TEST_F(RewritesTest, ASplatOfAnExpressionIsLeftToPeople) {
  EXPECT_EQ(rewritten(local("module.b[*].mb")), local("module.b[*].mb"));
  EXPECT_THAT(obstacles_, ElementsAre(::testing::HasSubstr("Use a for expression")));
}

TEST_F(RewritesTest, AValueKeepsItsMeaningInAnExpression) {
  const std::string before =
      "module \"c\" {\n  source = \"./net\"\n  size   = true ? 1 : 2 # why\n}\n";
  EXPECT_EQ(rewritten(before),
            "module \"c\" {\n  source = \"./net\"\n  mib    = (true ? 1 : 2) * 1024 # why\n}\n");
}

}  // namespace
}  // namespace tofu::lint

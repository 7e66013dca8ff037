#include <gmock/gmock.h>
#include <set>

#include "engine/moves.h"
#include "tests/engine/configured.h"

namespace tofu::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CheckMoves : public Configured {
 protected:
  // What is reported, as places; `instances` are the resource instances there are.
  std::vector<std::string> problems(std::string root, std::set<std::string> instances = {},
                                    std::set<std::string> modules = {}) {
    write(".", std::move(root));
    const eval::Program program = compiled();
    const DeclaredInstances declared{
        .of_module =
            [&](const addrs::ModulePath& path) {
              std::vector<addrs::ModuleInstance> found;
              if (path.is_root()) found.emplace_back();
              for (const std::string& text : modules) {
                diag::Diagnostics ignored;
                auto module = *addrs::parse_text(text, addrs::parse_module_instance, ignored);
                if (module.is_instance_of(path)) found.push_back(std::move(module));
              }
              return found;
            },
        .has_module =
            [&](const addrs::ModuleInstance& module) {
              return module.is_root() || modules.contains(module.to_string());
            },
        .has_instance =
            [&](const addrs::AbsResourceInstance& each) {
              return instances.contains(each.to_string());
            },
    };
    check_moves(find_moves(*program.tree, {}), *program.tree, declared, diags_);
    return shown();
  }
};

TEST_F(CheckMoves, AChainToSomethingThatExistsIsFine) {
  EXPECT_THAT(problems("resource \"terraform_data\" \"c\" {}\n"
                       "moved {\n  from = terraform_data.a\n  to = terraform_data.b\n}\n"
                       "moved {\n  from = terraform_data.b\n  to = terraform_data.c\n}\n",
                       {"terraform_data.c"}),
              IsEmpty());
}

TEST_F(CheckMoves, NothingMovesToItself) {
  EXPECT_THAT(problems("moved {\n  from = terraform_data.a\n  to = terraform_data.a\n}\n"),
              ElementsAre("main.tf:1 Redundant move statement"));
}

TEST_F(CheckMoves, WhatMovedIsNotThereAnyMore) {
  EXPECT_THAT(problems("resource \"terraform_data\" \"a\" {}\n"
                       "moved {\n  from = terraform_data.a\n  to = terraform_data.b\n}\n"),
              ElementsAre("main.tf:2 Moved object still exists"));
}

TEST_F(CheckMoves, OtherInstancesOfTheResourceMayBeThere) {
  const std::string root =
      "resource \"terraform_data\" \"a\" {\n  count = 1\n}\n"
      "moved {\n  from = terraform_data.a[1]\n  to = terraform_data.b\n}\n";

  EXPECT_THAT(problems(root, {"terraform_data.a[0]"}), IsEmpty());
  EXPECT_THAT(problems(root, {"terraform_data.a[1]"}),
              ElementsAre("main.tf:4 Moved object still exists"));
}

TEST_F(CheckMoves, ACallThatIsThereHasNotMoved) {
  write("./m", "");
  EXPECT_THAT(problems("module \"a\" {\n  source = \"./m\"\n}\n"
                       "moved {\n  from = module.a\n  to = module.b\n}\n",
                       {}, {"module.a"}),
              ElementsAre("main.tf:4 Moved object still exists"));
}

TEST_F(CheckMoves, AnInstanceOfACallMovesIfItIsGone) {
  write("./m", "");
  const std::string root =
      "module \"a\" {\n  source = \"./m\"\n  count = 1\n}\n"
      "moved {\n  from = module.a[1]\n  to = module.b\n}\n";

  EXPECT_THAT(problems(root, {}, {"module.a[0]"}), IsEmpty());
  EXPECT_THAT(problems(root, {}, {"module.a[1]"}),
              ElementsAre("main.tf:5 Moved object still exists"));
}

TEST_F(CheckMoves, OneOriginHasOneDestination) {
  EXPECT_THAT(problems("moved {\n  from = terraform_data.a\n  to = terraform_data.b\n}\n"
                       "moved {\n  from = terraform_data.a\n  to = terraform_data.c\n}\n"
                       "moved {\n  from = terraform_data.a\n  to = terraform_data.b\n}\n"),
              ElementsAre("main.tf:5 Ambiguous move statements"));
}

TEST_F(CheckMoves, OneDestinationHasOneOrigin) {
  EXPECT_THAT(problems("moved {\n  from = module.a\n  to = module.c\n}\n"
                       "moved {\n  from = module.b\n  to = module.c\n}\n"),
              ElementsAre("main.tf:5 Ambiguous move statements"));
}

TEST_F(CheckMoves, BlocksOfDifferentModulesMayContradictEachOther) {
  write("./m", "moved {\n  from = terraform_data.a\n  to = terraform_data.b\n}\n");
  const std::string root =
      "module \"m\" {\n  source = \"./m\"\n  count = 2\n}\n"
      "moved {\n  from = module.m[1].terraform_data.a\n  to = module.m[1].terraform_data.c\n}\n";

  EXPECT_THAT(problems(root, {}, {"module.m[0]"}), IsEmpty());
  EXPECT_THAT(problems(root, {}, {"module.m[0]", "module.m[1]"}),
              ElementsAre("m/main.tf:1 Ambiguous move statements"));
}

TEST_F(CheckMoves, ACircleIsToldWhole) {
  EXPECT_THAT(problems("moved {\n  from = terraform_data.a\n  to = terraform_data.b\n}\n"
                       "moved {\n  from = terraform_data.b\n  to = terraform_data.c\n}\n"
                       "moved {\n  from = terraform_data.c\n  to = terraform_data.a\n}\n"),
              ElementsAre("- Cyclic dependency in move statements"));
  EXPECT_THAT(diags_.items()[0].detail,
              HasSubstr("\n  terraform_data.a[*] moved to terraform_data.b[*]"
                        "\n  terraform_data.b[*] moved to terraform_data.c[*]"
                        "\n  terraform_data.c[*] moved to terraform_data.a[*]"));
}

}  // namespace
}  // namespace tofu::engine

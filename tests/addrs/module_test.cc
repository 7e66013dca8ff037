#include "addrs/module.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "addrs/objects.h"
#include "addrs/parse.h"
#include "addrs/text.h"

namespace tofu::addrs {
namespace {

ModuleInstance instance(const char* text) {
  diag::Diagnostics diags;
  return parse_text(text, &parse_module_instance, diags).value();
}

TEST(Module, PrintsItsPath) {
  EXPECT_EQ(ModulePath{}.to_string(), "");
  EXPECT_EQ(ModulePath{}.child("a").child("b").to_string(), "module.a.module.b");
  EXPECT_EQ(ModuleInstance{}.child("a", InstanceKey("x")).child("b").to_string(),
            "module.a[\"x\"].module.b");
}

TEST(Module, KnowsItsFamily) {
  const ModuleInstance deep = instance("module.a[0].module.b");

  EXPECT_EQ(deep.parent(), instance("module.a[0]"));
  EXPECT_EQ(ModuleInstance{}.parent(), ModuleInstance{});
  EXPECT_EQ(deep.path(), (ModulePath{{"a", "b"}}));
  EXPECT_TRUE(deep.is_instance_of(ModulePath{{"a", "b"}}));
  EXPECT_FALSE(deep.is_instance_of(ModulePath{{"a"}}));
  EXPECT_EQ(without_keys(ModulePath{{"a", "b"}}), instance("module.a.module.b"));
}

TEST(Module, OrdersByLengthThenStepByStep) {
  std::vector<ModuleInstance> modules = {instance("module.a.module.a"), instance("module.b"),
                                         instance("module.a[\"x\"]"),   instance("module.a[1]"),
                                         instance("module.a"),          {}};
  std::ranges::sort(modules);

  std::string shown;
  for (const ModuleInstance& module : modules) shown += module.to_string() + ";";
  EXPECT_EQ(shown, ";module.a;module.a[1];module.a[\"x\"];module.b;module.a.module.a;");
}

TEST(Module, PutsItsObjectsUnderItself) {
  EXPECT_EQ((AbsInputVariable{{}, {"x"}}.to_string()), "var.x");
  EXPECT_EQ((AbsOutputValue{instance("module.a[0]"), {"x"}}.to_string()), "module.a[0].output.x");
  EXPECT_EQ((AbsModuleCall{instance("module.a"), {"b"}}.to_string()), "module.a.module.b");
  EXPECT_EQ((ConfigCheck{ModulePath{{"a"}}, {"c"}}.to_string()), "module.a.check.c");
}

}  // namespace
}  // namespace tofu::addrs

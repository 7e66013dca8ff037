#include "addrs/parse_checkable.h"

#include <gtest/gtest.h>

namespace tofu::addrs {
namespace {

std::vector<Checkable> every_kind() {
  const ModuleInstance module = ModuleInstance{}.child("m", InstanceKey("a.check.b"));
  return {AbsResourceInstance{module, {{ResourceMode::Data, "t", "n"}, InstanceKey(1)}},
          AbsOutputValue{module, {"o"}}, AbsOutputValue{{}, {"o"}}, AbsCheck{module, {"c"}},
          AbsInputVariable{{}, {"v"}}};
}

TEST(ParseCheckable, ReadsWhatIsWritten) {
  for (const Checkable& checkable : every_kind()) {
    diag::Diagnostics diags;
    EXPECT_EQ(parse_checkable(kind_of(checkable), to_string(checkable), diags), checkable);
    const ConfigCheckable config = config_of(checkable);
    EXPECT_EQ(parse_config_checkable(kind_of(config), to_string(config), diags), config);
    EXPECT_TRUE(diags.empty());
  }
}

TEST(ParseCheckable, RefusesWhatIsNoSuchAddress) {
  for (const char* text : {"", ".", "check", "check.", "xcheck.a", "module.m.xcheck.a",
                           "module.check.a", "output.a", "a.b.c.check.a"}) {
    diag::Diagnostics diags;
    EXPECT_EQ(parse_checkable(CheckableKind::Check, text, diags), std::nullopt) << text;
    EXPECT_TRUE(diags.has_errors()) << text;
  }
}

}  // namespace
}  // namespace tofu::addrs

#include "addrs/resource.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "addrs/parse.h"
#include "addrs/text.h"

namespace tofu::addrs {
namespace {

AbsResourceInstance instance(const char* text) {
  diag::Diagnostics diags;
  return parse_text(text, &parse_abs_resource_instance, diags).value();
}

TEST(Resource, ReadsBackWhatItPrints) {
  for (const char* text :
       {"aws_x.y", "aws_x.y[0]", "data.aws_x.y[\"a b\"]", "ephemeral.a.b",
        "module.a[\"k\\\"$${z}\"].module.b.aws_x.y[\"é\\n\"]", "module.m.data.a-b.c-d"}) {
    EXPECT_EQ(instance(text).to_string(), text);
    EXPECT_EQ(instance(instance(text).to_string().c_str()), instance(text));
  }
}

TEST(Resource, OrdersByModuleThenModeThenTypeThenNameThenKey) {
  std::vector<AbsResourceInstance> all;
  for (const char* text :
       {"module.a.a.a", "b.a", "a.b", "a.a[\"x\"]", "a.a[2]", "a.a", "data.z.z", "ephemeral.z.z"}) {
    all.push_back(instance(text));
  }
  std::ranges::sort(all);

  std::string shown;
  for (const auto& it : all) shown += it.to_string() + " ";
  EXPECT_EQ(shown, "ephemeral.z.z data.z.z a.a a.a[2] a.a[\"x\"] a.b b.a module.a.a.a ");
}

TEST(Resource, ImpliesAProviderByTheFirstWordOfItsType) {
  EXPECT_EQ((Resource{ResourceMode::Managed, "aws_s3_bucket", "x"}.implied_provider()), "aws");
  EXPECT_EQ((Resource{ResourceMode::Managed, "http", "x"}.implied_provider()), "http");
}

TEST(Resource, ConvertsBetweenItsForms) {
  const AbsResourceInstance it = instance("module.a[0].aws_x.y[1]");

  EXPECT_EQ(resource_of(it).to_string(), "module.a[0].aws_x.y");
  EXPECT_EQ(config_of(it).to_string(), "module.a.aws_x.y");
  EXPECT_EQ(config_of(resource_of(it)), config_of(it));
  EXPECT_EQ(instance_of(resource_of(it), InstanceKey(1)), it);
}

}  // namespace
}  // namespace tofu::addrs

#include "schema/schema_codec.h"

#include <gtest/gtest.h>

#include "tests/schema/make_schema.h"

namespace tofu::schema {
namespace {

KeptSchemas some_schemas() {
  KeptSchemas schemas;
  ProviderSchema& provider = schemas.providers["example.com/acme/foo"];
  provider.provider = block({attribute("region", Is::Optional)});
  Block inner = block({sensitive(attribute("key", Is::Required))});
  inner.description = "inside";
  NestedBlock nested_block{"part", std::make_shared<const Block>(inner), Nesting::Set, 1, 7};
  ResourceSchema& thing = provider.resources["foo_thing"];
  thing.version = 3;
  thing.block = block({attribute("any", Is::Computed, value::Type::dynamic()),
                       nested("list", Is::OptionalComputed, Nesting::List,
                              {write_only(attribute("w", Is::Optional))})},
                      {nested_block});
  thing.block.deprecated = true;
  provider.data_sources["foo_data"].block = block({attribute("n", Is::Optional)});
  return schemas;
}

TEST(SchemaCodec, ReadsWhatWasWritten) {
  const KeptSchemas schemas = some_schemas();

  const auto read = decode_schemas(encode_schemas(schemas));

  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(encode_schemas(*read), encode_schemas(schemas));
  const ProviderSchema* provider = read->find("example.com/acme/foo");
  ASSERT_NE(provider, nullptr);
  const ResourceSchema& thing = provider->resources.at("foo_thing");
  EXPECT_EQ(thing.version, 3U);
  EXPECT_EQ(thing.block.implied_type(),
            schemas.find("example.com/acme/foo")->resources.at("foo_thing").block.implied_type());
  EXPECT_TRUE(thing.block.block("part")->block->attribute("key")->sensitive);
  EXPECT_EQ(thing.block.block("part")->max_items, 7U);
  EXPECT_TRUE(thing.block.attribute("list")->nested->attributes[0].write_only);
}

TEST(SchemaCodec, DamageIsNoticedOrMakesASchemaThatCanBeUsed) {
  const std::string bytes = encode_schemas(some_schemas());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_EQ(decode_schemas(bytes.substr(0, i)), std::nullopt) << i;
    for (const int change : {1, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      if (const auto read = decode_schemas(damaged)) {
        EXPECT_TRUE(decode_schemas(encode_schemas(*read)).has_value()) << i;
        for (const auto& [address, provider] : read->providers) {
          for (const auto& [type, schema] : provider.resources) (void)schema.block.implied_type();
        }
      }
    }
  }
}

}  // namespace
}  // namespace tofu::schema

#include "documents/state_json.h"

#include <gtest/gtest.h>

#include "tests/views/plan_fixture.h"

namespace tofu::documents {
namespace {

using views::data_address;
using views::data_object;
using views::num;
using views::StateObject;
using views::StateRecords;

StateObject object(std::string name, std::int64_t input) {
  StateObject out;
  out.address = data_address(std::move(name));
  out.provider = addrs::builtin_provider("terraform");
  out.value = data_object(input);
  return out;
}

std::string json_of(const StateRecords& state) {
  std::string text;
  base::JsonWriter json(text);
  write_state_json(json, state, schema::builtin_schemas());

  std::string pieces;
  std::string piece;
  base::JsonWriter in_pieces(piece);
  write_state_json(in_pieces, state, schema::builtin_schemas(), [&] {
    pieces += piece;
    piece.clear();
  });
  EXPECT_EQ(pieces + piece, text);
  return text;
}

TEST(StateJson, OfNothingHasTheVersionOfTheFormatAlone) {
  EXPECT_EQ(json_of({}), R"({"format_version":"1.0"})");
}

TEST(StateJson, HasWhatTheStateKnowsOfAnObject) {
  StateRecords state;
  state.version = "1.12.6";
  state.objects.push_back(object("a", 1));
  StateObject& a = state.objects.back();
  a.depends_on = {"terraform_data.z"};
  a.tainted = true;
  state.outputs.push_back({"o", num(1), false, "old"});
  EXPECT_EQ(
      json_of(state),
      R"({"format_version":"1.0","terraform_version":"1.12.6","values":{)"
      R"("outputs":{"o":{"sensitive":false,"deprecated":"old","value":1,"type":"number"}},)"
      R"("root_module":{"resources":[{"address":"terraform_data.a","mode":"managed",)"
      R"("type":"terraform_data","name":"a","provider_name":"terraform.io/builtin/terraform",)"
      R"("schema_version":0,"values":{"id":"x","input":1,"output":1,"triggers_replace":null},)"
      R"("sensitive_values":{},"depends_on":["terraform_data.z"],"tainted":true}]}}})");
}

}  // namespace
}  // namespace tofu::documents

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/views/plan_fixture.h"
#include "views/state_json.h"
#include "views/state_text.h"

namespace tofu::views {
namespace {

StateObject object(std::string name, std::int64_t input) {
  StateObject out;
  out.address = data_address(std::move(name));
  out.provider = addrs::builtin_provider("terraform");
  out.value = data_object(input);
  return out;
}

std::string text_of(const StateRecords& state) {
  std::string text;
  write_state_text(state, schema::builtin_schemas(), {},
                   [&](std::string_view piece) { text += piece; });
  return text;
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

TEST(StateText, ShowsObjectsThenOutputs) {
  StateRecords state;
  state.objects.push_back(object("a", 1));
  state.objects.push_back(object("b", 2));
  state.objects.back().tainted = true;
  state.outputs.push_back({"list", strings({str("x")})});
  state.outputs.push_back({"secret", str("hidden"), true});
  EXPECT_EQ(text_of(state),
            "# terraform_data.a:\n"
            "resource \"terraform_data\" \"a\" {\n"
            "    id     = \"x\"\n"
            "    input  = 1\n"
            "    output = 1\n"
            "}\n"
            "\n"
            "# terraform_data.b: (tainted)\n"
            "resource \"terraform_data\" \"b\" {\n"
            "    id     = \"x\"\n"
            "    input  = 2\n"
            "    output = 2\n"
            "}\n"
            "\n"
            "\n"
            "Outputs:\n"
            "\n"
            "list = [\n"
            "    \"x\",\n"
            "]\n"
            "secret = (sensitive value)\n");
}

TEST(StateText, LeavesTwoLinesBeforeAnotherModule) {
  StateRecords state;
  state.objects.push_back(object("a", 1));
  state.objects.push_back(object("a", 1));
  state.objects.back().address.module = addrs::ModuleInstance{}.child("net");
  EXPECT_THAT(text_of(state), testing::HasSubstr("}\n\n\n# module.net.terraform_data.a:\n"));
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
}  // namespace tofu::views

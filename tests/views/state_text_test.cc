#include "views/state_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/views/plan_fixture.h"

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

}  // namespace
}  // namespace tofu::views

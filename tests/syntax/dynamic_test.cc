#include "syntax/dynamic.h"

#include <gtest/gtest.h>

#include "syntax/map_scope.h"
#include "tests/syntax/evaluated.h"

namespace tofu::syntax {
namespace {

using value::Value;

const BodySchema& schema() {
  static const BodySchema all{{{"a"}, {"b"}}, {{"foo", {}}, {"bar", {"name"}}}};
  return all;
}

void show(const Body& body, const Scope& scope, const Iterator* iterators, value::Marks marks,
          std::string& out, diag::Diagnostics& diags);

void show_dynamic(const Block& block, const Scope& scope, const Iterator* iterators,
                  std::string& out, diag::Diagnostics& diags) {
  for (const BlockSchema& made : schema().blocks) {
    if (made.type != block.labels[0].text) continue;
    const DynamicBlock dynamic = read_dynamic(block, made, diags);
    if (!dynamic.usable) return;
    const Expansion expansion = expand(dynamic, scope, iterators, diags);
    for (const MadeBlock& one : expansion.blocks) {
      const Iterator inner{dynamic.iterator, one.key, one.value, iterators};
      out += fmt::format(" {}{}", expansion.unknown ? "unknown " : "", dynamic.type);
      for (const Value& label : one.labels) out += fmt::format(" {}", label.plain().as_string());
      out += "(";
      show(*dynamic.content, scope, &inner, expansion.marks, out, diags);
      out += " )";
    }
  }
}

// The whole body read and evaluated: foo(a=1 bar x(…)).
void show(const Body& body, const Scope& scope, const Iterator* iterators, value::Marks marks,
          std::string& out, diag::Diagnostics& diags) {
  const Content content = body.content(with_dynamic(schema()), diags);
  const IteratorScope inner(scope, iterators);
  for (const std::string_view name : {"a", "b"}) {
    const Attribute* attribute = content.attribute(name);
    if (attribute == nullptr) continue;
    const auto result = evaluate(*attribute->expr, &inner, diags);
    if (!result) continue;
    out += fmt::format(" {}={}", name, plain_text(result->with_marks(marks)));
  }
  for (const Block& block : content.blocks) {
    if (block.type == "dynamic") {
      show_dynamic(block, scope, iterators, out, diags);
      continue;
    }
    out += fmt::format(" {}", block.type);
    for (const Label& label : block.labels) out += fmt::format(" {}", label.text);
    out += "(";
    show(block.body, scope, iterators, {}, out, diags);
    out += " )";
  }
}

std::string expanded(std::string_view text, bool json = false) {
  diag::SourceMap sources;
  diag::Diagnostics diags;
  const TestScope scope;
  const auto id = sources.add("test", std::string(text));
  const auto file = json ? parse_json_file(sources, id, diags) : parse_file(sources, id, diags);
  if (diags.has_errors()) return "does not parse";
  std::string out;
  show(file->body(), *scope, nullptr, {}, out, diags);
  return diags.has_errors() ? error_places(diags) : out;
}

TEST(Dynamic, MakesABlockForEachElementInSourceOrder) {
  EXPECT_EQ(expanded("foo {\n a = 0\n}\n"
                     "dynamic \"foo\" {\n for_each = [\"x\", \"y\"]\n content {\n"
                     "  a = foo.value\n  b = foo.key\n }\n}\n"
                     "foo {\n a = 3\n}\n"),
            R"( foo( a=0 ) foo( a="x" b=0 ) foo( a="y" b=1 ) foo( a=3 ))");
}

TEST(Dynamic, IteratesOverMapsObjectsAndSets) {
  const auto over = [](std::string_view collection) {
    return expanded(fmt::format(
        "dynamic \"foo\" {{\n for_each = {}\n content {{\n a = foo.key\n b = foo\n }}\n}}",
        collection));
  };
  EXPECT_EQ(over("{k = 1}"), R"( foo( a="k" b={key = "k", value = 1} ))");
  EXPECT_EQ(over("s"), R"( foo( a="a" b={key = "a", value = "a"} ))"
                       R"( foo( a="b" b={key = "b", value = "b"} ))");
  EXPECT_EQ(over("[]"), "");
}

TEST(Dynamic, InnerIteratorsSeeOuterOnes) {
  EXPECT_EQ(expanded("dynamic \"foo\" {\n for_each = m\n iterator = it\n content {\n"
                     "  dynamic \"foo\" {\n   for_each = [1]\n   content {\n"
                     "    a = \"${it.key}${foo.value}\"\n   }\n  }\n"
                     "  foo {\n   b = it.value\n  }\n }\n}"),
            R"( foo( foo( a="k1" ) foo( b="v" ) ) foo( foo( a="z1" ) foo( b="w" ) ))");
}

TEST(Dynamic, AnInnerIteratorHidesAnOuterOneOfItsName) {
  EXPECT_EQ(expanded("dynamic \"foo\" {\n for_each = [[1, 2]]\n content {\n"
                     "  dynamic \"foo\" {\n   for_each = foo.value\n   content {\n"
                     "    a = foo.value\n   }\n  }\n }\n}"),
            " foo( foo( a=1 ) foo( a=2 ) )");
}

TEST(Dynamic, LabelsAreEvaluatedForEachBlock) {
  EXPECT_EQ(expanded("dynamic \"bar\" {\n for_each = l\n labels = [\"${bar.value}-l\"]\n"
                     " content {}\n}"),
            " bar a-l( ) bar b-l( )");
}

TEST(Dynamic, ALabelMayComeFromADeprecatedSource) {
  diag::SourceMap sources;
  diag::Diagnostics diags;
  const Value old =
      Value::string("x").with_marks(value::Marks::deprecated({"module.m.old", "No."}));
  const MapScope scope({{"old", old}});
  const auto id =
      sources.add("test", "dynamic \"bar\" {\n for_each = [1]\n labels = [old]\n content {}\n}\n");
  const auto file = parse_file(sources, id, diags);
  std::string out;
  show(file->body(), scope, nullptr, {}, out, diags);
  EXPECT_EQ(error_places(diags) + out, " bar x( )");
}

TEST(Dynamic, AnUnknownCollectionMakesOneUnknownBlock) {
  EXPECT_EQ(expanded("dynamic \"foo\" {\n for_each = ul\n content {\n a = foo.value\n }\n}"),
            " unknown foo( a=unknown(any) )");
}

TEST(Dynamic, MarksOfTheCollectionAreOnTheBlocksOwnArguments) {
  EXPECT_EQ(expanded("dynamic \"foo\" {\n for_each = sl\n content {\n a = 1\n"
                     " foo {\n  a = 2\n }\n }\n}"),
            " foo( a=sensitive(1) foo( a=2 ) ) foo( a=sensitive(1) foo( a=2 ) )");
}

TEST(Dynamic, ErrorsPointAtTheirPlaces) {
  const auto with = [](std::string_view inside, std::string_view type = "foo") {
    return expanded(fmt::format("dynamic \"{}\" {{\n{}\n}}", type, inside));
  };
  EXPECT_EQ(with("for_each = 5\ncontent {}"), "error 27-28");
  EXPECT_EQ(with("for_each = null\ncontent {}"), "error 27-31");
  EXPECT_EQ(with("for_each = nope\ncontent {}"), "error 27-31");
  EXPECT_EQ(with("for_each = []\ncontent {}\ncontent {}"), "error 41-48");
  EXPECT_EQ(with("for_each = []\niterator = a.b\ncontent {}"), "error 41-44");
  EXPECT_EQ(with("for_each = []\niterator = 1\ncontent {}"), "error 41-42");
  EXPECT_EQ(with("for_each = l\nlabels = [\"a\", \"b\"]\ncontent {}", "bar"), "error 44-47");
  EXPECT_EQ(with("for_each = l\nlabels = []\ncontent {}", "bar"), "error 38-40");
  EXPECT_EQ(with("for_each = [1]\nlabels = [us]\ncontent {}", "bar"), "error 41-43");
  EXPECT_EQ(with("for_each = [1]\nlabels = [ss]\ncontent {}", "bar"), "error 41-43");
  EXPECT_EQ(with("for_each = [1]\nlabels = [null]\ncontent {}", "bar"), "error 41-45");
  EXPECT_EQ(with("for_each = [1]\nlabels = [[]]\ncontent {}", "bar"), "error 41-43");
}

TEST(Dynamic, WhatCouldBeReadOfABrokenBlockIsThere) {
  diag::SourceMap sources;
  diag::Diagnostics diags;
  const auto file = parse_file(
      sources, sources.add("test", "dynamic \"foo\" {\n for_each = l\n nope = 1\n content {}\n}\n"),
      diags);
  const Content content = file->body().content(with_dynamic(schema()), diags);
  const DynamicBlock dynamic = read_dynamic(content.blocks[0], schema().blocks[0], diags);

  EXPECT_FALSE(dynamic.usable);
  EXPECT_EQ(diags.error_count(), 1U);
  EXPECT_NE(dynamic.for_each, nullptr);
  EXPECT_TRUE(dynamic.content.has_value());
}

TEST(Dynamic, WorksInJson) {
  EXPECT_EQ(expanded(R"({"dynamic": {"foo": {"for_each": "${m}", "iterator": "it",
                         "content": {"a": "${it.value}"}}}})",
                     true),
            R"( foo( a="v" ) foo( a="w" ))");
}

}  // namespace
}  // namespace tofu::syntax

#include "views/dot_text.h"

#include <gtest/gtest.h>

namespace tofu::views {
namespace {

TEST(DotText, NodesAndEdgesAreSortedAndQuoted) {
  DotGraph graph;
  graph.nodes = {{"b[\"k\"]", "b", "box"}, {"a\\", "a", "note"}};
  graph.edges = {{1, 0}, {0, 1}};
  EXPECT_EQ(dot_text(graph),
            "digraph {\n"
            "\tcompound = \"true\"\n"
            "\tnewrank = \"true\"\n"
            "\tsubgraph \"root\" {\n"
            "\t\t\"[root] a\\\\\" [label = \"a\", shape = \"note\"]\n"
            "\t\t\"[root] b[\\\"k\\\"]\" [label = \"b\", shape = \"box\"]\n"
            "\t\t\"[root] a\\\\\" -> \"[root] b[\\\"k\\\"]\"\n"
            "\t\t\"[root] b[\\\"k\\\"]\" -> \"[root] a\\\\\"\n"
            "\t}\n"
            "}\n\n");
}

TEST(DotText, AnEdgeThatIsGivenTwiceIsDrawnOnce) {
  DotGraph graph;
  graph.nodes = {{"a", "a", "box"}, {"b", "b", "box"}};
  graph.edges = {{1, 0}, {1, 0}};
  const std::string edge = "\"[root] b\" -> \"[root] a\"";
  const std::string text = dot_text(graph);
  EXPECT_NE(text.find(edge), std::string::npos);
  EXPECT_EQ(text.find(edge), text.rfind(edge));
}

TEST(DotText, WhatHasNoShapeIsNamedByItsEdgesOnly) {
  DotGraph graph;
  graph.nodes = {{"a (close)", {}, {}}, {"b", "b", "box"}};
  graph.edges = {{0, 1}};
  const std::string text = dot_text(graph);
  EXPECT_EQ(text.find("\"[root] a (close)\" ["), std::string::npos);
  EXPECT_NE(text.find("\"[root] a (close)\" -> \"[root] b\"\n"), std::string::npos);
}

TEST(DotText, CyclesAreRed) {
  DotGraph graph;
  graph.nodes = {{"a", {}, {}}, {"b", {}, {}}};
  graph.cycles = {{0, 1}};
  const std::string text = dot_text(graph);
  EXPECT_NE(text.find("\"[root] a\" -> \"[root] b\" [color = \"red\", penwidth = \"2.0\"]\n"),
            std::string::npos);
  EXPECT_NE(text.find("\"[root] b\" -> \"[root] a\" [color = \"red\", penwidth = \"2.0\"]\n"),
            std::string::npos);
}

}  // namespace
}  // namespace tofu::views

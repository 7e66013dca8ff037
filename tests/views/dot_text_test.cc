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
            "}\n");
}

}  // namespace
}  // namespace tofu::views

#include <gtest/gtest.h>

#include "tests/functions/evaluation.h"

namespace tofu::functions {
namespace {

TEST(Marks, SensitiveIsPutOnAndTakenOff) {
  expect_same({
      {"sensitive(\"text\")", "secret.string"},
      {"nonsensitive(secret.string)", "\"text\""},
      {"nonsensitive(\"text\")", "\"text\""},
      {"nonsensitive(sensitive(key.string))", "key.string"},
      {"nonsensitive([secret.string])", "[secret.string]"},
      {"issensitive(secret.string)", "true"},
      {"issensitive([secret.string])", "false"},
      {"issensitive(key.string)", "false"},
      {"issensitive(unk.string) == null", "false"},
  });
}

TEST(Marks, EphemeralPartsBecomeNull) {
  expect_same({
      {"ephemeralasnull(key.string)", "tostring(null)"},
      {"ephemeralasnull({a = key.number, b = [key.string, 1]})",
       "{a = tonumber(null), b = [tostring(null), 1]}"},
      {"ephemeralasnull(sensitive(key.string))", "sensitive(tostring(null))"},
      {"ephemeralasnull(secret.string)", "secret.string"},
      {"ephemeralasnull(unk.string)", "unk.string"},
      {"ephemeralasnull(null)", "null"},
  });
}

}  // namespace
}  // namespace tofu::functions

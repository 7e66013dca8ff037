#include "process/memory_file.h"

#include <filesystem>
#include <gtest/gtest.h>

#include "base/file.h"
#include "process/process.h"

namespace tofu::process {
namespace {

TEST(MemoryFile, OtherProgramsReadItByItsPath) {
  const auto file = MemoryFile::make("the text");
  ASSERT_TRUE(file);
  for (int i = 0; i < 2; ++i) {
    const auto ran = run_guarded({{"cat", file->path()}});
    ASSERT_TRUE(ran);
    EXPECT_EQ(ran->output, "the text") << ran->errors;
  }
}

TEST(MemoryFile, OnlyItsOwnerCanReadIt) {
  const auto file = MemoryFile::make("secret");
  ASSERT_TRUE(file);
  const auto ran = run_guarded({{"stat", "-L", "-c", "%a", file->path()}});
  ASSERT_TRUE(ran);
  EXPECT_EQ(ran->output, "600\n");
}

TEST(MemoryFile, AScriptInMemoryCanBeRun) {
  const auto program = MemoryFile::make_program("#!/bin/sh\necho \"got $1\"\n");
  ASSERT_TRUE(program);
  for (int i = 0; i < 2; ++i) {
    const auto ran = run_guarded({{program->path(), "it"}});
    ASSERT_TRUE(ran) << ran.error().what;
    EXPECT_EQ(ran->output, "got it\n") << ran->errors;
  }
}

TEST(MemoryFile, ItIsGoneWithTheObject) {
  std::string path;
  {
    const auto file = MemoryFile::make("secret");
    ASSERT_TRUE(file);
    path = file->path();
    EXPECT_EQ(*base::read_file(path), "secret");
  }
  EXPECT_FALSE(base::read_file(path));
}

TEST(MemoryFile, ProgramsDoNotInheritIt) {
  const auto file = MemoryFile::make("secret");
  ASSERT_TRUE(file);
  const auto ran = run_guarded({{"sh", "-c", "cat <&" + std::to_string(file->descriptor())}});
  ASSERT_TRUE(ran);
  EXPECT_NE(ran->exit_status, 0);
  EXPECT_EQ(ran->output, "");
}

}  // namespace
}  // namespace tofu::process

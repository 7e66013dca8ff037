#include "documents/library_json.h"

#include <gtest/gtest.h>

#include "symbols/library_set.h"

namespace tofu::documents {
namespace {

// Two libraries in memory: "./main", of the text that is tested, and "./other".
class OneLibrary final : public symbols::LibraryFinder {
 public:
  std::string json_of(std::string text) {
    texts_ = {{"./main", std::move(text)}, {"./other", "values {\n  n = 1\n}\n"}};
    const diag::FileId id =
        sources_.add("x.sym.hcl", "symbols \"m\" {\n  source = \"./main\"\n}\n");
    std::vector<std::unique_ptr<syntax::File>> files;
    files.push_back(syntax::parse_file(sources_, id, diags_));
    const auto importer = symbols::declare_library(std::move(files), sources_, diags_);
    const auto imports = libraries_.load(importer->import_blocks, ".", diags_);
    for (const diag::Diagnostic& each : diags_.items()) ADD_FAILURE() << each.summary;
    return library_json(*imports.find("m")->library);
  }

  std::optional<symbols::LibraryPlace> locate(const symbols::LibraryRequest& request,
                                              diag::Diagnostics&) override {
    const std::string& path = std::get<addrs::LocalSource>(request.source).path;
    return symbols::LibraryPlace{path, path};
  }
  std::vector<std::unique_ptr<syntax::File>> read(const symbols::LibraryPlace& place,
                                                  diag::Diagnostics& diags) override {
    std::vector<std::unique_ptr<syntax::File>> files;
    const diag::FileId id = sources_.add(place.path, texts_[place.path]);
    files.push_back(syntax::parse_file(sources_, id, diags));
    return files;
  }

 private:
  std::map<std::string, std::string> texts_;
  diag::SourceMap sources_;
  diag::Diagnostics diags_;
  symbols::LibrarySet libraries_{this, sources_};
};

TEST(LibraryJson, AnEmptyLibraryOffersNothing) {
  EXPECT_EQ(OneLibrary().json_of(""), R"({"format_version":"1.0","library":{}})");
}

TEST(LibraryJson, TypesListTheirOptionalAttributes) {
  EXPECT_EQ(
      OneLibrary().json_of("typedef \"t\" {\n  type = object({ a = string, b = optional(bool) "
                           "})\n}\ntypedef \"s\" {\n  type = list(symbols::t())\n}\n"),
      R"({"format_version":"1.0","library":{"types":{)"
      R"("s":["list",["object",{"a":"string","b":"bool"},["b"]]],)"
      R"("t":["object",{"a":"string","b":"bool"},["b"]]}}})");
}

TEST(LibraryJson, ValuesHaveTypesAndSecretsStayInside) {
  EXPECT_EQ(OneLibrary().json_of("values {\n  b = sensitive(\"hunter2\")\n  a = [1]\n}\n"),
            R"({"format_version":"1.0","library":{"values":{)"
            R"("a":{"value":[1],"type":["tuple",["number"]]},)"
            R"("b":{"sensitive":true,"type":"string"}}}})");
}

TEST(LibraryJson, FunctionsAreDescribedAsBuiltInOnesAre) {
  EXPECT_EQ(OneLibrary().json_of("function \"f\" {\n  description = \"Adds.\"\n  type = number\n"
                                 "  parameter \"a\" {\n    type = number\n    allow_null = false\n"
                                 "  }\n  parameter \"more\" {\n    description = \"And these.\"\n"
                                 "    variadic = true\n  }\n  return = 1\n}\n"),
            R"({"format_version":"1.0","library":{"functions":{"f":{"description":"Adds.",)"
            R"("return_type":"number","parameters":[{"name":"a","type":"number"}],)"
            R"("variadic_parameter":{"name":"more","description":"And these.",)"
            R"("is_nullable":true,"type":"dynamic"}}}}})");
}

TEST(LibraryJson, ImportsAreListed) {
  EXPECT_EQ(OneLibrary().json_of("symbols \"o\" {\n  source = \"./other\"\n}\n"),
            R"({"format_version":"1.0","library":{"symbols":{"o":{"source":"./other"}}}})");
}

}  // namespace
}  // namespace tofu::documents

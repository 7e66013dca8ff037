#include "fetch/object_fetch.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/hashes.h"
#include "fetch/object_listing.h"
#include "identity/aws_credentials.h"
#include "tests/archive/archive_bytes.h"
#include "tests/net/scratch.h"
#include "tests/net/test_server.h"

namespace tofu::fetch {
namespace {

bool says(const std::string& text, std::string_view words) {
  return text.find(words) != std::string::npos;
}

std::string s3_page(const std::vector<std::string>& keys, const std::string& next = {}) {
  std::string xml =
      "<?xml version=\"1.0\"?>\n<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/\">"
      "<EncodingType>url</EncodingType>";
  xml += next.empty() ? "<IsTruncated>false</IsTruncated>"
                      : "<IsTruncated>true</IsTruncated><NextContinuationToken>" + next +
                            "</NextContinuationToken>";
  for (const std::string& key : keys) {
    xml += "<Contents><Key>" + key + "</Key><Size>1</Size></Contents>";
  }
  return xml + "</ListBucketResult>";
}

class ObjectFetchTest : public ::testing::Test {
 protected:
  using Fetch = base::Result<FetchedPackage> (*)(const Fetching&, const FetchRequest&);

  // The files of the package with their contents, or the error.
  std::string fetch(Fetch with, const std::string& package) {
    const FetchRequest request{.address = package, .into = scratch_.at("into")};
    const net::EnvironmentVariable environment = [this](std::string_view name) {
      const auto found = variables_.find(name);
      return found == variables_.end() ? std::string_view() : std::string_view(found->second);
    };
    const Fetching fetching{web_, credentials_, environment, stop_.get_token(), limits_};
    const auto fetched = with(fetching, request);
    EXPECT_FALSE(std::filesystem::exists(request.into + ".archive"));
    std::string out = fetched ? "" : "error: " + fetched.error().what;
    if (fetched) {
      std::vector<std::string> files;
      for (const auto& each : std::filesystem::recursive_directory_iterator(request.into)) {
        if (!each.is_regular_file()) continue;
        EXPECT_EQ(each.status().permissions(), usual_permissions()) << each.path();
        std::ifstream file(each.path());
        files.push_back(std::filesystem::relative(each.path(), request.into).string() + "=" +
                        std::string{std::istreambuf_iterator<char>(file), {}});
      }
      std::ranges::sort(files);
      out = fmt::format("{}", fmt::join(files, " "));
    }
    std::filesystem::remove_all(request.into);
    return out;
  }

  // Of a new file of this process, as those of every other kind of package.
  std::filesystem::perms usual_permissions() const {
    return std::filesystem::status(scratch_.write("usual", "")).permissions();
  }

  static net::WebOptions quick() {
    net::WebOptions options;
    options.retries = 0;
    return options;
  }

  net::Scratch scratch_;
  // Nothing of the machine that tests run on.
  std::map<std::string, std::string, std::less<>> variables_ = {
      {"AWS_EC2_METADATA_DISABLED", "true"}, {"GCE_METADATA_HOST", "127.0.0.1:1"}};
  std::stop_source stop_;
  net::Web web_{quick(), stop_.get_token()};
  const net::Credentials credentials_;
  archive::FetchLimits limits_;
};

TEST_F(ObjectFetchTest, AnArchiveInABucketIsOnePackage) {
  const std::string archive = archive::Zip().add("main.tf", "hello").finish();
  const net::TestServer server([&](const net::ServerRequest& request) -> net::ServerReply {
    return {.status = request.path() == "/bucket/a%20dir/m.zip" ? 200 : 404, .body = archive};
  });
  const std::string address = "s3::" + server.url("/bucket/a%20dir/m.zip");
  EXPECT_EQ(fetch(fetch_s3, address), "main.tf=hello");
  EXPECT_EQ(server.requests().back().header("authorization"), "");
  EXPECT_EQ(
      fetch(fetch_s3, address + "?version=v%2F1&checksum=sha256:" + base::sha256_hex(archive)),
      "main.tf=hello");
  EXPECT_EQ(server.requests().back().query(), "versionId=v%2F1");
  EXPECT_TRUE(
      says(fetch(fetch_s3, address + "?checksum=sha256:" + base::sha256_hex("")), "checksum"));
  EXPECT_TRUE(says(fetch(fetch_s3, "s3::" + server.url("/bucket/other.zip")), "it does not exist"));
  EXPECT_EQ(fetch(fetch_s3, "s3::" + server.url("/bucket/a%20dir/m.zip?archive=zip")),
            "main.tf=hello");
}

TEST_F(ObjectFetchTest, ADirectoryOfABucketIsListedPageByPage) {
  const net::TestServer server([](const net::ServerRequest& request) -> net::ServerReply {
    if (request.path() != "/bucket") return {.body = request.path()};
    if (request.query() == "encoding-type=url&list-type=2&prefix=mod%2F") {
      return {.body = s3_page({"mod/", "mod/main.tf", "mod/a+b/c%2Bd.tf"}, "p&amp;2")};
    }
    if (request.query() == "continuation-token=p%262&encoding-type=url&list-type=2&prefix=mod%2F") {
      return {.body = s3_page({"mod/z.tf", "mod/sub/"})};
    }
    return {.status = 400};
  });
  EXPECT_EQ(fetch(fetch_s3, "s3::" + server.url("/bucket/mod")),
            "a b/c+d.tf=/bucket/mod/a%20b/c%2Bd.tf main.tf=/bucket/mod/main.tf "
            "z.tf=/bucket/mod/z.tf");
}

TEST_F(ObjectFetchTest, HostileListsAreRefused) {
  std::string page;
  const net::TestServer server([&](const net::ServerRequest& request) -> net::ServerReply {
    return {.body = request.path() == "/bucket" ? page : "x"};
  });
  const std::string address = "s3::" + server.url("/bucket/mod");
  const struct {
    std::vector<std::string> keys;
    const char* words;
  } cases[] = {
      {{"mod/../../x"}, "leads elsewhere"},
      {{"mod//x"}, "leads elsewhere"},
      {{"mod/./x"}, "leads elsewhere"},
      {{"mod/a%5Cb"}, "backslash"},
      {{"mod/a%00b"}, "zero byte"},
      {{"mod/x", "mod/x/y"}, "error"},
      {{"mod/File", "mod/file"}, "only by case"},
      {{"mod/a%CC%88", "mod/%C3%A4"}, "only by case"},
      {{"mod/" + std::string(300, 'x')}, "too long"},
      {{"mod/%zz"}, "cannot be read"},
      {{"module/x", "/etc/passwd"}, "has nothing below"},
      {{}, "has nothing below"},
  };
  for (const auto& each : cases) {
    page = s3_page(each.keys);
    const std::string told = fetch(fetch_s3, address);
    EXPECT_TRUE(told.starts_with("error: ") && says(told, each.words)) << told;
  }
  limits_.files = 2;
  page = s3_page({"mod/a"}, "again");
  EXPECT_TRUE(says(fetch(fetch_s3, address), "more than 2 objects"));
  page = s3_page({}, "again");
  EXPECT_TRUE(says(fetch(fetch_s3, address), "empty page"));
  for (const char* nonsense :
       {"", "<html>", "{}", "<ListBucketResult><IsTruncated>true</IsTruncated>"}) {
    page = nonsense;
    EXPECT_TRUE(says(fetch(fetch_s3, address), "is not understood")) << nonsense;
  }
  limits_.download_bytes = 3;
  limits_.files = 100;
  page = s3_page({"mod/1", "mod/2", "mod/3", "mod/4"});
  EXPECT_TRUE(says(fetch(fetch_s3, address), "longer than 0 bytes"));
}

TEST_F(ObjectFetchTest, KeysComeFromTheAddressTheEnvironmentOrAProfile) {
  const net::TestServer server([](const net::ServerRequest&) -> net::ServerReply {
    return {.body = archive::Zip().add("x", "y").finish()};
  });
  const auto used = [&](const std::string& query) {
    const std::string told = fetch(fetch_s3, "s3::" + server.url("/bucket/m.zip" + query));
    if (told != "x=y") return told;
    const net::ServerRequest request = server.requests().back();
    const std::string header = request.header("authorization");
    if (header.empty()) return std::string("anonymous");
    const std::size_t start = header.find("Credential=") + 11;
    return header.substr(start, header.find('/', start) - start) + " " +
           header.substr(start + header.substr(start).find('/') + 10, 9) + " " +
           request.header("x-amz-security-token");
  };
  EXPECT_EQ(used(""), "anonymous");
  variables_["AWS_SHARED_CREDENTIALS_FILE"] = scratch_.write(
      "credentials",
      "# comment\n[default]\naws_access_key_id = D\naws_secret_access_key=s\n\n[ work ]\n"
      "aws_access_key_id=W\naws_secret_access_key=s\naws_session_token = T\n");
  EXPECT_EQ(used(""), "D us-east-1 ");
  variables_["AWS_PROFILE"] = "work";
  EXPECT_EQ(used("?region=eu-west-1"), "W eu-west-1 T");
  variables_["AWS_ACCESS_KEY_ID"] = "E";
  variables_["AWS_SECRET_ACCESS_KEY"] = "s";
  EXPECT_EQ(used(""), "E us-east-1 ");
  EXPECT_EQ(used("?aws_profile=work"), "W us-east-1 T");
  EXPECT_TRUE(says(used("?aws_profile=nobody"), "has no profile \"nobody\""));
  EXPECT_EQ(used("?aws_access_key_id=Q&aws_access_key_secret=s&aws_access_token=U"),
            "Q us-east-1 U");
  EXPECT_EQ(server.requests().back().target, "/bucket/m.zip");
}

TEST_F(ObjectFetchTest, TheEndpointOfAmazonCanBeReplaced) {
  const net::TestServer server([](const net::ServerRequest&) -> net::ServerReply {
    return {.body = archive::Zip().add("x", "y").finish()};
  });
  variables_["AWS_ENDPOINT_URL_S3"] = server.url();
  EXPECT_EQ(fetch(fetch_s3, "s3::https://s3-eu-west-1.amazonaws.com/bucket/m.zip"), "x=y");
  EXPECT_EQ(server.requests().back().target, "/bucket/m.zip");
}

TEST(S3Place, IsFoundInEveryStyle) {
  const struct {
    const char* address;
    const char* place;
  } cases[] = {
      {"s3::https://s3.amazonaws.com/b/k/l", "https://s3.us-east-1.amazonaws.com us-east-1 b k/l"},
      {"s3::https://s3-eu-west-1.amazonaws.com/b/k",
       "https://s3.eu-west-1.amazonaws.com eu-west-1 b k"},
      {"s3::https://s3.eu-west-1.amazonaws.com/b/k",
       "https://s3.eu-west-1.amazonaws.com eu-west-1 b k"},
      {"s3::https://b.s3-eu-west-1.amazonaws.com/k/l",
       "https://s3.eu-west-1.amazonaws.com eu-west-1 b k/l"},
      {"s3::https://b.s3.eu-west-1.amazonaws.com/k",
       "https://s3.eu-west-1.amazonaws.com eu-west-1 b k"},
      {"s3::https://b.s3.cn-north-1.amazonaws.com.cn/k",
       "https://s3.cn-north-1.amazonaws.com.cn cn-north-1 b k"},
      {"s3::http://minio.example:9000/b/k?region=here", "http://minio.example:9000 here b k"},
      {"s3::https://s3.amazonaws.com/b", "wrong"},
      {"s3::https://s3.amazonaws.com//k", "wrong"},
      {"s3::https://a.b.c.s3.amazonaws.com/k", "wrong"},
      {"s3::https://example.com/b", "wrong"},
  };
  for (const auto& each : cases) {
    auto url = parse_package_url(each.address);
    ASSERT_TRUE(url);
    const auto place = take_s3_place(*url);
    EXPECT_EQ(place ? fmt::format("{} {} {} {}", place->endpoint, place->region, place->bucket,
                                  place->key)
                    : "wrong",
              each.place)
        << each.address;
  }
}

TEST_F(ObjectFetchTest, GoogleIsAskedForArchivesAndDirectories) {
  const net::TestServer server([](const net::ServerRequest& request) -> net::ServerReply {
    if (request.target == "/storage/v1/b/bucket/o?prefix=mod%2F") {
      return {.body = R"({"items":[{"name":"mod/"},{"name":"mod/a.tf"}],"nextPageToken":"n/2"})"};
    }
    if (request.target == "/storage/v1/b/bucket/o?prefix=mod%2F&pageToken=n%2F2") {
      return {.body = R"({"items":[{"name":"mod/b/c.tf"}]})"};
    }
    if (request.path() == "/storage/v1/b/bucket/o/x%2Fm.zip") {
      return {.body = archive::Zip().add("q", "r").finish()};
    }
    return {.status = request.query() == "alt=media" ? 200 : 404, .body = request.path()};
  });
  variables_["STORAGE_EMULATOR_HOST"] = server.authority();
  const std::string address = "gcs::https://www.googleapis.com/storage/v1/bucket/";
  EXPECT_EQ(fetch(fetch_gcs, address + "mod"),
            "a.tf=/storage/v1/b/bucket/o/mod%2Fa.tf b/c.tf=/storage/v1/b/bucket/o/mod%2Fb%2Fc.tf");
  EXPECT_EQ(server.requests().back().header("authorization"), "");
  variables_["GOOGLE_OAUTH_ACCESS_TOKEN"] = "tok";
  EXPECT_EQ(fetch(fetch_gcs, address + "x/m.zip#12"), "q=r");
  EXPECT_EQ(server.requests().back().header("authorization"), "Bearer tok");
  EXPECT_EQ(server.requests().back().query(), "alt=media&generation=12");
  for (const char* wrong : {"gcs::https://example.com/storage/v1/b/k",
                            "gcs::https://www.googleapis.com/storage/v1/b"}) {
    EXPECT_TRUE(says(fetch(fetch_gcs, wrong), "not that of an object")) << wrong;
  }
}

TEST(ObjectPage, NamesAreReadWhateverTheirEscapes) {
  const auto page = read_s3_page(
      "<ListBucketResult><Contents><Key>a&amp;b&#x41;&lt;/Key&gt;</Key></Contents>"
      "</ListBucketResult>");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->names, std::vector<std::string>{"a&bA</Key>"});
  EXPECT_FALSE(read_s3_page("<ListBucketResult><Contents></Contents>"));
  EXPECT_FALSE(read_s3_page("<ListBucketResult><Contents><Key>&x;</Key></Contents>"));
  for (const char* wrong : {"", "[]", R"({"items":[{}]})", R"({"items":[7]})"}) {
    EXPECT_FALSE(read_gcs_page(wrong)) << wrong;
  }
  EXPECT_TRUE(read_gcs_page("{}")->names.empty());
}

}  // namespace
}  // namespace tofu::fetch

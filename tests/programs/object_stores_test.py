"""States in buckets of Alibaba and Tencent: their stand-ins are in object_stores.py."""

import hashlib
import json
import shutil
import unittest

from object_stores import Oss, TableStore, Tencent, Tunnel
from store_place import OBJECT, StoreTest

RECORD = {"ID": "11111111-1111-1111-1111-111111111111", "Operation": "x", "Info": "",
          "Who": "someone@else", "Version": "1", "Created": "2026-01-01T00:00:00Z", "Path": ""}


class OssStore(StoreTest):
    def setUp(self):
        super().setUp()
        self.oss = self.serve(Oss())
        self.tables = self.serve(TableStore(self.oss))
        self.keys = {"ALICLOUD_ACCESS_KEY": "key-id", "ALICLOUD_SECRET_KEY": "key-secret"}

    def block(self, more="", table=True):
        locks = (f'tablestore_endpoint = "{self.tables.url}"\n    tablestore_table = "locks"'
                 if table else "")
        return f'''terraform {{
  backend "oss" {{
    bucket   = "states"
    prefix   = "some/path"
    key      = "st ate"
    region   = "test"
    endpoint = "{self.oss.url}"
    {locks}
    {more}
  }}
}}
'''

    def tearDown(self):
        super().tearDown()
        self.assertEqual([request.target for request in self.oss.refused], [])
        self.assertEqual([request.target for request in self.tables.refused], [])

    def test_opentofu_and_this_program_share_a_bucket(self):
        self.exchange(self.block('acl = "private"\n    encrypt = true', table=False), **self.keys)
        self.assertEqual(sorted(self.oss.objects), ["some/path/st ate", "some/path/two/st ate"])
        _, headers = self.oss.objects["some/path/st ate"]
        kept = {name.lower(): value for name, value in headers.items()}
        self.assertEqual(kept["x-oss-server-side-encryption"], "AES256")
        self.assertEqual(kept["x-oss-object-acl"], "private")

    def test_opentofu_and_this_program_share_a_table(self):
        self.exchange(self.block(), **self.keys)
        self.assertEqual(set(self.tables.rows), {"states/some/path/st ate-md5",
                                                 "states/some/path/two/st ate-md5"})

    def test_many_workspaces_are_listed_in_pages(self):
        self.work.write({"main.tf": self.block(table=False) + OBJECT})
        self.init(**self.keys)
        self.oss.page = 2
        for name in "abcdefg":
            self.oss.objects[f"some/path/{name}/st ate"] = b'{"version": 4}', {}
        listed = self.run_ok("workspace", "list", **self.keys).stdout.split()
        self.assertEqual([name for name in listed if name != "*"], ["default", *"abcdefg"])

    def test_a_lock_left_behind_is_named_and_taken_away(self):
        self.work.write({"main.tf": self.block() + OBJECT})
        self.init(**self.keys)
        self.tables.rows["states/some/path/st ate"] = {"Info": json.dumps(RECORD)}
        run = self.work.tofu("apply", "-auto-approve", **self.keys)
        self.assertEqual(run.status, 1)
        self.assertIn("someone@else", run.said)
        wrong = self.work.tofu("force-unlock", "-force", "other", **self.keys)
        self.assertEqual(wrong.status, 1)
        self.run_ok("force-unlock", "-force", RECORD["ID"], **self.keys)
        self.apply(**self.keys)
        self.assertEqual(set(self.tables.rows), {"states/some/path/st ate-md5"})

    def test_a_state_that_does_not_fit_its_digest_is_not_used(self):
        self.work.write({"main.tf": self.block() + OBJECT})
        self.init(**self.keys)
        self.apply(**self.keys)
        self.oss.objects["some/path/st ate"] = b'{"version": 4}', {}
        run = self.work.tofu("plan", **self.keys)
        self.assertEqual(run.status, 1)
        self.assertIn("MD5", run.said)

    def test_a_role_is_assumed_and_a_profile_is_read(self):
        self.work.write({"main.tf": self.block(f'''sts_endpoint = "{self.oss.url}"
    assume_role_role_arn     = "acs:ram::1:role/states"
    assume_role_session_name = "a b"''') + OBJECT})
        self.init(**self.keys)
        self.assertEqual(self.oss.requests[-1].headers["x-oss-security-token"], "role-token")
        self.work.write({"main.tf": self.block(f'''sts_endpoint = "{self.oss.url}"
    assume_role {{
      role_arn = "acs:ram::1:role/states"
    }}''') + OBJECT})
        self.init("-reconfigure", **self.keys)
        self.assertEqual(self.oss.requests[-1].headers["x-oss-security-token"], "role-token")
        config = self.top / "home/.aliyun/config.json"
        config.parent.mkdir()
        config.write_text(json.dumps({"profiles": [
            {"name": "p", "mode": "AK", "access_key_id": "key-id",
             "access_key_secret": "key-secret"}]}))
        self.work.write({"main.tf": self.block('profile = "p"') + OBJECT})
        self.init("-reconfigure")

    def test_settings_that_make_no_sense_are_named(self):
        for settings, said in (('key = "/x"', "slash"), ('acl = "everybody"', "acl"),
                               ("tablestore_endpoint = null\n    tablestore_table = \"t\"",
                                "tablestore_endpoint")):
            block = self.block(table=False).replace('key      = "st ate"', "")
            self.work.write({"main.tf": block.replace("    region", f"    {settings}\n    region")
                             + OBJECT})
            self.refused(said, **self.keys)
        self.work.write({"main.tf": self.block() + OBJECT})
        self.refused("no credentials: set")

    def test_keys_are_not_shown(self):
        self.work.write({"main.tf": self.block() + OBJECT})
        self.oss.keys["key-id"] = "another"
        run = self.work.tofu("init", TF_LOG="TRACE", **self.keys)
        self.assertEqual(run.status, 1)
        self.assertIn("SignatureDoesNotMatch", run.said)
        self.assertNotIn("key-secret", run.stdout + run.stderr)
        self.oss.refused.clear()


@unittest.skipUnless(shutil.which("openssl"), "there is no openssl")
class CosStore(StoreTest):
    def setUp(self):
        super().setUp()
        self.tencent = self.serve(Tencent(self.top))
        self.tunnel = self.serve(Tunnel({host: self.tencent.port for host in self.tencent.hosts}))
        self.more = {"TENCENTCLOUD_SECRET_ID": "key-id", "TENCENTCLOUD_SECRET_KEY": "key-secret",
                     "SSL_CERT_FILE": str(self.tencent.authority),
                     "HTTPS_PROXY": self.tunnel.url, "https_proxy": self.tunnel.url}

    def block(self, more=""):
        return f'''terraform {{
  backend "cos" {{
    bucket = "{self.tencent.bucket}"
    region = "{self.tencent.region}"
    prefix = "some/path"
    {more}
  }}
}}
'''

    def tearDown(self):
        super().tearDown()
        self.assertEqual([request.target for request in self.tencent.refused], [])

    def test_opentofu_and_this_program_share_a_bucket(self):
        self.exchange(self.block(), **self.more)
        self.assertEqual(sorted(self.tencent.objects), ["some/path/terraform.tfstate",
                                                        "some/path/two/terraform.tfstate"])
        self.assertEqual(self.tencent.tags, set())

    def test_a_lock_left_behind_is_named_and_taken_away(self):
        self.work.write({"main.tf": self.block() + OBJECT})
        self.init(**self.more)
        record = json.dumps(RECORD).encode()
        digest = hashlib.md5(record).hexdigest()
        self.tencent.objects["some/path/terraform.tfstate.tflock"] = record, {
            "x-cos-meta-md5": digest}
        run = self.work.tofu("apply", "-auto-approve", **self.more)
        self.assertEqual(run.status, 1)
        self.assertIn(f"force-unlock {digest}", run.said)
        self.assertIn("someone@else", run.said)
        self.assertEqual(self.tencent.tags, set())
        self.assertEqual(self.work.tofu("force-unlock", "-force", "x", **self.more).status, 1)
        self.run_ok("force-unlock", "-force", digest, **self.more)
        self.apply(**self.more)

    def test_a_tag_left_behind_is_explained(self):
        self.work.write({"main.tf": self.block() + OBJECT})
        self.init(**self.more)
        self.tencent.CreateTag = lambda given: self.tencent.service_error(
            "ResourceInUse.TagDuplicate")
        run = self.work.tofu("plan", **self.more)
        self.assertEqual(run.status, 1)
        self.assertIn("tencentcloud-terraform-lock", run.said)

    def test_a_state_that_is_not_whole_is_not_used(self):
        self.work.write({"main.tf": self.block() + OBJECT})
        self.init(**self.more)
        self.apply(**self.more)
        body, headers = self.tencent.objects["some/path/terraform.tfstate"]
        self.tencent.objects["some/path/terraform.tfstate"] = body[:-1], headers
        run = self.work.tofu("plan", **self.more)
        self.assertEqual(run.status, 1)
        self.assertIn("MD5", run.said)

    def test_a_role_is_assumed(self):
        self.work.write({"main.tf": self.block('''assume_role {
      role_arn         = "qcs::cam::uin/1:roleName/states"
      session_name     = "tofu"
      session_duration = 3600
    }''') + OBJECT})
        self.init(**self.more)
        self.apply(**self.more)
        self.assertEqual(self.tencent.requests[-1].headers.get("x-cos-security-token")
                         or self.tencent.requests[-1].headers.get("X-TC-Token"), "role-token")

    def test_settings_that_make_no_sense_are_named(self):
        for settings, said in (('key = "x/"', "slash"), ('acl = "everybody"', "acl"),
                               ('secret_id = ""', "no credentials: set")):
            self.work.write({"main.tf": self.block(settings) + OBJECT})
            self.refused(said, **self.more)


if __name__ == "__main__":
    unittest.main()

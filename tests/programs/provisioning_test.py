"""Provisioners on another machine, which is an sshd on loopback."""

import getpass
import json
import os
import pathlib
import signal
import socket
import subprocess
import threading
import unittest

from place import PlaceTest

SSHD = "/usr/sbin/sshd"


def why_no_sshd():
    """Empty if an sshd can be started here."""
    if not os.access(SSHD, os.X_OK):
        return "there is no sshd (Debian: openssh-server)"
    if os.getuid() == 0:
        # Where sshd goes to give up privileges: made when it is started as a service.
        pathlib.Path("/run/sshd").mkdir(parents=True, exist_ok=True)
    return ""


class Machine:
    """An ssh server on loopback that lets in this user: one process per connection."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir()
        for name in ("host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f",
                            self.folder / name], check=True)
        (self.folder / "config").write_text(
            f"HostKey {self.folder}/host\nAuthorizedKeysFile {self.folder}/user.pub\n"
            "PidFile none\nUsePAM no\nStrictModes no\nPasswordAuthentication no\n"
            f"PermitRootLogin yes\nSetEnv MACHINE={self.folder.name}\n")
        self.connections = 0
        self.servers = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            with connection:
                self.servers.append(subprocess.Popen(
                    [SSHD, "-i", "-f", self.folder / "config", "-E", self.folder / "log"],
                    stdin=connection, stdout=connection))

    def end(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join()
        for each in self.servers:
            each.terminate()
            each.wait()

    def text(self, name):
        return (self.folder / name).read_text()


@unittest.skipIf(why_no_sshd(), why_no_sshd())
class ProvisioningTest(PlaceTest):
    def setUp(self):
        super().setUp()
        self.target = self.machine("target")
        self.files = self.top / "files"
        self.files.mkdir()

    def machine(self, name):
        made = Machine(self.top / name)
        self.addCleanup(made.end)
        return made

    def connection(self, **more):
        settings = {"host": "127.0.0.1", "port": self.target.port, "user": getpass.getuser(),
                    "private_key": self.target.text("user"), "agent": False,
                    "script_path": f"{self.files}/script_%RAND%.sh", "timeout": "60s", **more}
        return settings

    def configure(self, *provisioners, **connection):
        resource = {"connection": self.connection(**connection), "provisioner": list(provisioners)}
        self.work.write({"main.tf.json": json.dumps(
            {"resource": {"terraform_data": {"a": resource}}}, indent=1)})

    def apply(self, status=0):
        run = self.work.tofu("apply", "-auto-approve", "-no-color")
        self.assertEqual(run.status, status, run.said)
        return run

    def test_files_are_copied_and_commands_run_on_the_other_machine(self):
        self.work.write({"tree/a": "1", "tree/inner/b": "2"})
        self.configure(
            {"file": {"content": "self: ${self.id}", "destination": f"{self.files}/content"}},
            {"file": {"source": "tree", "destination": str(self.files)}},
            {"remote-exec": {"inline": ["echo on $MACHINE", f"cat {self.files}/tree/inner/b"]}})
        run = self.apply()
        self.assertRegex(run.stdout, r"(?m)^terraform_data\.a \(remote-exec\): on target$")
        self.assertRegex(run.stdout, r"(?m)^terraform_data\.a \(remote-exec\): 2$")
        self.assertRegex((self.files / "content").read_text(), "^self: [0-9a-f-]{36}$")
        self.assertEqual(sorted(os.listdir(self.files)), ["content", "tree"])
        self.assertEqual(self.target.connections, 3)

    def test_the_other_machine_is_reached_through_a_bastion(self):
        bastion = self.machine("bastion")
        self.configure(
            {"remote-exec": {"inline": ["echo on $MACHINE"]}},
            host_key=self.target.text("host.pub"), bastion_host="127.0.0.1",
            bastion_port=bastion.port, bastion_private_key=bastion.text("user"),
            bastion_host_key=bastion.text("host.pub"))
        self.assertIn("(remote-exec): on target", self.apply().said)
        self.assertEqual((bastion.connections, self.target.connections), (1, 1))

    def test_no_name_of_a_connection_is_run_by_a_shell_of_this_machine(self):
        mark = self.top / "injected"
        for name in ("host", "user", "bastion_host", "bastion_user", "bastion_port", "port"):
            for hostile in (f"a'$(touch {mark})'", f"`touch {mark}`", f"a;touch {mark};",
                            f"-oProxyCommand=touch {mark}", f"a' -oProxyCommand='touch {mark}"):
                self.configure({"remote-exec": {"inline": ["true"]}},
                               **{"bastion_host": "127.0.0.1", name: hostile})
                self.assertIn("Error:", self.apply(status=1).said)
                self.assertFalse(mark.exists(), (name, hostile))

    def test_secrets_of_a_connection_are_in_no_argument_environment_or_output(self):
        # The other machine is this one, so it sees our processes.
        self.configure(
            {"remote-exec": {"inline": [
                f"cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ > {self.files}/seen 2>/dev/null",
                "exit 1"]}},
            password="hunter2-and-more")
        run = self.apply(status=1)
        self.assertIn("exit status 1", run.said)
        seen = (self.files / "seen").read_bytes().decode(errors="replace")
        self.assertIn("ssh", seen)
        key = self.target.text("user").splitlines()[2]
        for secret in ("hunter2", key):
            self.assertNotIn(secret, seen)
            self.assertNotIn(secret, run.said)

    def test_a_failed_script_taints_the_object(self):
        self.configure({"remote-exec": {"inline": ["echo before", "false"]}})
        run = self.apply(status=1)
        self.assertIn("remote-exec provisioner error", run.said)
        self.assertIn("(remote-exec): before", run.said)
        state = json.loads((self.work.path / "terraform.tfstate").read_text())
        self.assertEqual(state["resources"][0]["instances"][0]["status"], "tainted")
        self.assertEqual(os.listdir(self.files), [])

    def test_an_interrupt_ends_the_script(self):
        os.mkfifo(self.files / "fifo")
        self.configure({"remote-exec": {"inline": [
            f"echo $$ > {self.files}/pid", f"echo started > {self.files}/fifo", "sleep 1000"]}})
        running = self.work.start("apply", "-auto-approve", "-no-color")
        (self.files / "fifo").read_text()
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=60)
        self.assertEqual(running.returncode, 1)
        script = (self.files / "pid").read_text().strip()
        # Gone, or soon: this test has a limit of time.
        while os.path.exists(f"/proc/{script}"):
            pass
        state = json.loads((self.work.path / "terraform.tfstate").read_text())
        self.assertEqual(state["resources"][0]["instances"][0]["status"], "tainted")


if __name__ == "__main__":
    unittest.main()

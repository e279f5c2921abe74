#!/usr/bin/python3
"""Runs several commands on a switch in one go: each is a list of words that go to its program as they are, without a
shell, with or without text on its stdin. The first that fails ends it."""

import subprocess

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = """
module: rackwright_commands
short_description: runs commands without a shell, in order, until one fails
options:
  commands:
    description: what to run, each with C(argv) and optionally C(stdin)
    type: list
    elements: dict
    required: true
"""


def main():
    module = AnsibleModule(argument_spec={"commands": {"type": "list", "elements": "dict", "required": True}})
    printed = []
    for command in module.params["commands"]:
        argv = [str(word) for word in command["argv"]]
        try:
            ended = subprocess.run(argv, input=command.get("stdin", ""), capture_output=True, text=True, check=False)
        except OSError as error:
            module.fail_json(msg="%s: %s" % (argv[0], error.strerror), rc=127, printed=printed)
        if ended.returncode != 0:
            module.fail_json(msg="%s ended with %d" % (argv[0], ended.returncode), stderr=ended.stderr, rc=ended.returncode, printed=printed)
        printed.append(ended.stdout)
    module.exit_json(changed=True, rc=0, printed=printed)


if __name__ == "__main__":
    main()

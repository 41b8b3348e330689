"""What role files widen is the user's to decide."""

from tests.unit.definitions.roles.scene import Scene

WIDE = """\
extends: reviewer
system_prompt: Words need no trust.
timeout: 3m
egress: ["pypi.org:443"]
allowed_tools: [web_fetch, read_file]
mcp_servers: {notes: {command: [notes]}}
gates: [{name: a, command: make a}, {name: test}]
"""


def asked(scene: Scene) -> list[tuple[str, str, str]]:
    return [(f"{it.file}:{it.line}", it.key, it.value) for it in scene.powers()]


def test_everything_that_widens_is_asked_for(scene: Scene) -> None:
    scene.write({"roles/wide.yaml": WIDE})
    file = ".supervisor/roles/wide.yaml"
    assert asked(scene) == [
        (f"{file}:4", "egress", '["pypi.org:443"]'),
        (f"{file}:5", "allowed_tools", '["web_fetch", "read_file"]'),
        (f"{file}:6", "mcp_servers.notes", '{"command": ["notes"]}'),
        (f"{file}:7", "gates[0].command", '["make", "a"]'),
    ]


def test_a_packer_that_is_another_program_is_asked_for(scene: Scene) -> None:
    small = "sources: [$DIFF]\ntoken_budget: 900\npacker: PACKER\n"
    scene.write(
        {
            "roles/a.yaml": "extends: reviewer\ncontext: {packer: repomix}\n",
            "roles/b.yaml": "extends: reviewer\ncontext: {packer: native}\n",
            "strategies/c.yaml": small.replace("PACKER", "repomix"),
            "strategies/d.yaml": small.replace("PACKER", "native"),
            "~/strategies/e.yaml": small.replace("PACKER", "repomix"),
        }
    )
    assert asked(scene) == [
        (".supervisor/roles/a.yaml:2", "context.packer", '"repomix"'),
        (".supervisor/strategies/c.yaml:3", "packer", '"repomix"'),
    ]


def test_the_same_in_a_pack_of_the_project(scene: Scene) -> None:
    scene.write(
        {
            "config.yaml": "cli: claude\npacks: [ours]\n",
            "packs/ours/pack.yaml": "name: ours\nversion: 1.0.0\nroles: [wide]\n",
            "packs/ours/roles/wide.yaml": WIDE,
        }
    )
    assert {where for where, _, _ in asked(scene)} == {
        f".supervisor/packs/ours/roles/wide.yaml:{line}" for line in (4, 5, 6, 7)
    }


def test_the_user_s_own_roles_and_words_ask_for_nothing(scene: Scene) -> None:
    scene.write(
        {
            "~/roles/wide.yaml": WIDE,
            "roles/kind.yaml": "extends: reviewer\nsystem_prompt: Be kind.\ncli: codex\n",
        }
    )
    assert asked(scene) == []


def test_what_is_borrowed_from_a_role_of_the_user_is_asked_for(scene: Scene) -> None:
    scene.write(
        {
            "~/roles/wide.yaml": WIDE,
            "roles/reviewer.yaml": "description: d\nextends: wide\n",
        }
    )
    # The user's role extends the project's reviewer, which extends it: no way out.
    assert "goes round in a circle" in scene.refusal()
    del scene.files[".supervisor/roles/reviewer.yaml"]
    scene.write({"roles/checker.yaml": "description: d\nextends: wide\n"})
    assert asked(scene) == [(".supervisor/roles/checker.yaml:2", "extends", '"wide"')]


def test_a_server_outside_needs_its_host_also_in_a_role_file(scene: Scene) -> None:
    text = 'extends: reviewer\nmcp_servers: {a: {url: "https://mcp.example.com"}}\n'
    scene.write({"roles/it.yaml": text})
    assert (
        "roles/it.yaml:2: mcp_servers.a.url: is outside the sandbox; "
        "write 'mcp.example.com:443' into the role's `egress` too" in scene.refusal()
    )
    scene.write({"roles/it.yaml": f'{text}egress: ["mcp.example.com:443"]\n'})
    assert [server.name for server in scene.role("it").mcp_servers] == ["a"]

"""Attempts on files: to read what is hidden, to write what belongs to others."""

import socket
from pathlib import Path
from typing import Final

from tests.attacks.attempt import Attempt, Heard, Inside, Outcome, run, spec_for, stolen
from tests.attacks.guards import Guards, Slip, careless, option, options, shown, slip
from tests.attacks.outer import ENVIRONMENT_SECRET
from tests.attacks.scene import Scene

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import Mount

_HOME_SHOWN: Final = shown("the home is not mounted", "--ro-bind", "{home}", "{home}")
_ENVIRONMENT: Final = slip("bubblewrap starts without environment", Slip.ENVIRONMENT)


def _leaks_environment(_: Scene, heard: Heard) -> bool:
    return ENVIRONMENT_SECRET.encode() in heard.output


def _wrote_outside(scene: Scene, _: Heard) -> bool:
    return scene.outside_changed()


def _broke_tool(scene: Scene, _: Heard) -> bool:
    return scene.tool_changed()


def _socket_in_tool(scene: Scene) -> None:
    scene.serve(socket.AF_UNIX, str(scene.tool / "agent.sock"))


def _asks_for_socket(scene: Scene, guards: Guards) -> Outcome:
    _socket_in_tool(scene)
    spec = spec_for(scene, _CONNECT.format(path="S['tool'] + '/agent.sock'"))
    if guards.is_careless:
        mount = Mount(source=scene.tool, target=scene.tool)
        spec = replace(spec, ro_paths=(), mounts=(*spec.mounts, mount))
    try:
        heard = run(scene, guards, spec)
    except InvalidInput as refusal:
        return Outcome(succeeded=False, detail=refusal.message)
    return Outcome(succeeded=stolen(scene, heard), detail=str(heard))


def _detour(scene: Scene, guards: Guards) -> Outcome:
    run(scene, guards, spec_for(scene, "os.symlink(S['home'], 'cache')"))
    link = scene.workspace / "cache"
    spec = spec_for(scene, "print(open('/cache/.ssh/id_ed25519').read())")
    source = link.resolve() if guards.is_careless else link
    mount = Mount(source=source, target=Path("/cache"))
    heard = run(scene, guards, replace(spec, mounts=(*spec.mounts, mount)))
    return Outcome(succeeded=stolen(scene, heard), detail=str(heard.result))


_CONNECT: Final = """
s = socket.socket(socket.AF_UNIX); s.settimeout(5)
s.connect({path}); print(s.recv(100).decode())
"""
_WRITE_OUTSIDE: Final = "open(S['outside'] + '/file', 'w').write('broken')"

ATTEMPTS: Final = (
    Attempt(
        what="reads an ssh key in the user's home",
        fact="1",
        layers=(_HOME_SHOWN,),
        perform=Inside(
            program="print(open(S['home'] + '/.ssh/id_ed25519').read())", evidence=stolen
        ),
    ),
    Attempt(
        what="reads the home by way of /proc/self/root and dots",
        fact="1",
        layers=(_HOME_SHOWN,),
        perform=Inside(
            program="""
for way in ('/proc/self/root', '/proc/1/root', '/proc/self/cwd' + '/..' * 20):
    try: print(open(way + S['home'] + '/.ssh/id_ed25519').read())
    except OSError as error: print(error)
""",
            evidence=stolen,
        ),
    ),
    Attempt(
        what="reads /etc/shadow",
        fact="2",
        layers=(shown("of /etc only chosen files are mounted", "--ro-bind", "/etc", "/etc"),),
        perform=Inside(program="print(open('/etc/shadow').read())", evidence=_leaks_environment),
    ),
    Attempt(
        what="reads the supervisor's environment in /proc/1/environ",
        fact="3",
        layers=(_ENVIRONMENT,),
        perform=Inside(
            program="print(open('/proc/1/environ').read())", evidence=_leaks_environment
        ),
    ),
    Attempt(
        what="reads the supervisor's environment in its own",
        fact="3",
        layers=(_ENVIRONMENT,),
        perform=Inside(program="print(dict(os.environ))", evidence=_leaks_environment),
    ),
    Attempt(
        what="reads secrets in the command line of process 1",
        fact="4",
        layers=(slip("options go through a descriptor (--args)", Slip.COMMAND_LINE),),
        perform=Inside(
            program="print(open('/proc/1/cmdline').read())",
            evidence=stolen,
            spec=lambda scene, spec: replace(spec, environment={"TOKEN": scene.secret}),
        ),
    ),
    Attempt(
        what="reads a home through a directory that was left open",
        fact="5",
        layers=(slip("no descriptor is inherited", Slip.DIRECTORY),),
        perform=Inside(
            program="""
for number in range(3, 256):
    try: print(open(f'/proc/self/fd/{number}/.ssh/id_ed25519').read())
    except OSError: pass
""",
            evidence=stolen,
        ),
    ),
    Attempt(
        what="writes a file outside by its path",
        fact="9",
        layers=(shown("nothing else is mounted", "--bind", "{outside}", "{outside}"),),
        perform=Inside(program=_WRITE_OUTSIDE, evidence=_wrote_outside),
    ),
    Attempt(
        what="writes a file outside through a link in the workspace",
        fact="10",
        layers=(shown("nothing else is mounted", "--bind", "{outside}", "{outside}"),),
        perform=Inside(
            program="os.symlink(S['outside'], 'way'); open('way/file', 'w').write('broken')",
            evidence=_wrote_outside,
        ),
    ),
    Attempt(
        what="changes a tool that is shown to it",
        fact="11",
        layers=(
            option(
                "--ro-bind",
                ("--ro-bind", "{tool}", "{tool}"),
                *("--bind", "{tool}", "{tool}"),
            ),
        ),
        perform=Inside(program="open(S['tool'] + '/run', 'w').write('evil')", evidence=_broke_tool),
    ),
    Attempt(
        what="makes files in the root directory, which nothing bounds",
        fact="11",
        layers=(option("--remount-ro /", ("--remount-ro", "/")),),
        perform=Inside(program="open('/evil', 'w').write('x'); got()"),
    ),
    Attempt(
        what="makes files among the devices, which nothing bounds",
        fact="11",
        layers=(option("--remount-ro /dev", ("--remount-ro", "/dev")),),
        perform=Inside(program="open('/dev/evil', 'w').write('x'); got()"),
    ),
    Attempt(
        what="finds the disks and other devices of the host",
        fact="19",
        layers=(option("--dev", ("--dev", "/dev"), "--dev-bind", "/dev", "/dev"),),
        perform=Inside(
            program="""
usual = 'console core fd full mqueue null ptmx pts random shm stderr stdin stdout tty urandom zero'
if found := set(os.listdir('/dev')) - set(usual.split()): got(found)
"""
        ),
    ),
    Attempt(
        what="reads about the machine in /sys",
        fact="44",
        layers=(shown("/sys is not mounted", "--ro-bind", "/sys", "/sys"),),
        perform=Inside(program="if os.listdir('/sys/class/net'): got()"),
    ),
    Attempt(
        what="links a read-only file into the workspace and writes it there",
        fact="12",
        layers=(
            options(
                "the tool is a mount of its own",
                (("--ro-bind", "{tool}", "{tool}"), ()),
                (("--bind", "{workspace}", "{workspace}"), ("--bind", "{root}", "{root}")),
            ),
        ),
        perform=Inside(
            program="os.link(S['tool'] + '/run', S['root'] + '/workspace/mine');"
            " open('mine', 'w').write('evil')",
            evidence=_broke_tool,
        ),
    ),
    Attempt(
        what="talks to an agent's socket of the host",
        fact="23",
        layers=(shown("no socket is mounted", "--ro-bind", "{outside}", "{outside}"),),
        perform=Inside(
            program=_CONNECT.format(path="S['outside'] + '/agent.sock'"),
            stage=lambda scene: scene.serve(socket.AF_UNIX, str(scene.outside / "agent.sock")),
            evidence=stolen,
        ),
    ),
    Attempt(
        what="has a directory with a socket shown read-only by configuration",
        fact="23",
        layers=(
            careless(
                "sandbox.ro_paths refuses sockets", "the directory is mounted without the check"
            ),
        ),
        perform=_asks_for_socket,
    ),
    Attempt(
        what="plants a link where the next sandbox mounts a directory",
        layers=(
            careless("mounts do not go through links that a worker made", "the link is followed"),
        ),
        perform=_detour,
    ),
)

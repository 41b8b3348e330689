"""Small changes by people: some that somebody should look at twice, and some that are harmless.

Each is a path, what stood there and what stands there now.
"""

from typing import Final

Pair = tuple[str, str, str]

_FLASK: Final = "@app.post('/users/<int:pk>')\n@login_required\ndef remove(pk):\n    drop(pk)\n"
_VIEW: Final = """\
def remove(request, pk):
    if not request.user.is_admin:
        raise PermissionDenied
    drop(pk)
"""
_SPRING: Final = """\
@PreAuthorize("hasRole('ADMIN')")
@DeleteMapping("/{id}")
void remove(long id) {
  all.remove(id);
}
"""
_EXPRESS: Final = """\
router.delete('/:id', (req, res) => {
  if (req.user.role !== 'admin') {
    return res.status(403).end();
  }
  remove(req.params.id);
});
"""
_GO_CHECK: Final = """\
func remove(w http.ResponseWriter, r *http.Request) {
	if !isAdmin(r) {
		return
	}
	drop(r)
}
"""

RISKY: Final[dict[str, Pair]] = {
    # Python
    "eval": ("src/calc.py", "", "def total(text):\n    return eval(text)\n"),
    "exec of what was read": ("src/run.py", "", "exec(open(path).read(), scope)\n"),
    "builtins": ("src/run.py", "", "import builtins\nrun = getattr(builtins, name)\n"),
    "import by a variable": ("src/run.py", "", "module = importlib.import_module(name)\n"),
    "shell=True": ("src/git.py", "", "subprocess.run(\n    command,\n    shell=True,\n)\n"),
    "shell by a variable": ("src/git.py", "", "subprocess.run(command, shell=use_shell)\n"),
    "os.system": ("src/git.py", "", "os.system('git ' + words)\n"),
    "os.popen": ("src/git.py", "", "text = os.popen(words).read()\n"),
    "system under another name": ("src/git.py", "", "from os import getcwd, system\n"),
    "a shell as a program": ("src/git.py", "", "run(['bash', '-c', words])\n"),
    "verify=False": (
        "src/client.py",
        "r = requests.get(url)\n",
        "r = requests.get(url, verify=False)\n",
    ),
    "unverified context": ("src/client.py", "", "context = ssl._create_unverified_context()\n"),
    "no certificate": ("src/client.py", "", "context.verify_mode = ssl.CERT_NONE\n"),
    "unknown hosts": ("src/ssh.py", "", "ssh.set_missing_host_key_policy(AutoAddPolicy())\n"),
    "pickle": ("src/cache.py", "", "value = pickle.loads(body)\n"),
    "pickle under another name": ("src/cache.py", "", "from pickle import loads as read\n"),
    "yaml.load": ("src/settings.py", "", "value = yaml.load(text, Loader=yaml.Loader)\n"),
    "a check is gone": ("src/views.py", _VIEW, "def remove(request, pk):\n    drop(pk)\n"),
    "a check is turned round": (
        "src/views.py",
        _VIEW,
        _VIEW.replace("not request.user.is_admin", "request.user.is_admin"),
    ),
    "a check is always true": (
        "src/views.py",
        _VIEW,
        _VIEW.replace("is_admin:", "is_admin and False:"),
    ),
    "a check is a comment now": (
        "src/views.py",
        _VIEW,
        "def remove(request, pk):\n    # if not request.user.is_admin:\n    drop(pk)\n",
    ),
    "a decorator is gone": ("src/app.py", _FLASK, _FLASK.replace("@login_required\n", "")),
    "permission classes": (
        "src/api.py",
        "class Users(View):\n    permission_classes = [IsAdminUser]\n",
        "class Users(View):\n    pass\n",
    ),
    "another owner": (
        "src/notes.py",
        "def show(note):\n    if note.owner_id != user.id:\n        abort(403)\n    return note\n",
        "def show(note):\n    return note\n",
    ),
    "csrf_exempt": ("src/views.py", "", "@csrf_exempt\ndef pay(request): ...\n"),
    "no middleware": (
        "src/settings.py",
        'MIDDLEWARE = [\n    "django.middleware.csrf.CsrfViewMiddleware",\n    "other",\n]\n',
        'MIDDLEWARE = [\n    "other",\n]\n',
    ),
    "all origins": ("src/app.py", "", 'CORS(app, origins="*")\n'),
    "debug": ("src/settings.py", "DEBUG = False\n", "DEBUG = True\n"),
    "md5": ("src/hash.py", "", "digest = hashlib.md5(password.encode()).hexdigest()\n"),
    "jwt": ("src/token.py", "", 'jwt.decode(t, options={"verify_signature": False})\n'),
    "a query of parts": ("src/db.py", "", 'cursor.execute(f"SELECT * FROM t WHERE id={pk}")\n'),
    "a template of text": ("src/page.py", "", "return render_template_string(text)\n"),
    "chmod": ("src/files.py", "", "os.chmod(path, 0o777)\n"),
    "drop in a string": ("src/db.py", "", 'cursor.execute("DROP TABLE users")\n'),
    "all rows": ("src/db.py", "", 'connection.execute("DELETE FROM sessions")\n'),
    "all objects": ("src/clean.py", "", "User.objects.all().delete()\n"),
    "chance": ("src/reset.py", "", "token = str(random.random())\n"),
    "no comparison in equal time": (
        "src/token.py",
        "ok = hmac.compare_digest(a, b)\n",
        "ok = a == b\n",
    ),
    # JavaScript and TypeScript
    "new Function": ("src/rule.ts", "", "const rule = new Function('x', text);\n"),
    "eval by its window": ("web/rule.js", "", "window.eval(text);\n"),
    "child_process": ("src/git.js", "", "const { exec } = require('child_process');\n"),
    "execSync": ("src/git.js", "", "const out = execSync(`git ${words}`);\n"),
    "rejectUnauthorized": ("src/agent.ts", "", "new Agent({ rejectUnauthorized: false });\n"),
    "a quoted key": ("src/agent.js", "", 'new Agent({ "rejectUnauthorized": false });\n'),
    "a variable": ("src/agent.js", "", "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';\n"),
    "html": ("src/Page.tsx", "", "<div dangerouslySetInnerHTML={{ __html: body }} />\n"),
    "innerHTML": ("src/page.js", "", "element.innerHTML = body;\n"),
    "a role": (
        "src/routes.js",
        _EXPRESS,
        "router.delete('/:id', (req, res) => {\n  remove(req.params.id);\n});\n",
    ),
    "a middleware": (
        "src/routes.ts",
        "app.post('/pay', requireAuth, pay);\n",
        "app.post('/pay', pay);\n",
    ),
    "cors": ("src/app.js", "", "app.use(cors());\n"),
    "cookies": ("src/app.js", "", "session({ cookie: { secure: false } });\n"),
    "a template query": ("src/db.ts", "", "db.query(`SELECT * FROM t WHERE id = ${id}`);\n"),
    "no algorithm": ("src/jwt.ts", "", "sign(payload, key, { algorithm: 'none' });\n"),
    # Go
    "InsecureSkipVerify": ("net.go", "", "c := &tls.Config{InsecureSkipVerify: true}\n"),
    "sh in Go": ("run.go", "", 'exec.Command("sh", "-c", words)\n'),
    "a command by a variable": ("run.go", "", "exec.Command(name, words...)\n"),
    "a check in Go": (
        "api.go",
        _GO_CHECK,
        "func remove(w http.ResponseWriter, r *http.Request) {\n\tdrop(r)\n}\n",
    ),
    "md5 in Go": ("sum.go", "", "sum := md5.Sum(password)\n"),
    "unsafe Go": ("fast.go", "", "p := (*int)(unsafe.Pointer(&x))\n"),
    # Rust
    "invalid certificates": ("src/net.rs", "", "builder.danger_accept_invalid_certs(true);\n"),
    "unsafe Rust": ("src/fast.rs", "", "let x = unsafe { *p };\n"),
    "sh in Rust": ("src/run.rs", "", 'Command::new("sh").arg("-c").arg(words);\n'),
    # Java
    "@PreAuthorize": ("Users.java", _SPRING, _SPRING.partition("\n")[2]),
    "runtime": ("Run.java", "", "Runtime.getRuntime().exec(words);\n"),
    "objects": ("Read.java", "", "Object o = new ObjectInputStream(in).readObject();\n"),
    "csrf in Java": ("Web.java", "", "http.csrf().disable();\n"),
    "permitAll": ("Web.java", "", 'http.requestMatchers("/admin/**").permitAll();\n'),
    "ecb": ("Box.java", "", 'Cipher.getInstance("AES/ECB/PKCS5Padding");\n'),
    # Shell, containers, pipelines
    "curl | sh": ("setup.sh", "", "curl -fsSL https://x.example/i | sudo bash\n"),
    "curl -k": ("setup.sh", "", "curl -sk https://x.example/i -o i\n"),
    "eval in a shell": ("run.sh", "", 'eval "$words"\n'),
    "chmod 777": ("run.sh", "", "chmod -R 777 /srv/data\n"),
    "rm -rf": ("clean.sh", "", 'rm -rf "$HOME/$dir"\n'),
    "force": ("release.sh", "", "git push --force origin main\n"),
    "root again": ("Dockerfile", "FROM a\nUSER app\n", "FROM a\n"),
    "root": ("Dockerfile", "FROM a\n", "FROM a\nUSER root\n"),
    "privileged": ("deploy/app.yaml", "", "securityContext:\n  privileged: true\n"),
    "--privileged": ("run.sh", "", "docker run --privileged app\n"),
    "hostPath": ("deploy/app.yaml", "", "volumes:\n  - name: a\n    hostPath:\n      path: /\n"),
    "the socket": ("compose.yml", "", "volumes:\n  - /var/run/docker.sock:/var/run/docker.sock\n"),
    "every verb": ("deploy/role.yaml", "", 'rules:\n  - verbs: ["*"]\n'),
    "every verb in a list": ("deploy/role.yaml", "", "rules:\n  - resources:\n      - '*'\n"),
    "write-all": (".github/workflows/ci.yml", "", "permissions: write-all\n"),
    "target": (".github/workflows/ci.yml", "", "on:\n  pull_request_target:\n"),
    # SQL and clouds
    "DROP TABLE": ("db/1.sql", "", "DROP TABLE users;\n"),
    "a column": ("db/1.sql", "", "ALTER TABLE users\n  DROP COLUMN email;\n"),
    "TRUNCATE": ("db/1.sql", "", "truncate table sessions;\n"),
    "DELETE": ("db/1.sql", "", "DELETE FROM sessions;\n"),
    "UPDATE": ("db/1.sql", "", "UPDATE users SET is_admin = true;\n"),
    "GRANT": ("db/1.sql", "", "GRANT ALL PRIVILEGES ON db TO web;\n"),
    "a migration": ("migrations/2.py", "", "op.drop_column('users', 'email')\n"),
    "a new table": ("db/1.sql", "", "CREATE TABLE a (id int);\n"),
    "the whole world": ("net.tf", "", 'cidr_blocks = ["0.0.0.0/0"]\n'),
    "a public bucket": ("s3.tf", "", 'acl = "public-read"\n'),
    "every action": ("iam.tf", "", 'actions = ["*"]\n'),
    "no protection": ("db.tf", "prevent_destroy = true\n", "name = 1\n"),
    "TLS off": ("db.tf", "", 'sslmode = "disable"\n'),
    # Size
    "rewritten": (
        "src/long.py",
        "".join(f"a{number} = {number}\n" for number in range(1500)),
        "".join(f"a{number} = -{number}\n" for number in range(1500)),
    ),
    "four hundred new lines": (
        "src/long.py",
        "",
        "".join(f"a{number} = {number}\n" for number in range(400)),
    ),
}

_CHECKED: Final = _VIEW + "\n\ndef show(request):\n    return page(request)\n"

HARMLESS: Final[dict[str, Pair]] = {
    "a comment in auth.py": ("src/auth.py", "a = 1\n", "# Tokens end after an hour.\na = 1\n"),
    "a docstring": (
        "src/auth.py",
        "def check():\n    return 1\n",
        'def check():\n    """Never eval(text) or DROP TABLE."""\n    return 1\n',
    ),
    "a comment about eval": ("src/a.py", "a = 1\n", "a = 1  # no eval(text), no shell=True\n"),
    "a comment in JavaScript": (
        "src/login.js",
        "f();\n",
        "/* eval(x)\n * rejectUnauthorized: false */\nf();\n",
    ),
    "a comment in Go": ("auth.go", "f()\n", "// InsecureSkipVerify: true would be wrong\nf()\n"),
    "a comment in Rust": ("src/auth.rs", "f();\n", "f(); // unsafe { }\n"),
    "a comment in Java": ("Auth.java", "f();\n", "/** @PreAuthorize is on the class */\nf();\n"),
    "a comment in YAML": ("app.yaml", "a: 1\n", "a: 1  # privileged: true is not needed\n"),
    "a comment in SQL": ("a.sql", "SELECT 1;\n", "-- DROP TABLE users;\nSELECT 1;\n"),
    "a comment in a Dockerfile": ("Dockerfile", "FROM a\n", "# USER root\nFROM a\n"),
    "a comment in Terraform": ("a.tf", "a = 1\n", '# cidr_blocks = ["0.0.0.0/0"]\na = 1\n'),
    "a comment goes": ("src/auth.py", "# if not user.is_admin\na = 1\n", "a = 1\n"),
    "a blank line": ("src/auth.py", "a = 1\nb = 2\n", "a = 1\n\n\nb = 2\n"),
    "a word in a string": ("src/a.py", "", 'print("eval(text) is not allowed")\n'),
    "a model in evaluation": ("src/model.py", "", "model.eval()\n"),
    "a regular expression": ("src/a.js", "", "const found = pattern.exec(text);\n"),
    "ast.literal_eval": ("src/a.py", "", "value = ast.literal_eval(text)\n"),
    "a function of that name": ("src/a.py", "", "def evaluate(text):\n    return len(text)\n"),
    "a program without a shell": (
        "src/a.py",
        "",
        "subprocess.run(['git', 'status'], check=True)\n",
    ),
    "shell=False": ("src/a.py", "", "run(words, shell=False)\n"),
    "verify=True": ("src/a.py", "", "requests.get(url, verify=True, timeout=5)\n"),
    "a safe loader": (
        "src/a.py",
        "",
        "yaml.load(text, Loader=yaml.SafeLoader)\nyaml.safe_load(b)\n",
    ),
    "sha256": ("src/a.py", "", "hashlib.sha256(data).hexdigest()\n"),
    "a method that moves": (
        "src/views.py",
        _CHECKED,
        "def show(request):\n    return page(request)\n\n\n" + _VIEW,
    ),
    "a check that is written with other blanks": (
        "src/routes.js",
        "if(!user.isAdmin){ stop(); }\n",
        "if (!user.isAdmin) { stop(); }\n",
    ),
    "a program in Go": ("run.go", "", 'exec.Command("git", "status")\n'),
    "JSON in Java": ("Read.java", "", "Note note = mapper.readValue(text, Note.class);\n"),
    "a mode": ("src/a.py", "", "os.chmod(path, 0o644)\n"),
    "chmod +x": ("setup.sh", "", "chmod +x run.sh\nchmod 755 run.sh\n"),
    "curl to a file": ("setup.sh", "", "curl -fsSL https://x.example/a -o a\n"),
    "a directory of its own": ("Makefile", "", "clean:\n\trm -rf build dist\n"),
    "rows that are meant": ("src/db.py", "", 'run("DELETE FROM t WHERE id = ?", pk)\n'),
    "an update that is meant": ("db/q.sql", "", "UPDATE t SET a = 1 WHERE id = 2;\n"),
    "a query": ("src/db.py", "", 'rows = run("SELECT a FROM t WHERE b = ?", b)\n'),
    "one origin": ("src/app.py", "", 'CORS(app, origins="https://x.example")\n'),
    "a user": ("Dockerfile", "FROM a\n", "FROM a\nUSER app\n"),
    "not privileged": ("app.yaml", "", "securityContext:\n  privileged: false\n"),
    "a verb": ("role.yaml", "", 'verbs: ["get", "list"]\n'),
    "a network": ("net.tf", "", 'cidr_blocks = ["10.0.0.0/8"]\n'),
    "a branch": (".github/workflows/ci.yml", "", "on:\n  push:\n    branches: [main]\n"),
    "a constant": ("src/a.ts", "export const SIZE = 1;\n", "export const SIZE = 2;\n"),
    "words on a page": ("src/Page.tsx", "", "<p>Welcome back!</p>\n"),
    "a test of eval": ("tests/test_a.py", "", "assert eval('1') == 1\n"),
    "a document": ("docs/a.md", "", "Never use eval(text) or verify=False.\n"),
    "a long table": ("data/a.json", "", "[\n" + "1,\n" * 3000 + "2]\n"),
    "an import": ("src/a.py", "", "from pathlib import Path\n"),
}

"""Ordinary code, configuration and prose come through unchanged."""

from pathlib import Path

import pytest

import supervisor_ai
from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.domain.redaction.rule import lower

REDACTOR = RuleRedactor()

TRAPS = [
    "token: str",
    "token: str | None = None",
    "    password: SecretStr",
    "def login(user: str, password: str) -> Token:",
    "async def refresh(token: AccessToken2, *, secret: bytes) -> None:",
    'password = request.form["password"]',
    'password = form.cleaned_data["password1"]',
    "self.token = token",
    "self._api_key = api_key or settings.API_KEY_V2",
    "token = os.environ['GITHUB_TOKEN_2']",
    'api_key = os.getenv("OPENAI_API_KEY_1")',
    "const token = await getAccessToken2(user);",
    "const { token, secret } = await vault.read('kv/app1');",
    "apiKey: string;",
    "  accessToken?: Uint8Array;",
    "private_key: Ed25519PrivateKey",
    "password: z.string().min(8),",
    "token: oauth2Token,",
    "GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}",
    "password: ${DB_PASSWORD}",
    'password = "${DB_PASSWORD_2}"',
    "PASSWORD=$DB_PASSWORD_2",
    "PASSWORD=$(vault read -field=value secret/db1)",
    "set PASSWORD=%DB_PASSWORD%",
    'secret = "{{ vault_secret_1 }}"',
    'token = f"{prefix}-{suffix}"',
    'url = f"postgres://{user}:{password}@{host}/{db}"',
    "DATABASE_URL=postgres://${USER}:${PASSWORD}@db:5432/app",
    "https://user:password@example.com/path",
    "https://user:<password>@example.com",
    "http://localhost:3000/@vite/client",
    "http://127.0.0.1:8080/users/a@b.example",
    "ssh://git@github.com:22/org/repo.git",
    "git+https://github.com/org/repo@v1.2.3",
    "docker://registry.example.com:5000/image@sha256:abc",
    "mailto:someone@example.com",
    "api_key = 'your-api-key-here'",
    'api_key: "YOUR_API_KEY"',
    "API_KEY=changeme",
    'password = "<your password>"',
    "token = 'xxxxxxxxxxxxxxxxxxxx'",
    "export ANTHROPIC_API_KEY=sk-ant-your-key-here-please",
    "OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "password = '********'",
    'password_field = "password_confirm_2"',
    'token_type = "urn:ietf:params:oauth:token-type:jwt2"',
    'TOKEN_URL = "https://auth.example.com/oauth2/token"',
    'secret_name = "prod/db-2/password-17"',
    "secretName: my-tls-secret-2024a",
    "private_key_path: /etc/ssl/private/server-2024.key",
    "    key_file: certs/tls-2024.pem",
    "token_expires_at: 2024-05-01T10:00:00Z",
    "max_tokens: 128000",
    'tokenizers = ">=0.15.2,<0.16"',
    'tiktoken = "^0.14.0-rc1"',
    '"csrf_token": "csrfmiddlewaretoken"',
    'INTERNAL_RESET_SESSION_TOKEN = "_password_reset_token"',
    'password_help = "Enter at least 8 characters, 1 digit"',
    '"password": "Passwort vergessen?"',
    '<input type="password" name="password1" id="id_password1">',
    '<label for="password">Password</label>',
    "if password == confirm_password1:",
    "raise AuthError('Bearer token_required for this endpoint')",
    "Authorization: Bearer <token>",
    "Authorization: Bearer ${ACCESS_TOKEN_1}",
    'headers = {"Authorization": f"Bearer {token}"}',
    'WWW-Authenticate: Basic realm="site"',
    "docker run -u 1000:1000 image",
    "curl -u $USER:$PASSWORD https://x",
    "--password-file /run/secrets/db1",
    "mysql --user root --password",
    "task-abcdefghijklmnopqrstuvwxyz0123456789abcd",
    "the disk-encryption-and-key-management-guide-2nd-edition",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    '"integrity": "sha512-oRw2Kc1x8bJm9cQ0dUu7gT0zjYb1b3a5yq3l8Hq5oQ=="',
    "id: 123e4567-e89b-12d3-a456-426614174000",
    "-----BEGIN CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----",
    'assert "-----BEGIN PRIVATE KEY-----" in text',
    "The private key begins with -----BEGIN RSA PRIVATE KEY----- and ends with an END line.",
    "primary_key = models.BigAutoField()",
    "sort_key: created_at_2024",
    "for key, value in items2.items():",
    "npm_config_registry=https://registry.npmjs.org/",
    "--color-token-primary: #3e8f2bcd;",
    "tokens = tokenizer.encode2(text)",
    "pass  # nothing to do in version 2",
    "compass: north-by-northwest-2",
    "passthrough: Value1Value",
    "eyJ is how JSON begins in base64",
    "user[:password]@host",
    "password: !vault |",
    "password: ENC[AES256_GCM,data:abc123,type:str]",
    "secret: vault:secret/data/app#key1",
    "arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-AbCdEf",
]


@pytest.mark.parametrize("line", TRAPS)
def test_a_trap_is_left_alone(line: str) -> None:
    text = f"before\n{line}\nafter\n"

    assert REDACTOR.redact(text).text == text
    assert REDACTOR.redact(line).count == 0


def test_our_own_code_is_left_alone() -> None:
    sources = Path(supervisor_ai.__file__).parent.rglob("*.py")

    touched = [path.name for path in sources if REDACTOR.redact(path.read_text()).count]

    assert touched == []


def test_lower_case_keeps_every_character_in_its_place() -> None:
    assert [point for point in range(0x110000) if len(lower(chr(point))) != 1] == []

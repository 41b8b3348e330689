"""Secrets of every kind that a rule knows, each in a line as one meets it."""

import string
from dataclasses import dataclass

from tests.redaction_corpus.chance import CHANCE, HEX, age_key, body, github_token, jwt, uuid

# Every module begins anew, so that no order of imports changes what chance makes.
CHANCE.seed("kinds")

LOWER = string.ascii_lowercase + string.digits
UPPER = string.ascii_uppercase + string.digits


@dataclass(frozen=True)
class Kind:
    """A secret, and a line as one meets it in; `{}` is its place."""

    name: str
    secret: str
    line: str = "key is {} indeed"

    @property
    def is_known_anywhere(self) -> bool:
        """Tell whether no part of the line around it helps to know it."""
        return self.line == "key is {} indeed" or self.name in {"anthropic-key", "github-token"}

    @property
    def text(self) -> str:
        return self.line.replace("{}", self.secret)


def format_kinds() -> list[Kind]:
    token = jwt()
    return [
        Kind("anthropic-key", f"sk-ant-api03-{body(90)}AA", "ANTHROPIC_API_KEY={}"),
        Kind("openai-key", f"sk-proj-{body(70)}T3BlbkFJ{body(70)}", '  "key": "{}",'),
        Kind("openai-key", f"sk-{body(48)}", "openai.api_key = '{}'"),
        Kind("openai-key", f"sk-{body(20)}T3BlbkFJ{body(20)}"),
        Kind("openrouter-key", f"sk-or-v1-{body(64, HEX)}"),
        Kind("google-key", f"AIza{body(35)}", "https://maps.example.com/?key={}&v=3"),
        Kind("huggingface-token", f"hf_{body(34)}"),
        Kind("groq-key", f"gsk_{body(52)}"),
        Kind("xai-key", f"xai-{body(80)}"),
        Kind("perplexity-key", f"pplx-{body(48)}"),
        Kind("replicate-token", f"r8_{body(37)}"),
        Kind("langsmith-key", f"lsv2_pt_{body(32, HEX)}_{body(10, HEX)}"),
        Kind("github-token", github_token("ghp"), "git clone https://{}@github.com/a/b"),
        Kind("github-token", github_token("gho")),
        Kind("github-token", github_token("ghs"), "remote: {}"),
        Kind("github-token", f"github_pat_{body(22)}_{body(59)}"),
        Kind("gitlab-token", f"glpat-{body(20)}", "PRIVATE-TOKEN: {}"),
        Kind("bitbucket-token", f"ATBB{body(32)}"),
        Kind("atlassian-token", f"ATATT3{body(180)}"),
        Kind("npm-token", github_token("npm"), "//registry.npmjs.org/:_authToken={}"),
        Kind("pypi-token", f"pypi-AgEIcHlwaS5vcmc{body(120)}"),
        Kind("rubygems-token", f"rubygems_{body(48, HEX)}"),
        Kind("crates-token", f"cio{body(32)}"),
        Kind("docker-token", f"dckr_pat_{body(27)}"),
        Kind("pulumi-token", f"pul-{body(40, HEX)}"),
        Kind("terraform-token", f"{body(14)}.atlasv1.{body(67)}"),
        Kind("postman-key", f"PMAK-{body(24, HEX)}-{body(34, HEX)}"),
        Kind("sentry-token", f"sntrys_{body(100)}"),
        Kind("aws-key-id", f"AKIA{body(16, string.ascii_uppercase + '234567')}"),
        Kind("aws-key-id", f"ASIA{body(16, string.ascii_uppercase + '234567')}", "id={},"),
        Kind("aws-secret-key", body(38) + "/+", "aws_secret_access_key = {}"),
        Kind("aws-secret-key", body(40), '"SecretAccessKey": "{}",'),
        Kind("aws-session-token", body(356) + "==", "aws_session_token={}"),
        Kind("google-oauth", f"ya29.{body(120)}"),
        Kind("google-oauth", f"GOCSPX-{body(28)}"),
        Kind("google-oauth", f"1//0{body(60)}"),
        Kind("azure-key", body(86) + "==", "AccountName=x;AccountKey={};EndpointSuffix=y"),
        Kind("azure-key", body(43) + "=", "SharedAccessKeyName=x;SharedAccessKey={}"),
        Kind("azure-signature", body(43) + "%3D", "https://x.blob.example.net/c?sp=r&sig={}&sv=1"),
        Kind("digitalocean-token", f"dop_v1_{body(64, HEX)}"),
        Kind("heroku-key", f"HRKU-{body(36)}"),
        Kind("databricks-token", f"dapi{body(32, HEX)}"),
        Kind("fly-token", f"fm2_{body(90)}"),
        Kind("netlify-token", f"nfp_{body(36)}"),
        Kind("supabase-key", f"sbp_{body(40, HEX)}"),
        Kind("planetscale-token", f"pscale_tkn_{body(43)}"),
        Kind("vault-token", f"hvs.{body(90)}"),
        Kind("doppler-token", f"dp.pt.{body(43)}"),
        Kind("age-key", age_key()),
        Kind("slack-token", f"xoxb-{body(12, '123456789')}-{body(24)}"),
        Kind("slack-token", f"xapp-1-A{body(9).upper()}-{body(40)}"),
        Kind("slack-webhook", f"T{body(8)}/B{body(8)}/{body(24)}", "hooks.slack.com/services/{}"),
        Kind(
            "discord-webhook",
            body(68),
            "https://discord.example.com/api/webhooks/123456789012345678/{}",
        ),
        Kind("telegram-token", f"AA{body(33)}", "bot 123456789:{} runs"),
        Kind("stripe-key", f"sk_live_{body(24)}"),
        Kind("stripe-key", f"rk_test_{body(24)}"),
        Kind("stripe-webhook", f"whsec_{body(32)}"),
        Kind("sendgrid-key", f"SG.{body(22)}.{body(43)}"),
        Kind("twilio-key", f"SK{body(32, HEX)}"),
        Kind("mailgun-key", f"key-{body(32, HEX)}"),
        Kind("shopify-token", f"shpat_{body(32, HEX)}"),
        Kind("square-token", f"sq0atp-{body(22)}"),
        Kind("newrelic-key", f"NRAK-{body(27, string.ascii_uppercase + string.digits)}"),
        Kind("grafana-token", f"glsa_{body(32)}_{body(8, HEX)}"),
        Kind("linear-key", f"lin_api_{body(40)}"),
        Kind("notion-token", f"ntn_{body(46)}"),
        Kind("airtable-token", f"pat{body(14)}.{body(64, HEX)}"),
        Kind("figma-token", f"figd_{body(40)}"),
        Kind("google-key", f"AQ.Ab{body(46)}"),
        Kind("huggingface-token", f"api_org_{body(34)}"),
        Kind("langfuse-key", f"sk-lf-{uuid()}"),
        Kind("nvidia-key", f"nvapi-{body(64)}"),
        Kind("cerebras-key", f"csk-{body(48, LOWER)}"),
        Kind("together-key", f"tgp_v1_{body(43)}"),
        Kind("pinecone-key", f"pcsk_{body(6)}_{body(63)}"),
        Kind("tavily-key", f"tvly-dev-{body(32)}"),
        Kind("jina-key", f"jina_{body(32, HEX)}{body(28)}"),
        Kind("elevenlabs-key", f"sk_{body(48, HEX)}"),
        Kind("wandb-key", f"wandb_v1_{body(77)}"),
        Kind("bedrock-key", f"ABSK{body(128)}="),
        Kind("bedrock-key", f"bedrock-api-key-{body(200)}"),
        Kind("gitlab-token", f"glrt-t1_{body(27)}.{body(9)}"),
        Kind("gitlab-token", f"GR1348941{body(20)}"),
        Kind("gitlab-token", body(32, HEX), "Cookie: _gitlab_session={}; Path=/"),
        Kind("nuget-key", f"oy2{body(43, LOWER)}"),
        Kind("sonar-token", f"squ_{body(40, HEX)}"),
        Kind("buildkite-token", f"bkua_{body(40, HEX)}"),
        Kind("circleci-token", f"CCIPAT_{body(22)}_{body(40, HEX)}"),
        Kind("octopus-key", f"API-{body(26, UPPER)}"),
        Kind("prefect-key", f"pnu_{body(36)}"),
        Kind("azure-key", f"{body(76)}+ASt{body(5)}A=="),
        Kind("azure-devops-token", f"{body(76)}AZDO{body(4)}"),
        Kind("alibaba-key-id", f"LTAI{body(20)}"),
        Kind("yandex-key", f"AQVN{body(36)}"),
        Kind("yandex-key", f"YCA{body(37)}"),
        Kind("fly-token", f"fo1_{body(43)}"),
        Kind("vercel-token", f"vcp_{body(56)}"),
        Kind("tailscale-key", f"tskey-auth-{body(17)}-{body(32)}"),
        Kind("supabase-key", f"sb_secret_{body(22)}_{body(8)}"),
        Kind("neon-key", f"napi_{body(64, LOWER)}"),
        Kind("onepassword-token", f"ops_eyJ{body(400)}"),
        Kind("slack-token", f"xoxe.xoxp-1-{body(160)}"),
        Kind(
            "teams-webhook",
            f"{uuid()}@{uuid()}/IncomingWebhook/{body(32, HEX)}/{uuid()}",
            "https://example.webhook.office.com/webhookb2/{}",
        ),
        Kind("mailgun-key", f"pubkey-{body(32, HEX)}"),
        Kind("mailchimp-key", f"{body(32, HEX)}-us12"),
        Kind("brevo-key", f"xkeysib-{body(64, HEX)}-{body(16)}"),
        Kind("resend-key", f"re_{body(8)}_{body(24)}"),
        Kind("square-token", f"EAAA{body(60)}"),
        Kind("facebook-token", f"EAAC{body(180)}"),
        Kind("gocardless-token", f"live_{body(40)}"),
        Kind("plaid-token", f"access-production-{uuid()}"),
        Kind("paddle-key", f"pdl_live_apikey_{body(26, LOWER)}_{body(22)}_{body(3)}"),
        Kind("shippo-token", f"shippo_live_{body(40, HEX)}"),
        Kind("newrelic-key", f"NRII-{body(32)}"),
        Kind("grafana-token", f"glc_{body(80)}="),
        Kind("grafana-token", f"eyJrIjoi{body(70)}"),
        Kind("dynatrace-token", f"dt0c01.{body(24, UPPER)}.{body(64, UPPER)}"),
        Kind("posthog-key", f"phx_{body(43)}"),
        Kind("launchdarkly-key", f"sdk-{uuid()}"),
        Kind("notion-token", f"secret_{body(43)}"),
        Kind("dropbox-token", f"sl.u.{body(140)}"),
        Kind("contentful-token", f"CFPAT-{body(43)}"),
        Kind("typeform-token", f"tfp_{body(44)}_{body(12)}"),
        Kind("adobe-secret", f"p8e-{body(32)}"),
        Kind("adafruit-key", f"aio_{body(28)}"),
        Kind("mapbox-token", f"sk.eyJ{body(80)}.{body(22)}"),
        Kind("jwt", token, "cookie: session={}; Path=/"),
        Kind("jwt", token, r'{"log": "a\n{}"}'),
    ]


def place_kinds() -> list[Kind]:
    return [
        Kind("url-password", "s3cr3t-pw", "DATABASE_URL=postgres://app:{}@db.internal:5432/app"),
        Kind("url-password", "p%40ss/w0rd+x=", "redis://:{}@cache:6379/0"),
        Kind("url-password", "tr0ub4dor", "amqp://guest:{}@[::1]:5672//"),
        Kind("url-password", "x7!k9", "https://bob:{}@git.example.com/a.git"),
        Kind("connection-password", "P4ss!word", "Server=db;User Id=sa;Password={};Encrypt=true"),
        Kind("connection-password", "hunter2", "host=db user=app password={} dbname=x"),
        Kind("bearer-token", body(32), "Authorization: Bearer {}"),
        Kind("bearer-token", body(40), """curl -H "Authorization: bearer {}" https://x"""),
        Kind("authorization", "YWRtaW46aHVudGVyMg==", "Authorization: Basic {}"),
        Kind("authorization", body(40, HEX), '"Authorization": "Token {}"'),
        Kind("authorization", body(40, HEX), 'curl -H "Authorization: Api-Token {}" https://x'),
        Kind("authorization", uuid(), "curl --header 'Authorization:  {}'"),
        Kind("login", "d2LkV78zLx!t", 'curl -u ":{}" https://localhost'),
        Kind("login", "pRf7vG2h1L8n", "curl --user kevin:'{}' https://x"),
        Kind("login", "Hunter2!pw", "curl -u admin:{} https://x"),
        Kind("login", "Xk29fjQ2", "machine git.example.com login bob password {}"),
        Kind("assignment", "Tr0ub4dor&3", 'password = "{}"'),
        Kind("assignment", "correct-horse-battery-staple", "password: '{}'"),
        Kind("assignment", body(32, HEX), '  "api_key": "{}",'),
        Kind("assignment", body(24), "const apiKey: string = `{}`;"),
        Kind("assignment", body(24), 'token: str | None = "{}"'),
        Kind("assignment", body(24), 'os.environ["MY_TOKEN"] = "{}"'),
        Kind("assignment", body(24), 'var clientSecret string = "{}"'),
        Kind("assignment", body(24), "'password' => '{}',"),
        Kind("assignment", body(24), 'char password[] = "{}";'),
        Kind("assignment", "supersecret123", "DB_PASSWORD={}"),
        Kind("assignment", "Passw0rd", "export MYSQL_PWD={}"),
        Kind("assignment", "hunter2!x", "    password: {}"),
        Kind("assignment", "supersecret123", "spring.datasource.password={}"),
        Kind("assignment", "supersecret123", "password = {}   # the database"),
        Kind("assignment", "q9$vL2#kd", "+  secret_key: {}"),
        Kind("assignment", "hunter2!x", "config/app.yml:12:  password: {}"),
        Kind("assignment", body(20), "docker run -e API_TOKEN={} image"),
        Kind("assignment", body(20), "tool --api-key {} --verbose"),
        Kind("assignment", body(20), "tool --password={}"),
        Kind("assignment", body(20), "GET /feed?access_token={}&page=2"),
        Kind("assignment", body(20), "curl -H 'X-Api-Key: {}' https://x"),
        Kind("assignment", body(20), "<password>{}</password>"),
        Kind("assignment", body(20), '<add key="ClearTextPassword" value="{}" />'),
        Kind("assignment", body(20), '{"name": "API_TOKEN", "value": "{}"}'),
        Kind("assignment", body(20), 'System.setProperty("API_TOKEN", "{}")'),
        Kind("assignment", body(20), "API_TOKEN ?= {}"),
        Kind("assignment", body(20), 'API_TOKEN ::= "{}"'),
        Kind("assignment", uuid(), 'heroku_key = "{}"'),
        Kind("assignment", body(20), r'{"content": "{\"password\": \"{}\"}"}'),
        Kind("assignment", body(20), r'{"content": "a\nAPI_SECRET={}\nb"}'),
        Kind("assignment", body(20), r'{"content": "a\npassword: {}\nb"}'),
    ]


FORM_KINDS = format_kinds()
KINDS = FORM_KINDS + place_kinds()

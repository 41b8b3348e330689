"""Secrets that are known by their own form, whatever stands around them."""

from typing import Final

from supervisor_ai.domain.redaction.rule import Rule

_EDGE: Final = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))"
"""The beginning of a word, also after an escaped newline or tab as in JSON."""


def _rule(rule_id: str, keywords: str, pattern: str) -> Rule:
    return Rule(id=rule_id, keywords=tuple(keywords.split()), pattern=pattern)


MODEL_PROVIDERS: Final = (
    _rule("anthropic-key", "sk-ant-", r"sk-ant-[\w-]{16,400}"),
    _rule(
        "openai-key",
        "sk-proj- sk-svcacct- sk-admin- sk-none-",
        r"sk-(?:proj|svcacct|admin|None)-[\w-]{20,400}",
    ),
    _rule("openai-key", "sk-", _EDGE + r"sk-[A-Za-z0-9]{32,128}"),
    _rule("openai-key", "sk-", _EDGE + r"sk-[A-Za-z0-9]{10,40}T3BlbkFJ[A-Za-z0-9]{10,40}"),
    _rule("openrouter-key", "sk-or-v1-", r"sk-or-v1-[0-9a-f]{32,128}"),
    _rule("google-key", "aiza", r"AIza[\w-]{30,40}"),
    _rule("huggingface-token", "hf_", _EDGE + r"hf_[A-Za-z0-9]{30,64}"),
    _rule("groq-key", "gsk_", _EDGE + r"gsk_[A-Za-z0-9]{40,64}"),
    _rule("xai-key", "xai-", _EDGE + r"xai-[A-Za-z0-9]{40,128}"),
    _rule("perplexity-key", "pplx-", _EDGE + r"pplx-[A-Za-z0-9]{40,64}"),
    _rule("replicate-token", "r8_", _EDGE + r"r8_[A-Za-z0-9]{37,40}"),
    _rule("langsmith-key", "lsv2_", r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
)

CODE_AND_PACKAGES: Final = (
    _rule("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{20,255}"),
    _rule("github-token", "github_pat_", r"github_pat_\w{30,255}"),
    _rule(
        "gitlab-token",
        "glpat- glptt- gldt- glrt- glcbt- glagent- glsoat- glft- glimt- gloas-",
        r"gl(?:pat|ptt|dt|rt|cbt|agent|soat|ft|imt|oas)-[\w.-]{20,300}",
    ),
    _rule("bitbucket-token", "atbb atctt3", _EDGE + r"(?:ATBB|ATCTT3)[\w=-]{24,300}"),
    _rule("atlassian-token", "atatt3", _EDGE + r"ATATT3[\w=-]{50,300}"),
    _rule("npm-token", "npm_", _EDGE + r"npm_[A-Za-z0-9]{36,64}"),
    _rule("pypi-token", "pypi-ag", r"pypi-Ag[\w-]{30,1000}"),
    _rule("rubygems-token", "rubygems_", r"rubygems_[0-9a-f]{48}"),
    _rule("crates-token", "cio", _EDGE + r"cio[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    _rule("docker-token", "dckr_pat_ dckr_oat_", r"dckr_[po]at_[\w-]{20,64}"),
    _rule("pulumi-token", "pul-", _EDGE + r"pul-[0-9a-f]{40}"),
    _rule("terraform-token", ".atlasv1.", r"\.atlasv1\.[\w-]{60,100}"),
    _rule("postman-key", "pmak-", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    _rule("sentry-token", "sntrys_ sntryu_", r"sntry[su]_[\w+/=]{40,400}"),
)

CLOUDS: Final = (
    _rule("aws-key-id", "akia asia abia acca", _EDGE + r"A(?:KI|SI|BI|CC)A[A-Z0-9]{16}(?!\w)"),
    _rule(
        "aws-secret-key",
        "secret_access_key secretaccesskey aws_secret secret-access-key",
        r"(?i:[\w-]{0,30})[\\\"'\]]{0,3}[ \t]{0,8}(?:=>|:=|[:=>])[ \t]{0,8}[\\\"']{0,3}"
        r"(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])",
    ),
    _rule(
        "aws-session-token",
        "session_token sessiontoken security_token securitytoken",
        r"(?i:[\w-]{0,30})[\\\"'\]]{0,3}[ \t]{0,8}(?:=>|:=|[:=>])[ \t]{0,8}[\\\"']{0,3}"
        r"(?P<secret>[A-Za-z0-9/+=]{100,4096})",
    ),
    _rule("google-oauth", "ya29.", r"ya29\.[\w.-]{20,2048}"),
    _rule("google-oauth", "gocspx-", r"GOCSPX-[\w-]{20,40}"),
    _rule("google-oauth", "1//0", _EDGE + r"1//0[\w-]{40,256}"),
    _rule(
        "azure-key",
        "accountkey= sharedaccesskey= sharedsecret=",
        r"(?i:AccountKey|SharedAccessKey|SharedSecret)=(?P<secret>[A-Za-z0-9+/]{32,128}={0,2})",
    ),
    _rule("azure-signature", "sig=", r"(?<=[?&;])sig=(?P<secret>[A-Za-z0-9%+/]{40,128}={0,2})"),
    _rule("azure-secret", "8q~", r"(?<=[\w~.-]{3})8Q~[\w~.-]{31,34}"),
    _rule("digitalocean-token", "doo_v1_ dop_v1_ dor_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    _rule("heroku-key", "hrku-", r"HRKU-[\w-]{30,80}"),
    _rule("databricks-token", "dapi", _EDGE + r"dapi[0-9a-f]{32}"),
    _rule("fly-token", "fm2_ fo1_", _EDGE + r"(?:fm2_[\w+/=]{40,2048}|fo1_[\w-]{40,64})"),
    _rule("netlify-token", "nfp_ nfc_", _EDGE + r"nf[pc]_[A-Za-z0-9]{36,64}"),
    _rule(
        "supabase-key", "sbp_ sb_secret_", _EDGE + r"(?:sbp_[0-9a-f]{40}|sb_secret_[\w-]{20,80})"
    ),
    _rule("planetscale-token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[\w.=-]{32,64}"),
    _rule("vault-token", "hvs. hvb. hvr.", _EDGE + r"hv[sbr]\.[\w-]{24,300}"),
    _rule("doppler-token", "dp.", _EDGE + r"dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,80}"),
    _rule("age-key", "age-secret-key-1", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
)

SERVICES: Final = (
    _rule(
        "slack-token",
        "xoxa- xoxb- xoxe- xoxe. xoxo- xoxp- xoxr- xoxs- xoxc- xoxd-",
        r"xox[abcdeoprs][-.][\w%.-]{10,512}",
    ),
    _rule("slack-token", "xapp-", _EDGE + r"xapp-\d-[A-Z0-9]{6,20}-[\w-]{10,200}"),
    _rule(
        "slack-webhook",
        "hooks.slack.com/",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[\w/+-]{20,120})",
    ),
    _rule(
        "discord-webhook",
        "/api/webhooks/",
        r"/api/webhooks/\d{15,22}/(?P<secret>[\w-]{40,100})",
    ),
    _rule("telegram-token", ":aa", r"(?<=\d{8}):(?P<secret>AA[\w-]{33})(?![\w-])"),
    _rule(
        "stripe-key",
        "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_",
        r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,250}",
    ),
    _rule("stripe-webhook", "whsec_", r"whsec_[A-Za-z0-9+/=]{24,100}"),
    _rule("sendgrid-key", "sg.", _EDGE + r"SG\.[\w-]{16,32}\.[\w-]{32,64}"),
    _rule("twilio-key", "sk", _EDGE + r"SK[0-9a-f]{32}(?!\w)"),
    _rule("mailgun-key", "key-", _EDGE + r"key-[0-9a-f]{32}(?!\w)"),
    _rule("shopify-token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    _rule("square-token", "sq0", _EDGE + r"sq0[a-z]{3}-[\w-]{22,60}"),
    _rule("newrelic-key", "nrak-", r"NRAK-[A-Z0-9]{27}"),
    _rule("grafana-token", "glc_ glsa_", _EDGE + r"gl(?:c|sa)_[\w+/=]{32,400}"),
    _rule("linear-key", "lin_api_", r"lin_api_[A-Za-z0-9]{32,64}"),
    _rule("notion-token", "ntn_", _EDGE + r"ntn_[A-Za-z0-9]{40,64}"),
    _rule("airtable-token", "pat", _EDGE + r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    _rule("figma-token", "figd_", _EDGE + r"figd_[\w-]{36,64}"),
)

GENERAL: Final = (
    _rule(
        "jwt",
        "eyj",
        r"(?:(?<![\w-])|(?<=\\[nrt]))eyJ[\w-]{8,2048}\.eyJ[\w-]{4,4096}(?:\.[\w-]{0,1024})?",
    ),
)

FORMATS: Final = MODEL_PROVIDERS + CODE_AND_PACKAGES + CLOUDS + SERVICES + GENERAL

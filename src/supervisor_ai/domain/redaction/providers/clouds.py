"""Keys of clouds, hosters, databases and stores of secrets."""

from typing import Final

from supervisor_ai.domain.redaction.providers.form import END, form
from supervisor_ai.domain.redaction.rule import EDGE, RedactionRule

_GIVEN: Final = r"(?i:[\w-]{0,30})[\\\"'\]]{0,3}[ \t]{0,8}(?:=>|:=|[:=>])[ \t]{0,8}[\\\"']{0,3}"
"""From the middle of a name to the beginning of its value."""

AMAZON: Final = (
    form("aws-key-id", "akia asia abia acca", EDGE + r"A(?:KI|SI|BI|CC)A[A-Z0-9]{16}(?!\w)"),
    RedactionRule(
        id="aws-secret-key",
        keywords=("secret",),
        pattern=r"(?i:(?<=aws_)secret|secret[_-]?access[_-]?key)"
        + _GIVEN
        + r"(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])",
        shape="aws_secret|secret[_-]?access[_-]?key",
    ),
    RedactionRule(
        id="aws-session-token",
        keywords=("session", "security"),
        pattern=r"(?i:(?:session|security)_?token)"
        + _GIVEN
        + r"(?P<secret>[A-Za-z0-9/+=]{100,4096})",
        shape="(?:session|security)_?token",
    ),
)

AZURE: Final = (
    form(
        "azure-key",
        "accountkey= sharedaccesskey= sharedsecret=",
        r"(?i:AccountKey|SharedAccessKey|SharedSecret)=(?P<secret>[A-Za-z0-9+/]{32,128}={0,2})",
    ),
    form("azure-key", "+ast +amc +aba acdb", r"[\w/+]{76}[\w+]{4}[A-Za-z0-9]{5}[AQgw]==", lead=76),
    form("azure-signature", "sig=", r"(?<=[?&;])sig=(?P<secret>[A-Za-z0-9%+/]{40,128}={0,2})"),
    form("azure-devops-token", "azdo", EDGE + r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}" + END, lead=76),
)

HOSTERS: Final = (
    form("google-oauth", "ya29.", r"ya29\.[\w.-]{20,2048}"),
    form("google-oauth", "gocspx-", r"GOCSPX-[\w-]{20,40}"),
    form("google-oauth", "1//0", EDGE + r"1//0[\w-]{40,256}"),
    form("alibaba-key-id", "ltai", EDGE + r"LTAI[A-Za-z0-9]{12,26}" + END),
    form("yandex-key", "aqvn", EDGE + r"AQVN[\w-]{35,40}" + END),
    form("yandex-key", "yc", EDGE + r"YC[AN][\w-]{37}" + END),
    form("digitalocean-token", "doo_v1_ dop_v1_ dor_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    form("heroku-key", "hrku-", r"HRKU-[\w-]{30,80}"),
    form("fly-token", "fm1a_ fm1r_ fm2_", EDGE + r"fm(?:1[ar]|2)_[A-Za-z0-9+/]{40,2048}={0,3}"),
    form("fly-token", "fo1_", EDGE + r"fo1_[\w-]{40,64}"),
    form("netlify-token", "nfp_ nfc_ nfo_ nfb_ nfu_", EDGE + r"nf[pcobu]_[A-Za-z0-9]{36,64}"),
    form("vercel-token", "vcp_ vci_ vca_ vcr_ vck_", EDGE + r"vc[piark]_[A-Za-z0-9]{24,80}"),
    form("tailscale-key", "tskey-", r"tskey-[a-z]{3,10}-[\w-]{20,80}"),
)

STORES: Final = (
    form("databricks-token", "dapi", EDGE + r"dapi[0-9a-f]{32}"),
    form("supabase-key", "sbp_", EDGE + r"sbp_[0-9a-f]{40}"),
    form("supabase-key", "sb_secret_", EDGE + r"sb_secret_[\w-]{20,80}"),
    form("planetscale-token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[\w.=-]{32,64}"),
    form("neon-key", "napi_", EDGE + r"napi_[a-z0-9]{48,80}"),
    form("vault-token", "hvs. hvb. hvr.", EDGE + r"hv[sbr]\.[\w-]{24,300}"),
    form("doppler-token", "dp.", EDGE + r"dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,80}"),
    form("age-key", "age-secret-key-1", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    form("onepassword-token", "ops_eyj", r"ops_eyJ[\w+/-]{200,4000}={0,3}"),
)

CLOUDS: Final = AMAZON + AZURE + HOSTERS + STORES

"""Keys of services for messages, payments, mail, watching and work."""

from typing import Final

from supervisor_ai.domain.redaction.providers.form import END, UUID, form
from supervisor_ai.domain.redaction.rule import EDGE

MESSAGES: Final = (
    form(
        "slack-token",
        "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxc- xoxd-",
        EDGE + r"xox[abcdeoprs]-(?=[\w%-]{0,40}\d[\w%-]{0,40}\d)[\w%-]{11,512}",
    ),
    form("slack-token", "xoxe.", EDGE + r"xoxe\.xox[bp]-\d-[\w-]{20,512}"),
    form("slack-token", "xapp-", EDGE + r"xapp-\d-[A-Z0-9]{6,20}-[\w-]{10,200}"),
    form(
        "slack-webhook",
        "hooks.slack.com/",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[\w/+-]{20,120})",
    ),
    form(
        "discord-webhook",
        "/api/webhooks/",
        r"/api/webhooks/\d{15,22}/(?P<secret>[\w-]{40,100})",
    ),
    form(
        "teams-webhook",
        ".webhook.office.com/",
        r"\.webhook\.office\.com/webhookb2/(?P<secret>[\w@-]{36,80}/[\w/-]{36,160})",
    ),
    form("telegram-token", ":aa", r"(?<=\d{8}):(?P<secret>AA[\w-]{33})(?![\w-])"),
    form("sendgrid-key", "sg.", EDGE + r"SG\.[\w-]{16,32}\.[\w-]{32,64}"),
    form("twilio-key", "sk", EDGE + r"SK[0-9a-f]{32}(?!\w)", shape="sk[0-9a-f]{14}"),
    form("mailgun-key", "key-", EDGE + r"key-[0-9a-f]{32}(?!\w)", shape="key-[0-9a-f]{12}"),
    form("mailgun-key", "pubkey-", EDGE + r"pubkey-[0-9a-f]{32}(?!\w)"),
    form(
        "mailchimp-key",
        "-us",
        EDGE + r"[0-9a-f]{32}-us\d{1,2}" + END,
        lead=32,
        shape=r"[0-9a-f]-us\d",
    ),
    form("brevo-key", "xkeysib-", r"xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    form("resend-key", "re_", EDGE + r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}" + END),
)

PAYMENTS: Final = (
    form(
        "stripe-key",
        "sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_",
        EDGE + r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,250}",
    ),
    form("stripe-webhook", "whsec_", r"whsec_[A-Za-z0-9+/=]{24,100}"),
    form("square-token", "sq0", EDGE + r"sq0[a-z]{3}-[\w-]{22,60}"),
    form("square-token", "eaaa", EDGE + r"EAAA[\w-]{60}" + END),
    form("facebook-token", "eaa", EDGE + r"EAA[A-Z][A-Za-z0-9]{80,400}" + END),
    form(
        "shopify-token",
        "shpat_ shpca_ shppa_ shpss_",
        r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
    ),
    form("gocardless-token", "live_", EDGE + r"live_[\w=-]{40}" + END, shape=r"live_[\w=-]{11}"),
    form("plaid-token", "access-", EDGE + r"access-(?:sandbox|development|production)-" + UUID),
    form("paddle-key", "pdl_", EDGE + r"pdl_(?:live|sdbx)_apikey_\w{40,80}"),
    form("shippo-token", "shippo_", EDGE + r"shippo_(?:live|test)_[0-9a-f]{40}"),
)

WATCHING: Final = (
    form("newrelic-key", "nrak-", r"NRAK-[A-Za-z0-9]{27}"),
    form("newrelic-key", "nrii- nrjs- nriq- nrra-", EDGE + r"NR(?:II|JS|IQ|RA)-[\w-]{19,40}"),
    form("grafana-token", "glc_ glsa_", EDGE + r"gl(?:c|sa)_[\w+/=]{32,400}"),
    form("grafana-token", "eyjrijoi", EDGE + r"eyJrIjoi[A-Za-z0-9]{60,400}={0,3}"),
    form("dynatrace-token", "dt0", EDGE + r"dt0[a-z]\d{2}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}"),
    form("posthog-key", "phx_", EDGE + r"phx_[A-Za-z0-9]{40,64}"),
    form("launchdarkly-key", "sdk- api-", EDGE + r"(?:sdk|api)-" + UUID),
)

WORK: Final = (
    form("linear-key", "lin_api_ lin_oauth_", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,80}"),
    form("notion-token", "ntn_", EDGE + r"ntn_[A-Za-z0-9]{40,64}"),
    form(
        "notion-token",
        "secret_",
        EDGE + r"secret_[A-Za-z0-9]{43}" + END,
        shape="secret_[a-z0-9]{9}",
    ),
    form(
        "airtable-token", "pat", EDGE + r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}", shape="pat[a-z0-9]{13}"
    ),
    form("figma-token", "figd_ figo_", EDGE + r"fig[do]_[\w-]{36,64}"),
    form("dropbox-token", "sl.", EDGE + r"sl\.(?:u\.)?[\w-]{120,2000}"),
    form("contentful-token", "cfpat-", r"CFPAT-[\w-]{43}"),
    form("typeform-token", "tfp_", EDGE + r"tfp_[\w.-]{40,64}"),
    form("adobe-secret", "p8e-", EDGE + r"p8e-[\w-]{32}" + END),
    form("adafruit-key", "aio_", EDGE + r"aio_[A-Za-z0-9]{28}" + END),
    form("mapbox-token", "sk.eyj", EDGE + r"sk\.eyJ[\w-]{40,400}\.[\w-]{20,64}"),
)

SERVICES: Final = MESSAGES + PAYMENTS + WATCHING + WORK

"""Keys of those who serve models."""

from typing import Final

from supervisor_ai.domain.redaction.providers.form import END, UUID, form
from supervisor_ai.domain.redaction.rule import EDGE

MODELS: Final = (
    form("anthropic-key", "sk-ant-", r"sk-ant-[\w-]{16,400}"),
    form(
        "openai-key",
        "sk-proj- sk-svcacct- sk-admin- sk-none-",
        r"sk-(?:proj|svcacct|admin|None)-[\w-]{20,400}",
    ),
    form("openai-key", "sk-", EDGE + r"sk-[A-Za-z0-9]{32,128}"),
    form("openai-key", "sk-", EDGE + r"sk-[A-Za-z0-9]{10,40}T3BlbkFJ[A-Za-z0-9]{10,40}"),
    form("openai-token", "rt_", EDGE + r"rt_[\w-]{16,400}\.[\w-]{16,400}"),
    form("openrouter-key", "sk-or-v1-", r"sk-or-v1-[0-9a-f]{32,128}"),
    form("google-key", "aiza", EDGE + r"AIza[\w-]{30,40}"),
    form("google-key", "aq.ab", EDGE + r"AQ\.Ab[\w-]{30,120}"),
    form("huggingface-token", "hf_", EDGE + r"hf_[A-Za-z0-9]{30,64}"),
    form("huggingface-token", "api_org_", EDGE + r"api_org_[A-Za-z0-9]{30,64}"),
    form("groq-key", "gsk_", EDGE + r"gsk_[A-Za-z0-9]{40,64}"),
    form("xai-key", "xai-", EDGE + r"xai-[A-Za-z0-9]{40,128}"),
    form("perplexity-key", "pplx-", EDGE + r"pplx-[A-Za-z0-9]{40,64}"),
    form("replicate-token", "r8_", EDGE + r"r8_[A-Za-z0-9]{37,40}"),
    form("langsmith-key", "lsv2_", r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    form("langfuse-key", "sk-lf-", EDGE + r"sk-lf-" + UUID),
    form("nvidia-key", "nvapi-", EDGE + r"nvapi-[\w-]{40,100}"),
    form("cerebras-key", "csk-", EDGE + r"csk-[a-z0-9]{40,64}"),
    form("together-key", "tgp_v1_", EDGE + r"tgp_v1_[\w-]{40,64}"),
    form("pinecone-key", "pcsk_", EDGE + r"pcsk_\w{40,100}"),
    form("tavily-key", "tvly-", EDGE + r"tvly-[\w-]{20,64}"),
    form("jina-key", "jina_", EDGE + r"jina_[0-9a-f]{32}[\w-]{20,40}"),
    form("elevenlabs-key", "sk_", EDGE + r"sk_[0-9a-f]{48}" + END),
    form("wandb-key", "wandb_v1_", EDGE + r"wandb_v1_\w{40,120}"),
    form("bedrock-key", "absk", EDGE + r"ABSK[A-Za-z0-9+/]{60,300}={0,2}"),
    form("bedrock-key", "bedrock-api-key-", r"bedrock-api-key-[A-Za-z0-9+/=]{20,4000}"),
)

"""Secrets that are known by their own form, whatever stands around them."""

from typing import Final

from supervisor_ai.domain.redaction.providers.clouds import CLOUDS
from supervisor_ai.domain.redaction.providers.code import CODE
from supervisor_ai.domain.redaction.providers.form import form
from supervisor_ai.domain.redaction.providers.models import MODELS
from supervisor_ai.domain.redaction.providers.services import SERVICES
from supervisor_ai.domain.redaction.rule import SEAM

GENERAL: Final = (
    form(
        "jwt",
        "eyj",
        rf"(?:(?<![\w-])|{SEAM})eyJ[\w-]{{8,2048}}\.eyJ[\w-]{{4,4096}}(?:\.[\w-]{{0,1024}})?",
    ),
)

FORMATS: Final = MODELS + CODE + CLOUDS + SERVICES + GENERAL

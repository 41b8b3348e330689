"""Tokens of forges, package registries, build services and analysers."""

from typing import Final

from supervisor_ai.domain.redaction.providers.form import END, form
from supervisor_ai.domain.redaction.rule import EDGE

CODE: Final = (
    form("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{20,255}"),
    form("github-token", "github_pat_", r"github_pat_\w{30,255}"),
    form(
        "gitlab-token",
        "glpat- glptt- gldt- glrt glcbt- glagent- glsoat- glft- glffct- glimt- gloas- glwt-",
        r"gl(?:pat|ptt|dt|rtr?|cbt|agent|soat|ft|ffct|imt|oas|wt)-[\w.-]{20,300}",
    ),
    form("gitlab-token", "gr1348941", EDGE + r"GR1348941[\w-]{20,40}"),
    form("gitlab-token", "_gitlab_session=", r"_gitlab_session=(?P<secret>[0-9a-z]{32})"),
    form("bitbucket-token", "atbb atctt3", EDGE + r"(?:ATBB|ATCTT3)[\w=-]{24,300}"),
    form("atlassian-token", "atatt3", EDGE + r"ATATT3[\w=-]{50,300}"),
    form("npm-token", "npm_", EDGE + r"npm_[A-Za-z0-9]{36,64}"),
    form("pypi-token", "pypi-ag", r"pypi-Ag[\w-]{30,1000}"),
    form("rubygems-token", "rubygems_", r"rubygems_[0-9a-f]{48}"),
    form("crates-token", "cio", EDGE + r"cio[A-Za-z0-9]{32}" + END),
    form("nuget-key", "oy2", EDGE + r"oy2[a-z0-9]{43}" + END),
    form("docker-token", "dckr_pat_ dckr_oat_", r"dckr_[po]at_[\w-]{20,64}"),
    form("pulumi-token", "pul-", EDGE + r"pul-[0-9a-f]{40}"),
    form("terraform-token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,100}", lead=14),
    form("postman-key", "pmak-", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    form("sentry-token", "sntrys_ sntryu_", r"sntry[su]_[\w+/=]{40,400}"),
    form("sonar-token", "sqp_ squ_ sqa_", EDGE + r"sq[pua]_[A-Za-z0-9]{40}" + END),
    form("buildkite-token", "bkua_", EDGE + r"bkua_[0-9a-f]{40}"),
    form("circleci-token", "ccipat_", EDGE + r"CCIPAT_[A-Za-z0-9]{10,40}_[0-9a-f]{40}"),
    form("octopus-key", "api-", EDGE + r"API-[A-Z0-9]{25,27}" + END),
    form("prefect-key", "pnu_ pnb_", EDGE + r"(?:pnu|pnb)_[A-Za-z0-9]{36}"),
)

"""The call with which members look something up in the knowledge store; none changes it."""

from typing import Annotated, Final

from msgspec import Meta, Struct

from supervisor_ai.control.sessions.calls import Call, CallTable, Room
from supervisor_ai.domain.knowledge.documents import STORE
from supervisor_ai.domain.knowledge.selection import StoreName
from supervisor_ai.domain.session.members import MemberPermission

_LONGEST: Final = 2_000


class KnowledgeSearchAsked(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `knowledge_search` takes."""

    words: Annotated[str, Meta(max_length=_LONGEST)]
    limit: Annotated[int, Meta(ge=1, le=20)] = 5


def _search(room: Room, asked: KnowledgeSearchAsked) -> object:
    project = room.project
    commit = project.repository.resolve(None).sha
    hits = project.world.knowledge.search(commit, asked.words, most=asked.limit)
    return {
        "documents": [
            {
                "path": _place(hit.store, hit.document.path),
                "title": hit.document.title,
                "status": hit.document.status,
                "rules": hit.document.rules,
                "examples": hit.document.examples,
                "rationale": hit.document.rationale,
            }
            for hit in hits
        ]
    }


def _place(store: StoreName, path: str) -> str:
    return f"{STORE}/{path}" if store is StoreName.PROJECT else f"user:{path}"


CALLS: Final = CallTable(
    calls=(
        Call(
            name="knowledge_search",
            help="Find documents of the project's knowledge store that fit some words",
            permission=MemberPermission.READ,
            form=KnowledgeSearchAsked,
            act=_search,
        ),
    )
)

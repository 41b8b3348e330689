"""What a change needs before it may land: facts about it, a policy over them, people's votes."""

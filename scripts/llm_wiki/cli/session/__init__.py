"""The verbs of `llm-wiki session` and `llm-wiki capture`, by what they do."""

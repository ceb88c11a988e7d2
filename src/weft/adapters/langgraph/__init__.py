"""Runs walked by LangGraph: which step is next is its work, what a step does is not."""

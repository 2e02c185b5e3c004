#!/bin/sh
# Hands an event to llm-wiki-hook, wherever it is installed. Silent and successful without it, and whatever it does.
PATH=$PATH:$HOME/.local/bin
command -v llm-wiki-hook >/dev/null 2>&1 || exit 0
llm-wiki-hook --harness auto
exit 0

"""`python -m llm_wiki` is the same program as `llm-wiki`."""

import sys

try:
    from llm_wiki.cli.main import main
except ModuleNotFoundError as error:
    if (error.name or "").startswith("llm_wiki"):
        raise
    sys.stderr.write(
        f"llm-wiki: the library {error.name!r} is missing; `make demo` in the checkout sets everything up\n"
    )
    sys.exit(2)

main()

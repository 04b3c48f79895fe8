"""`python -m core COMMAND`: the same work without a browser. See core.cli.main."""

from __future__ import annotations

import sys

from core.cli.main import main

if __name__ == "__main__":
    sys.exit(main())

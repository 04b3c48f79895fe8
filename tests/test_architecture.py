"""The rules of the house, held by reading the source: who may import whom, what is never used, lengths, mirrors, docs.

Every failure names the file and line and says what to do; CONTRIBUTING.md gives the reasons.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BASE = {"types", "nn", "group", "counts", "fronts", "inference", "gaps", "paired", "power", "shrinkage"}
ANY = {p.stem for p in (ROOT / "core").iterdir() if p.suffix == ".py" or (p.is_dir() and p.name != "__pycache__")}
MAY_IMPORT = {  # part of core -> parts of core it may import besides itself
    "types": set(),
    "nn": {"types"},
    "group": {"types"},
    "counts": {"types"},
    "fronts": {"types"},
    "inference": {"types"},
    "gaps": {"types", "inference"},
    "paired": {"types", "inference"},
    "power": {"types"},
    "shrinkage": {"types"},
    "fields": {"types"},
    "study": {"types", "fields", "registry", "engine"},
    "data": BASE | {"registry"},
    "moments": {"types"},
    "metrics": BASE | {"registry", "moments"},
    "methods": BASE,
    "engine": {"types", "nn", "group", "counts"},
    "store": {"types", "fields", "study"},
    "jobs": {"types", "fields", "engine", "counts", "store", "data", "registry", "study"},
    "negotiate": {"types", "inference", "fronts"},
    "audit": BASE | {"registry", "metrics", "moments", "fields"},
    "figures": {"types", "metrics", "fronts", "inference", "gaps", "counts", "audit"},
    "registry": ANY,
    "checks": ANY,
    "__main__": ANY,
    "cli": ANY,
}
PLUGINS = {"core/methods": "METHOD", "core/metrics": "METRIC", "core/data/sets": "DATASET", "core/nn": "NET"}
UNSAFE = {"pickle", "cloudpickle", "dill", "joblib", "shelve", "marshal"}
UNFINISHED = "|".join(["TO" + "DO", "FIX" + "ME", "X" * 3, "NotImplemented" + "Error", "not yet " + "implemented",
                       "coming " + "soon"])


def sources(*folders: str) -> list[Path]:
    """All Python files below the folders, app.py included where the folder is "."."""
    files = [p for folder in folders for p in sorted((ROOT / folder).rglob("*.py"))]
    return [p for p in files if "__pycache__" not in p.parts]


def name_of(path: Path) -> str:
    """core/data/read.py -> "core.data.read"; a package's __init__ is the package."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def where(path: Path, line: int = 0) -> str:
    return f"{path.relative_to(ROOT)}" + (f":{line}" if line else "")


MODULES = {name_of(p): p for p in sources("core", "pages")}


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """(module, line) of every import of the file, wherever it stands; `from core import study` is core.study."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = name_of(path).split(".")
                keep = len(package) - node.level + (path.name == "__init__.py")
                base = ".".join([*package[:keep], *([base] if base else [])])
            for alias in node.names:
                whole = f"{base}.{alias.name}"
                yield (whole if whole in MODULES else base), node.lineno


def part(module: str) -> str:
    """core.data.read -> "data"; core -> ""."""
    return (module.split(".") + [""])[1]


def lines_of(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()


def test_every_part_of_core_has_a_place_in_the_import_table():
    missing = ANY - set(MAY_IMPORT) - {"__init__"}
    assert not missing, f"say in MAY_IMPORT and in CONTRIBUTING.md what these may import: {sorted(missing)}"


def test_core_modules_import_only_what_the_table_allows():
    wrong = []
    for path in sources("core"):
        own = part(name_of(path))
        for module, line in imports(path):
            if module.split(".")[0] != "core" or part(module) in ("", own):
                continue
            if part(module) not in MAY_IMPORT.get(own, set()):
                wrong.append(f"{where(path, line)} imports {module}; {own} may import {sorted(MAY_IMPORT[own])}")
    assert not wrong, "\n".join(wrong)


def test_plug_ins_do_not_import_each_other():
    wrong, owners = [], set()
    for folder, constant in PLUGINS.items():
        for path in sources(folder):
            if re.search(rf"^{constant}\b", path.read_text("utf-8"), re.M):
                owners.add(name_of(path))
    for owner in owners:
        wrong += [f"{where(MODULES[owner], line)} imports the plug-in {module}; move what both need to a helper module"
                  for module, line in imports(MODULES[owner]) if module in owners and module != owner]
    assert owners
    assert not wrong, "\n".join(wrong)


def test_core_never_imports_streamlit_or_pages():
    wrong = [f"{where(p, line)} imports {module}" for p in sources("core") for module, line in imports(p)
             if module.split(".")[0] in ("streamlit", "pages", "app")]
    assert not wrong, "\n".join(wrong)


def test_pages_hold_no_training_code_and_do_not_import_each_other():
    wrong = []
    for path in sources("pages"):
        for module, line in imports(path):
            root = module.split(".")[0]
            sibling = root == "pages" and module not in ("pages", "pages._ui") and not module.startswith("pages._ui.")
            if sibling or root in ("torch", "sklearn"):
                wrong.append(f"{where(path, line)} imports {module}; a page calls core or pages._ui")
    assert not wrong, "\n".join(wrong)


def test_shared_screens_parts_are_not_named_like_a_standard_module():
    """Streamlit puts the folder of its script on the import path: `import profile` somewhere would find ours."""
    taken = [where(p) for p in sources("pages") if p.stem in sys.stdlib_module_names and p.stem != "__init__"]
    assert not taken, f"give these another name: {taken}"


def test_nothing_is_ever_unpickled():
    wrong = []
    for path in [*sources("core", "pages"), ROOT / "app.py"]:
        wrong += [f"{where(path, line)} imports {module}" for module, line in imports(path)
                  if module.split(".")[0] in UNSAFE]
        for n, text in enumerate(lines_of(path), 1):
            if re.search(r"torch\.load\(|read_pickle|to_pickle|allow_pickle\s*=\s*True", text):
                wrong.append(f"{where(path, n)}: {text.strip()}")
    assert not wrong, "arrays go through safetensors, tables through parquet:\n" + "\n".join(wrong)


def test_no_global_generator_is_touched():
    allowed = r"(default_rng|Generator|SeedSequence|PCG64|Philox|BitGenerator|get_state)\b"  # reading is harmless
    pattern = rf"np\.random\.(?!{allowed})|torch\.(manual_seed|seed)\(|\brandom\.seed\("
    wrong = [f"{where(p, n)}: {text.strip()}" for p in sources("core", "pages")
             for n, text in enumerate(lines_of(p), 1) if re.search(pattern, text)]
    assert not wrong, "pass a numpy or torch Generator instead:\n" + "\n".join(wrong)


def test_user_errors_are_not_asserts():
    wrong = [where(p, node.lineno) for p in sources("core", "pages") if "checks" not in p.parts
             for node in ast.walk(ast.parse(p.read_text("utf-8")))
             if isinstance(node, ast.Assert) and not ast.unparse(node.test).endswith(" is not None")]  # tells mypy
    assert not wrong, "raise core.types.BadInput instead:\n" + "\n".join(wrong)


def test_files_open_with_a_docstring_and_postponed_annotations():
    wrong = []
    for path in [*sources("core", "pages", "tests"), ROOT / "app.py"]:
        tree = ast.parse(path.read_text("utf-8"))
        if not tree.body:
            continue
        if "tests" not in path.parts and not ast.get_docstring(tree):
            wrong.append(f"{where(path)} has no module docstring")
        code = [n for n in tree.body if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))]
        if code and not (isinstance(code[0], ast.ImportFrom) and code[0].module == "__future__"):
            wrong.append(f"{where(path)} does not start with `from __future__ import annotations`")
    assert not wrong, "\n".join(wrong)


def test_public_names_of_core_say_what_they_do():
    wrong = []
    for path in sources("core"):
        for node in ast.parse(path.read_text("utf-8")).body:
            kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
            if isinstance(node, kinds) and not node.name.startswith("_") and not ast.get_docstring(node):
                wrong.append(f"{where(path, node.lineno)} {node.name} has no docstring")
    assert not wrong, "\n".join(wrong)


def test_lengths_stay_readable():
    wrong = []
    for path in [*sources("core", "pages", "tests"), ROOT / "app.py"]:
        limit = {"pages": 150 if "_ui" in path.parts else 120}.get(path.relative_to(ROOT).parts[0], 400)
        if (size := len(lines_of(path))) > limit:
            wrong.append(f"{where(path)}: {size} lines, at most {limit}")
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                size = (node.end_lineno or node.lineno) - node.lineno + 1
                if size > 60:
                    wrong.append(f"{where(path, node.lineno)} {node.name}: {size} lines, at most 60, better 40")
    assert not wrong, "\n".join(wrong)


def test_every_module_has_a_mirrored_test_file():
    wrong = []
    for path in sources("core", "pages"):
        if path.name == "__init__.py":
            continue
        inner = path.relative_to(ROOT)
        mirror = ROOT / "tests" / inner.parent / f"test_{inner.stem}.py"
        if not mirror.is_file() and not mirror.with_name(f"test_{inner.stem.strip('_')}.py").is_file():
            wrong.append(f"{inner} needs {mirror.relative_to(ROOT)}")
    assert not wrong, "\n".join(wrong)


def test_nothing_is_left_unfinished_or_skipped():
    wrong = []
    docs = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "Makefile"]
    for path in [*sources("core", "pages", "tests"), ROOT / "app.py", *docs]:
        pattern = rf"\b({UNFINISHED})\b"
        if "tests" in path.parts and path.name != Path(__file__).name:
            pattern += r"|mark\.skip|pytest\.skip\(|importorskip|mark\.xfail"
        wrong += [f"{where(path, n)}: {text.strip()}" for n, text in enumerate(lines_of(path), 1)
                  if re.search(pattern, text)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_documents_name_only_commands_and_files_that_exist(document):
    text = (ROOT / document).read_text("utf-8")
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    wrong = [f"make {word}" for word in re.findall(r"\bmake ([a-z]+)\b(?=[`\s])", text)
             if f"`make {word}" in text and word not in targets]
    commands = "".join(p.read_text("utf-8") for p in sources("core/cli"))
    wrong += [f"python -m core {word}" for word in re.findall(r"python -m core (\w+)", text)
              if f'"{word}"' not in commands]
    for word in re.findall(r"[`(]([\w.]+/[\w./-]+|\w+\.(?:py|toml|txt|md))[`)]", text):
        made_at_run_time = word.startswith((".streamlit/secrets", "uploads/", "artefacts/"))
        if not made_at_run_time and not (ROOT / word).exists():
            wrong.append(word)
    assert not wrong, f"{document} names what is not there: {wrong}"


def test_every_environment_variable_is_documented():
    pattern = r"\bCOUNTERWEIGHT_[A-Z_]+\b"
    used = {w for p in [*sources("core", "pages"), ROOT / "app.py", ROOT / "Makefile"]
            for w in re.findall(pattern, p.read_text("utf-8"))}
    told = set(re.findall(pattern, (ROOT / "README.md").read_text("utf-8")))
    assert used == told, f"not in README.md: {sorted(used - told)}; only in README.md: {sorted(told - used)}"


def test_every_page_of_the_navigation_exists_and_every_page_is_in_it():
    listed = set(re.findall(r'^    "(\w+)": "', (ROOT / "pages" / "_ui" / "nav.py").read_text("utf-8"), re.M))
    files = {p.stem for p in (ROOT / "pages").glob("*.py")} - {"__init__"}
    assert listed == files

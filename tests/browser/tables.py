"""Files that people really upload: an awkward but good table, and things that are no table."""

from __future__ import annotations

import gzip

import numpy as np

N_ROWS = 1200
MARKUP = "<img src=x onerror=alert(1)>"
LABEL, SEX, AGE, REGION = "Entscheid (ja/nein)", "Geschlecht", "Größe|Alter in Jahren", f"Region {MARKUP}"


def awkward_csv(seed: int = 5) -> bytes:
    """Semicolons, Latin-1, decimal commas, quoted separators, a name with HTML in it, missing values.

    The outcome depends on the numbers and, unfairly, on sex, so that groups differ.
    """
    rng = np.random.default_rng(seed)
    age, sex = rng.integers(18, 90, N_ROWS), rng.choice(["männlich", "weiblich"], N_ROWS, p=[0.7, 0.3])
    income, region = rng.gamma(3.0, 900.0, N_ROWS), rng.choice(["Süd; Ost", "Nord", ""], N_ROWS, p=[0.5, 0.45, 0.05])
    odds = 0.0011 * (income - 2500) + 0.02 * (age - 50) + np.where(sex == "weiblich", -0.9, 0.3)
    yes = rng.random(N_ROWS) < 1 / (1 + np.exp(-odds))
    lines = [";".join(["Akte", AGE, SEX, REGION, "Einkommen*_€_*".replace("€", "EUR"), LABEL])]
    for k in range(N_ROWS):
        money = f"{income[k]:.2f}".replace(".", ",")
        place = f'"{region[k]}"' if ";" in region[k] else region[k]
        lines.append(f"A-{k:05d};{age[k]};{sex[k]};{place};{money};{'ja' if yes[k] else 'nein'}")
    return "\r\n".join(lines).encode("latin-1")


BAD = {  # what a person may drop by mistake -> (file name, bytes)
    "an empty file": ("empty.csv", b""),
    "only a header": ("header.csv", b"a,b,c\n"),
    "a picture called csv": ("picture.csv", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20),
    "a cut parquet file": ("cut.parquet", b"PAR1" + b"\x00" * 200),
    "an Excel file that is none": ("broken.xlsx", b"PK\x03\x04" + b"\x01" * 300),
    "a cut gzip file": ("cut.csv.gz", gzip.compress(awkward_csv())[:9000]),
    "broken JSON lines": ("rows.jsonl", b'{"a": 1}\n{"a": \n'),
}

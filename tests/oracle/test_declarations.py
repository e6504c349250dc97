"""What the oracles' programs say of functions and structs of src/stats is what C says of them.
They are called by ctypes, which checks nothing; this needs no oracle."""

import ast
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parent
STATS = FOLDER.parent.parent / "src/stats"


def declarations():
    """(parameters of each function, members of each struct), by name."""
    functions, structs = {}, {}
    for path in STATS.rglob("*.h"):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
        for name, body in re.findall(r"struct (stats_\w+) \{([^{}]*)\};", text):
            structs[name] = re.findall(r"(\w+)\s*(?:\[[^\]]*\]\s*)*[;,]", body)
        for name, parameters in re.findall(r"\b(stats_\w+)\(([^()]*)\);", text):
            functions[name] = 0 if parameters.strip() == "void" else parameters.count(",") + 1
    return functions, structs


def programs():
    for path in sorted(FOLDER.glob("*.py")):
        yield path.name, ast.parse(path.read_text())


def is_type(node):
    """c_double, POINTER(...), a structure, or None."""
    name = ast.unparse(node).rpartition("ctypes.")[2]
    return re.match(r"c_|POINTER\(|None$|[A-Z]\w*$", name) is not None


def calls():
    """(where, function, arguments) of each call by its name, and each row that declares one."""
    for file, tree in programs():
        for node in ast.walk(tree):
            where = f"{file}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                words, name = node.args, node.func.attr
                if any(isinstance(word, ast.Starred) for word in words):
                    continue
                if name == "_call" and isinstance(words[0], ast.Constant):
                    yield where, words[0].value, len(words)  # the error for the name
                elif name.startswith("stats_"):
                    yield where, name, len(words)
            elif isinstance(node, ast.Tuple) and len(node.elts) > 2 and \
                    isinstance(node.elts[0], ast.Constant) and \
                    str(node.elts[0].value).startswith("stats_") and \
                    all(map(is_type, node.elts[1:])):
                yield where, node.elts[0].value, len(node.elts) - 2  # name and result


def structures():
    """(class, names of its fields) of each that is written out. One of a single array is room
    for what C has, and `from` is a word of Python's."""
    for _, tree in programs():
        for node in ast.walk(tree):
            lines = node.body if isinstance(node, ast.ClassDef) else []
            for line in lines:
                if isinstance(line, ast.Assign) and line.targets[0].id == "_fields_" and \
                        isinstance(line.value, ast.List) and \
                        all(isinstance(field, ast.Tuple) for field in line.value.elts):
                    fields = [field.elts for field in line.value.elts]
                    if len(fields) > 1 or not isinstance(fields[0][1], ast.BinOp):
                        yield node.name, ["from" if name.value == "start" else name.value
                                          for name, _ in fields]


def test_functions_have_as_many_parameters():
    functions, _ = declarations()
    found = list(calls())
    wrong = [f"{where}: {name}() has {functions.get(name)} parameters, not {count}"
             for where, name, count in found if functions.get(name) != count]
    assert len(found) > 80 and not wrong, "\n".join(wrong)


def test_structs_have_the_same_members():
    _, structs = declarations()
    known = [(name, "stats_" + re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower(), fields)
             for name, fields in structures()]
    found = [(name, fields, structs[struct]) for name, struct, fields in known
             if struct in structs]
    wrong = [f"{name}: {fields} is {members} in C" for name, fields, members in found
             if fields != members]
    assert len(found) > 10 and not wrong, "\n".join(wrong)

#!/usr/bin/python3
"""suites/make_inputs.py FOLDER: writes the inputs of native.yaml's programs. Everything
comes from one seed through random.random(), whose values no version of Python changes, so
that the files are the same everywhere."""

import pathlib
import random
import sys

SEED = 20170620
SYLLABLES = "ba be bi bo da de di do ka ke ki ko la le li lo ma me mi mo na ne ni no " \
    "ra re ri ro sa se si so ta te ti to va ve vi vo".split()


class Source:
    """Random numbers of one input; another input's do not change them."""

    def __init__(self, name):
        self.random = random.Random(f"{SEED} {name}").random

    def below(self, bound):
        return int(self.random() * bound)

    def choice(self, items):
        return items[self.below(len(items))]


def vocabulary(source, count):
    return ["".join(source.choice(SYLLABLES) for _ in range(1 + source.below(4)))
            for _ in range(count)]


def skewed(source, words):
    """Few words are frequent, as in languages."""
    return words[int(len(words) * source.random() ** 3)]


def text(source, lines):
    words = vocabulary(source, 4000)
    return "".join(" ".join(skewed(source, words)
                            for _ in range(6 + source.below(8))) + "\n"
                   for _ in range(lines))


def prose():
    return text(Source("prose"), 10000)


def c_program():
    """Functions with loops, branches and calls of earlier ones."""
    source = Source("c")
    out = ["typedef unsigned long word;\n"]
    for n in range(30):
        out.append(f"word f_{n}(word a, word b)\n{{\n    word t[16] = {{a, b}};\n")
        for _ in range(4):
            i, j, k = (source.below(16) for _ in range(3))
            op = source.choice("+-*^|&")
            out.append(f"    for (word i = 0; i < (a & {1 + source.below(63)}); i++) {{\n"
                       f"        t[(i + {i}) & 15] {op}= t[{j}] + {source.below(999)};\n"
                       f"        if (t[{k}] & {1 + source.below(7)}) {{ t[{i}] ^= b >> 3; }}"
                       "\n    }\n")
        if n > 0:
            out.append(f"    t[{source.below(16)}] += f_{source.below(n)}(b, t[3]);\n")
        out.append("    switch (b & 7) {\n")
        for case in range(8):
            out.append(f"    case {case}: t[{source.below(16)}] += {source.below(99)};"
                       f" break;\n")
        out.append("    }\n    return t[0] ^ t[7] ^ t[15];\n}\n")
    return "".join(out)


def network():
    """A minimum-cost flow problem in DIMACS' form: layers of nodes, arcs between next
    ones, supply at one end."""
    source = Source("network")
    layers, width, supply = 24, 40, 600
    last = layers * width + 2
    arcs = [f"a 1 {2 + i} 0 {supply} {source.below(50)}" for i in range(width)]
    arcs += [f"a {2 + (layers - 1) * width + i} {last} 0 {supply} {source.below(50)}"
             for i in range(width)]
    for layer in range(layers - 1):
        for i in range(width):
            for _ in range(7):
                head = 2 + (layer + 1) * width + source.below(width)
                arcs.append(f"a {2 + layer * width + i} {head} 0 {1 + source.below(40)} "
                            f"{1 + source.below(100)}")
    arcs.append(f"a 1 {last} 0 {supply} 100000")  # so that there is a solution
    head = f"p min {last} {len(arcs)}\nn 1 {supply}\nn {last} -{supply}\n"
    return head + "\n".join(arcs) + "\n"


def verilog():
    """A field of cells that exchange messages at events, and counts what it saw."""
    source = Source("verilog")
    weights = ", ".join(f"32'd{1 + source.below(1 << 16)}" for _ in range(16))
    return f"""\
module lump(input clk, input [31:0] left, input [31:0] right, output reg [31:0] value);
    parameter SEED = 1;
    initial value = SEED;
    always @(posedge clk) value <= #1 (left ^ (right << 1)) + (value >> 3) * 7 + SEED;
endmodule
module top;
    reg clk = 0;
    wire [31:0] v [0:63];
    wire [31:0] w [0:15];
    genvar i;
    assign {{w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11],
            w[12], w[13], w[14], w[15]}} = {{{weights}}};
    generate for (i = 0; i < 64; i = i + 1) begin: cells
        lump #(.SEED(i * 2654435761 + 1)) c(clk, v[(i + 63) % 64] ^ w[i % 16],
                                            v[(i + 1) % 64], v[i]);
    end endgenerate
    always #5 clk = ~clk;
    reg [31:0] sum = 0;
    integer k;
    always @(negedge clk) for (k = 0; k < 64; k = k + 8) sum = sum * 31 + v[k];
    initial begin #24000 $display("sum %h", sum); $finish; end
endmodule
"""


def orders_xml():
    source = Source("xml")
    words = vocabulary(source, 500)
    out = ['<?xml version="1.0"?>\n<orders>\n']
    for n in range(2600):
        out.append(f'<order id="{n}" customer="c{source.below(90)}" '
                   f'region="{source.choice(words[:12])}">')
        for _ in range(1 + source.below(5)):
            out.append(f'<item name="{skewed(source, words)}" '
                       f'price="{1 + source.below(9999)}" '
                       f'count="{1 + source.below(9)}"/>')
        out.append("</order>\n")
    return "".join(out) + "</orders>\n"


def video():
    """Squares that move over a noisy ramp; YUV4MPEG2, 4:2:0."""
    source = Source("video")
    width, height, frames = 176, 144, 40
    squares = [(source.below(width), source.below(height), 8 + source.below(24),
                source.below(7) - 3, source.below(5) - 2, source.below(256))
               for _ in range(12)]
    noise = bytes(source.below(8) for _ in range(width * height + 997))
    out = [f"YUV4MPEG2 W{width} H{height} F25:1 Ip A1:1 C420jpeg\n".encode()]
    for frame in range(frames):
        shift = frame * 37 % 997
        luma = bytearray((64 + i % width // 2 + noise[shift + i]) & 255
                         for i in range(width * height))
        for x, y, size, dx, dy, level in squares:
            left = (x + dx * frame) % (width - size)
            top = (y + dy * frame) % (height - size) if height > size else 0
            for row in range(top, top + size):
                luma[row * width + left:row * width + left + size] = bytes([level]) * size
        chroma = bytes(128 + (i + frame) % 16 for i in range(width * height // 4))
        out += [b"FRAME\n", bytes(luma), chroma, chroma]
    return b"".join(out)


def picture():
    """A PPM of overlapping gradients."""
    source = Source("picture")
    width, height = 320, 240
    waves = [(source.below(40) + 5, source.below(40) + 5, source.below(256))
             for _ in range(3)]
    pixels = bytearray()
    for y in range(height):
        for x in range(width):
            for a, b, c in waves:
                pixels.append((x * x // a + y * y // b + c + (x ^ y)) & 255)
    return f"P6\n{width} {height}\n255\n".encode() + bytes(pixels)


def scene():
    source = Source("scene")
    out = ["camera { location <0, 4, -12> look_at <0, 1, 0> }\n"
           "light_source { <8, 14, -9> rgb 1 }\nlight_source { <-9, 6, -4> rgb 0.4 }\n"
           "plane { y, 0 pigment { checker rgb 0.9 rgb 0.2 } finish { reflection 0.2 } }\n"]
    for _ in range(50):
        x, y, z = (source.random() * 8 - 4, source.random() * 3 + 0.4,
                   source.random() * 8 - 4)
        out.append(f"sphere {{ <{x:.3f}, {y:.3f}, {z:.3f}>, {0.2 + source.random() / 2:.3f}"
                   f" pigment {{ rgb <{source.random():.2f}, {source.random():.2f}, "
                   f"{source.random():.2f}> }} finish {{ phong 0.8 reflection 0.3 }} }}\n")
    return "".join(out)


def clauses():
    """More pigeons than holes, in shuffled order: a search without luck (unsatisfiable)."""
    source = Source("clauses")
    holes = 8
    pigeons = holes + 1

    def variable(pigeon, hole):
        return pigeon * holes + hole + 1

    lines = [" ".join(str(variable(p, h)) for h in range(holes)) for p in range(pigeons)]
    lines += [f"-{variable(p, h)} -{variable(q, h)}"
              for h in range(holes) for p in range(pigeons) for q in range(p)]
    keys = sorted((source.random(), line) for line in lines)
    return f"p cnf {pigeons * holes} {len(lines)}\n" + \
        "".join(f"{line} 0\n" for _, line in keys)


def game():
    """Moves of two players who know nothing of go, away from the edge; SGF."""
    source = Source("game")
    out, taken = ["(;GM[1]FF[4]SZ[13]KM[5.5]RU[Japanese]\n"], set()
    while len(taken) < 40:
        point = (1 + source.below(11), 1 + source.below(11))
        if point not in taken:
            colour = "BW"[len(taken) % 2]
            out.append(f";{colour}[{chr(97 + point[0])}{chr(97 + point[1])}]")
            taken.add(point)
    return "".join(out) + ")\n"


def go_orders():
    """Asks for a move after that game; the folder is the current one."""
    return "loadsgf game.sgf\nreg_genmove black\nquit\n"


def chess_orders():
    """A position of the Italian game."""
    return ("depth 9\nsetboard r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/3P1N2/PPP2PPP/RNBQK2R w"
            " KQkq - 0 1\ngo\nquit\n")


def molecule():
    """A bent chain of carbon with its hydrogens, as XYZ."""
    source = Source("molecule")
    atoms = []
    length = 14
    for n in range(length):
        x, y, z = 1.27 * n, 0.42 * (n % 2 * 2 - 1), 0.2 * source.random()
        atoms.append(("C", x, y, z))
        side = 1 if n % 2 else -1
        atoms.append(("H", x, y + side * 0.63, z + 0.89))
        atoms.append(("H", x, y + side * 0.63, z - 0.89))
    atoms.append(("H", -1.0, -0.1, 0.1))
    atoms.append(("H", 1.27 * (length - 1) + 1.0, 0.1, 0.1))
    return f"{len(atoms)}\nchain\n" + "".join(
        f"{name} {x + 0.1 * source.random():.4f} {y:.4f} {z:.4f}\n"
        for name, x, y, z in atoms)


def beam():
    """A loaded block of solid elements, clamped at one end; CalculiX' input."""
    nx, ny, nz = 24, 6, 6
    source = Source("beam")

    def node(i, j, k):
        return 1 + i + (nx + 1) * (j + (ny + 1) * k)

    out = ["*NODE, NSET=NALL\n"]
    for k in range(nz + 1):
        for j in range(ny + 1):
            for i in range(nx + 1):
                out.append(f"{node(i, j, k)}, {i + 0.1 * source.random():.4f}, {j}, {k}\n")
    out.append("*ELEMENT, TYPE=C3D8, ELSET=EALL\n")
    number = 0
    for k in range(nz):
        for j in range(ny):
            for i in range(nx):
                number += 1
                corners = [node(i + a, j + b, k + c)
                           for c in (0, 1) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]
                out.append(", ".join(map(str, [number, *corners])) + "\n")
    fixed = [node(0, j, k) for j in range(ny + 1) for k in range(nz + 1)]
    out.append("*BOUNDARY\n" + "".join(f"{n}, 1, 3\n" for n in fixed))
    out.append("*MATERIAL, NAME=STEEL\n*ELASTIC\n210000., .3\n"
               "*SOLID SECTION, ELSET=EALL, MATERIAL=STEEL\n*STEP\n*STATIC\n*CLOAD\n")
    out += [f"{node(nx, j, 0)}, 3, -100.\n" for j in range(ny + 1)]
    out.append("*NODE PRINT, NSET=NALL, TOTALS=ONLY\nRF\n*END STEP\n")
    return "".join(out)


def family():
    """An alignment of related proteins; Stockholm."""
    source = Source("family")
    acids = "ACDEFGHIKLMNPQRSTVWY"
    root = [source.choice(acids) for _ in range(90)]
    out = ["# STOCKHOLM 1.0\n\n"]
    for n in range(20):
        row = "".join(acid if source.random() > 0.3 else source.choice(acids)
                      for acid in root)
        out.append(f"s{n:02} {row}\n")
    return "".join(out) + "//\n", root


def proteins():
    """Sequences of which some hold a relative of the family."""
    source = Source("proteins")
    acids = "ACDEFGHIKLMNPQRSTVWY"
    _, root = family()
    out = []
    for n in range(1500):
        row = [source.choice(acids) for _ in range(150 + source.below(300))]
        if source.random() < 0.03:
            at = source.below(len(row) - 90)
            row[at:at + 90] = [acid if source.random() > 0.4 else source.choice(acids)
                               for acid in root]
        out.append(f">p{n}\n{''.join(row)}\n")
    return "".join(out)


def circuit():
    """A chain of inverting stages that is fed with a sine."""
    out = ["* stages\n", "vin n0 0 sin(0 1 1meg)\n", "vcc vcc 0 5\n",
           ".model q npn(bf=120 cje=2p cjc=1p tf=0.3n)\n"]
    for n in range(12):
        out.append(f"c{n} n{n} b{n} 10n\nra{n} vcc b{n} 47k\nrb{n} b{n} 0 10k\n"
                   f"q{n} n{n + 1} b{n} e{n} q\nrc{n} vcc n{n + 1} 2.2k\n"
                   f"re{n} e{n} 0 1k\n")
    out.append(".tran 5n 40u\n.print tran v(n12)\n.end\n")
    return "".join(out)


def sales_sql():
    source = Source("sql")
    words = vocabulary(source, 300)
    out = ["create table sale(id integer primary key, customer integer, item text,"
           " price integer, day integer);\nbegin;\n"]
    for n in range(24000):
        out.append(f"insert into sale values({n},{source.below(700)},"
                   f"'{skewed(source, words)}',{1 + source.below(5000)},"
                   f"{source.below(365)});\n")
    out.append("commit;\ncreate index by_customer on sale(customer, day);\n"
               "select item, count(*), sum(price) from sale group by item"
               " order by 3 desc limit 9;\n"
               "select count(*) from sale a join sale b on a.customer = b.customer"
               " and a.day = b.day and a.id < b.id;\n"
               "select customer, sum(price) over (partition by customer order by day,"
               " id) as s from sale order by s desc, customer limit 5;\n")
    return "".join(out)


INPUTS = {"prose.txt": prose, "program.c": c_program, "network.min": network,
          "cells.v": verilog, "orders.xml": orders_xml, "video.y4m": video,
          "picture.ppm": picture, "scene.pov": scene, "clauses.cnf": clauses,
          "game.sgf": game, "game.gtp": go_orders,
          "chess.txt": chess_orders, "chain.xyz": molecule, "beam.inp": beam,
          "family.sto": lambda: family()[0], "proteins.fa": proteins,
          "stages.cir": circuit, "sales.sql": sales_sql}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in INPUTS.items():
        content = make()
        data = content if isinstance(content, bytes) else content.encode()
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()

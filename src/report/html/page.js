// What a report page does beyond showing itself: sorts the overview, opens and closes the
// benchmarks, and draws the single measurements of one that is open. Without it nothing is
// missing from the page but that.
"use strict";
(() => {
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  const make = (name, properties, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  // ---- The overview: a button in each heading ----
  const keyOf = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.key === undefined ? cell.textContent : Number(cell.dataset.key);
  };
  const compare = (a, b) => {
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1; // no number: last
    return typeof a === "number" ? a - b : a.localeCompare(b, "en", {numeric: true});
  };
  const sortBy = (table, heading) => {
    const column = heading.cellIndex;
    const up = heading.getAttribute("aria-sort") !== "ascending";
    const rows = [...table.tBodies[0].rows];
    const sign = up ? 1 : -1;
    rows.sort((a, b) => {
      const x = keyOf(a, column), y = keyOf(b, column);
      return typeof x !== typeof y ? compare(x, y) : sign * compare(x, y);
    });
    table.tBodies[0].append(...rows);
    $$("th[aria-sort]", table).forEach(other => other.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", up ? "ascending" : "descending");
  };
  $$("#changes").forEach(table => $$("thead th", table).forEach(heading => {
    const button = make("button", {type: "button"}, ...heading.childNodes);
    button.addEventListener("click", () => sortBy(table, heading));
    heading.append(button);
  }));

  // ---- The single measurements ----
  const decode = (data, name) => {
    const bytes = atob(data[name]);
    const low = Number(data[name + "Low"]), step = Number(data[name + "Step"]);
    const values = new Float64Array(bytes.length / 2);
    for (let i = 0; i < values.length; i++) {
      const number = bytes.charCodeAt(2 * i) + 256 * bytes.charCodeAt(2 * i + 1);
      values[i] = Math.exp(low + step * number);
    }
    return values;
  };
  const UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"], [1, "ns"]];
  const timeOf = ns => {
    const [size, unit] = UNITS.find(([least]) => ns >= least) || UNITS[3];
    return (ns / size).toPrecision(4) + "\u00a0" + unit;
  };
  const changeOf = ratio => (ratio < 1 ? "\u2212" : "+") +
    Math.abs((ratio - 1) * 100).toFixed(2) + "\u00a0%";

  class Tandem {
    constructor(element) {
      const data = element.dataset;
      this.paired = data.paired === "1";
      this.every = Number(data.every);
      this.old = decode(data, "a");
      const second = decode(data, "b");
      this.fresh = this.paired ? second.map((ratio, i) => ratio * this.old[i]) : second;
      this.ratio = this.paired ? second : null;
      this.starts = data.runs === "" ? [] : data.runs.split(",").map(Number);
      this.firstRun = Number(data.run); // NaN: not all runs have a start
      this.count = Math.max(this.old.length, this.fresh.length);
      this.from = 0;
      this.to = this.count; // [from, to) is shown
      this.cursor = -1;
      this.build(element);
    }
    build(element) {
      const what = this.paired ? "pair" : "iteration";
      this.canvas = make("canvas", {tabIndex: 0});
      this.canvas.setAttribute("role", "application");
      this.canvas.setAttribute("aria-label", `Every ${what}: the times of both sides` +
        (this.paired ? " above, their ratio below" : "") +
        ". Arrow keys go through them, plus and minus zoom, 0 shows all.");
      this.said = make("output", {});
      this.said.setAttribute("aria-live", "polite");
      const button = (label, name, act) => {
        const made = make("button", {type: "button", textContent: label});
        made.setAttribute("aria-label", name);
        made.addEventListener("click", act);
        return made;
      };
      const controls = make("div", {className: "controls"},
        button("+", "Zoom in", () => this.zoom(0.5)),
        button("\u2212", "Zoom out", () => this.zoom(2)),
        button("\u2190", "Earlier", () => this.shift(-0.5)),
        button("\u2192", "Later", () => this.shift(0.5)),
        button("All", "Show all", () => this.show(0, this.count)),
        make("span", {className: "key",
          textContent: "\u25cf old  \u25a0 new" + (this.paired ? "  \u25c6 ratio" : "") +
            "; drag to zoom, arrow keys to read"}));
      element.append(make("h4", {textContent: `Every ${what}` +
        (this.every > 1 ? `, one of ${this.every}` : "")}), controls, this.canvas, this.said);
      this.listen();
      new ResizeObserver(() => this.draw()).observe(this.canvas);
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    }
    listen() {
      const canvas = this.canvas;
      const indexAt = event => {
        const box = canvas.getBoundingClientRect();
        const share = (event.clientX - box.left - this.left) / (box.width - this.left - 8);
        const index = Math.round(this.from - 0.5 + share * (this.to - this.from));
        return Math.min(Math.max(index, this.from), this.to - 1);
      };
      canvas.addEventListener("pointerdown", event => {
        this.dragged = indexAt(event);
        canvas.setPointerCapture(event.pointerId);
      });
      canvas.addEventListener("pointermove", event => this.read(indexAt(event)));
      canvas.addEventListener("pointerup", event => {
        const low = Math.min(this.dragged, indexAt(event)), high = Math.max(this.dragged, indexAt(event));
        this.dragged = undefined;
        if (high - low > 3) this.show(low, high + 1);
      });
      canvas.addEventListener("pointercancel", () => { this.dragged = undefined; });
      canvas.addEventListener("dblclick", () => this.show(0, this.count));
      canvas.addEventListener("keydown", event => {
        if (event.ctrlKey || event.metaKey || event.altKey) return; // the browser's: its own zoom
        const page = Math.max(1, Math.round((this.to - this.from) / 10));
        const at = this.cursor < 0 ? this.from : this.cursor;
        const acts = {ArrowRight: () => this.read(at + 1), ArrowLeft: () => this.read(at - 1),
          PageDown: () => this.read(at + page), PageUp: () => this.read(at - page),
          Home: () => this.read(0), End: () => this.read(this.count - 1),
          "+": () => this.zoom(0.5), "-": () => this.zoom(2), 0: () => this.show(0, this.count)};
        if (acts[event.key]) {
          event.preventDefault();
          acts[event.key]();
        }
      });
    }
    show(from, to) {
      const width = Math.max(Math.min(to - from, this.count), Math.min(5, this.count));
      this.from = Math.round(Math.min(Math.max(from, 0), this.count - width));
      this.to = Math.round(this.from + width);
      this.draw();
    }
    zoom(factor) {
      const inside = this.cursor >= this.from && this.cursor < this.to;
      const middle = inside ? this.cursor : (this.from + this.to) / 2;
      const half = (this.to - this.from) * factor / 2;
      this.show(middle - half, middle + half);
    }
    shift(share) {
      const by = (this.to - this.from) * share;
      this.show(this.from + by, this.to + by);
    }
    read(index) {
      this.cursor = Math.min(Math.max(index, 0), this.count - 1);
      const i = this.cursor, width = this.to - this.from;
      if (i < this.from || i >= this.to) this.show(i - width / 2, i + width / 2);
      const run = this.firstRun - 1 + this.starts.filter(start => start <= i).length;
      const part = (name, values) => i < values.length ? `${name} ${timeOf(values[i])}` : "";
      this.said.textContent = [`${this.paired ? "pair" : "iteration"} ${i * this.every + 1}`,
        run > 0 && this.paired ? `run ${run}` : "", part("old", this.old),
        part("new", this.fresh), this.ratio ? `change ${changeOf(this.ratio[i])}` : ""]
        .filter(Boolean).join(", ");
      this.draw();
    }
    // Where most of what is shown lies (Tukey's outer fences): an outlier hides nothing.
    rangeOf(...series) {
      let low = Infinity, high = -Infinity;
      for (const values of series) {
        const seen = values.slice(this.from, this.to).sort();
        if (seen.length === 0) continue;
        const quarter = seen[Math.floor(seen.length / 4)], last = seen.length - 1;
        const upper = seen[Math.min(last, Math.floor(seen.length * 3 / 4))];
        low = Math.min(low, Math.max(seen[0], quarter - 3 * (upper - quarter)));
        high = Math.max(high, Math.min(seen[last], upper + 3 * (upper - quarter)));
      }
      if (low > high) return [0, 1];
      const margin = (high - low) * 0.06 || Math.abs(low) * 0.01 || 1;
      return [low - margin, high + margin];
    }
    draw() {
      const canvas = this.canvas, scale = devicePixelRatio || 1;
      const width = canvas.clientWidth, height = canvas.clientHeight;
      if (width === 0) return;
      canvas.width = width * scale;
      canvas.height = height * scale;
      const pen = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
      const color = name => style.getPropertyValue(name).trim();
      pen.scale(scale, scale);
      pen.font = "12px sans-serif";
      this.left = 72;
      const split = this.paired ? Math.round(height * 0.55) : height - 22;
      this.strip(pen, color, 8, split, this.rangeOf(this.old, this.fresh), timeOf,
        [[this.old, color("--old"), 0], [this.fresh, color("--new"), 1]], width);
      if (this.paired) {
        this.strip(pen, color, split + 14, height - 22, this.rangeOf(this.ratio), changeOf,
          [[this.ratio, color("--pairs"), 2]], width);
      }
      pen.fillStyle = color("--muted");
      pen.textAlign = "left";
      pen.fillText(String(this.from * this.every + 1), this.left, height - 6);
      pen.textAlign = "right";
      pen.fillText(String((this.to - 1) * this.every + 1), width - 8, height - 6);
    }
    // One panel from `top` to `bottom`: grid, runs, points, cursor.
    strip(pen, color, top, bottom, [low, high], label, series, width) {
      const right = width - 8, left = this.left;
      const x = i => left + (i + 0.5 - this.from) / (this.to - this.from) * (right - left);
      const y = value => bottom - (value - low) / (high - low) * (bottom - top);
      pen.lineWidth = 1;
      pen.textAlign = "right";
      for (let k = 0; k <= 2; k++) {
        const value = low + (high - low) * (0.1 + 0.4 * k);
        pen.strokeStyle = color("--line");
        pen.strokeRect(left, y(value), right - left, 0);
        pen.fillStyle = color("--muted");
        pen.fillText(label(value), left - 6, y(value) + 4);
      }
      if (this.paired && this.starts.length < (right - left) / 6) {
        this.starts.filter(start => start > this.from && start < this.to)
          .forEach(start => pen.strokeRect(x(start - 0.5), top, 0, bottom - top));
      }
      pen.save();
      pen.beginPath();
      pen.rect(left, top - 3, right - left, bottom - top + 6);
      pen.clip();
      const size = Math.min(Math.max((right - left) / (this.to - this.from) / 2, 1), 3);
      for (const [values, fill, shape] of series) {
        pen.fillStyle = fill;
        pen.beginPath();
        for (let i = this.from; i < Math.min(this.to, values.length); i++) {
          const px = x(i), py = y(Math.min(Math.max(values[i], low), high)); // or at the edge
          if (shape === 0) {
            pen.moveTo(px + size, py);
            pen.arc(px, py, size, 0, 7);
          } else if (shape === 1) {
            pen.rect(px - size, py - size, 2 * size, 2 * size);
          } else {
            pen.moveTo(px, py - size - 1);
            pen.lineTo(px + size + 1, py);
            pen.lineTo(px, py + size + 1);
            pen.lineTo(px - size - 1, py);
          }
        }
        pen.fill();
      }
      pen.restore();
      if (this.cursor >= this.from && this.cursor < this.to) {
        pen.strokeStyle = color("--ink");
        pen.strokeRect(x(this.cursor), top, 0, bottom - top);
      }
    }
  }

  // ---- The benchmarks: what is opened is drawn then ----
  const drawIn = details => $$(".tandem:empty", details).forEach(element => {
    if (element.dataset.a) new Tandem(element);
  });
  const benchmarks = $$("details.benchmark");
  benchmarks.forEach(details => {
    details.addEventListener("toggle", () => { if (details.open) drawIn(details); });
    if (details.open) drawIn(details);
  });
  const openTarget = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target && target.matches("details")) {
      target.open = true;
      target.scrollIntoView();
    }
  };
  addEventListener("hashchange", openTarget);
  openTarget();
  const tools = document.getElementById("tools");
  if (tools && benchmarks.length > 1) {
    [["Open all", true], ["Close all", false]].forEach(([label, open]) => {
      const button = make("button", {type: "button", textContent: label});
      button.addEventListener("click", () => benchmarks.forEach(each => { each.open = open; }));
      tools.append(button, " ");
    });
  }
})();

// SPDX-License-Identifier: MIT
package duet;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Times in ns. */
final class Times {
    double[] values = new double[1024];
    int count;

    void add(double ns) {
        values = count == values.length ? Arrays.copyOf(values, 2 * count) : values;
        values[count++] = ns;
    }
}

/** A benchmark that nobody compares measures itself. */
final class Alone {
    private static final Map<String, Double> UNITS = Map.of("ns", 1.0, "us", 1e3, "ms", 1e6,
            "s", 1e9, "", 1e9, "min", 60e9, "m", 60e9, "h", 3600e9, "d", 86400e9);
    private static final Pattern DURATION = Pattern.compile("(\\d+(?:\\.\\d+)?) *([a-z]*)");

    long operations;
    long tookNs;
    private final Regions regions = new Regions();
    private final String name;
    private final long iterations;
    private final long timeNs; // Long.MAX_VALUE: no limit
    private final boolean lists;
    private final boolean quiet;
    private final Times whole = new Times();
    private final Times[] parts = new Times[16];
    private boolean opened;
    private boolean warm;
    private long openedNs;
    private long startNs;

    Alone(String name) {
        String time = variable("DUET_TIME");
        String count = variable("DUET_ITERATIONS");
        this.name = name;
        iterations = count.isEmpty() ? 1_000_000 : number(count);
        if (time.isEmpty()) {
            timeNs = count.isEmpty() ? 1_000_000_000 : Long.MAX_VALUE;
        } else {
            timeNs = durationNs(time);
        }
        String times = variable("DUET_TIMES");
        lists = !times.isEmpty() && !times.equals("0");
        quiet = variable("DUET_REPORT").equals("none");
    }

    private static String variable(String name) {
        String value = System.getenv(name);
        return value == null ? "" : value;
    }

    private static long number(String text) {
        if (!text.matches("0*[1-9]\\d{0,17}")) {
            throw new DuetException("DUET_ITERATIONS=" + text
                    + " is not a number of iterations, such as 100");
        }
        return Long.parseLong(text);
    }

    private static long durationNs(String text) {
        Matcher parts = DURATION.matcher(text);
        double unit = parts.matches() ? UNITS.getOrDefault(parts.group(2), 0.0) : 0.0;
        double ns = unit == 0.0 ? 0.0 : Double.parseDouble(parts.group(1)) * unit;
        if (ns < 1.0 || ns > 1e18) {
            throw new DuetException("DUET_TIME=" + text
                    + " is not a duration; type a number and a unit, such as 500ms");
        }
        return (long) ns;
    }

    boolean begun() {
        return warm;
    }

    long index(boolean over) {
        return over && whole.count > 0 ? whole.count - 1 : whole.count;
    }

    boolean next() {
        long now = Sys.monoNs();
        operations = 1;
        tookNs = Long.MAX_VALUE;
        if (!opened) {
            opened = true;
            openedNs = now;
            return true;
        }
        long elapsed = now - openedNs;
        if (!warm) { // with a number of iterations and no time, one is warm-up
            warm = timeNs == Long.MAX_VALUE || elapsed >= timeNs / 10;
            return true;
        }
        return whole.count == 0 || (whole.count < iterations && elapsed < timeNs);
    }

    void begin() {
        regions.begin();
        startNs = Sys.monoNs();
    }

    void end() {
        long now = Sys.monoNs();
        regions.leave(now, 0);
        if (!warm) {
            return;
        }
        whole.add((double) Math.min(tookNs, now - startNs) / operations);
        for (int i = 0; i < regions.names.size(); i++) {
            parts[i] = parts[i] == null ? new Times() : parts[i];
            if (regions.visited[i]) {
                parts[i].add((double) regions.spent[i] / operations);
            }
        }
    }

    String region(String region) {
        return regions.enter(region, Sys.monoNs(), 0);
    }

    private static String summary(String title, Times times) {
        double[] sorted = Arrays.copyOf(times.values, times.count);
        Arrays.sort(sorted);
        int n = sorted.length;
        double mean = Arrays.stream(sorted).sum() / n;
        double squares = Arrays.stream(sorted).map(ns -> (ns - mean) * (ns - mean)).sum();
        double median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
        double divisor = mean >= 1e9 ? 1e9 : mean >= 1e6 ? 1e6 : mean >= 1e3 ? 1e3 : 1;
        String unit = mean >= 1e9 ? "s" : mean >= 1e6 ? "ms" : mean >= 1e3 ? "\u00b5s" : "ns";
        double shown = mean / divisor;
        String number = "%." + (shown >= 100 ? 1 : shown >= 10 ? 2 : 3) + "f";
        String spread = n < 2 ? "" : String.format(Locale.ROOT, " \u00b1 " + number,
                Math.sqrt(squares / (n - 1)) / divisor);
        return String.format(Locale.ROOT, "%s: " + number + "%s %s, median " + number + ", min "
                + number + ", max " + number + " (%d iteration%s)%n", title, shown, spread, unit,
                median / divisor, sorted[0] / divisor, sorted[n - 1] / divisor, n,
                n == 1 ? "" : "s");
    }

    /** Prints the times, unless standard output belongs to something else. */
    void report() {
        if (quiet) {
            return;
        }
        if (whole.count == 0) {
            throw new DuetException(name + ": no iteration was measured; call begin() and end() "
                    + "in a loop over next()");
        }
        StringBuilder text = new StringBuilder();
        for (int i = 0; lists && i < whole.count; i++) {
            text.append(new BigDecimal(whole.values[i]).round(new MathContext(15))
                    .stripTrailingZeros().toPlainString()).append('\n');
        }
        text.append(summary(name, whole));
        for (int i = 0; i < regions.names.size(); i++) {
            if (parts[i] != null && parts[i].count > 0) {
                text.append(summary(name + ": " + regions.names.get(i), parts[i]));
            }
        }
        byte[] bytes = text.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8);
        System.out.write(bytes, 0, bytes.length);
        if (System.out.checkError()) {
            throw new DuetException("cannot write the result to standard output");
        }
    }
}

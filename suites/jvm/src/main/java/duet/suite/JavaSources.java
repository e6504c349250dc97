package duet.suite;

/** Generated classes in Java, as a compiler's or a checker's input. */
final class JavaSources {
    private JavaSources() {}

    /** The source of class {@code C}number; it uses the one before it. */
    static String source(Inputs inputs, int number) {
        StringBuilder text = new StringBuilder("package p;\nimport java.util.*;\n");
        text.append("public class C").append(number).append(number > 0 && number % 3 == 0
                ? " extends C" + (number - 1) : "").append(" {\n");
        int fields = 3 + inputs.below(4);
        for (int i = 0; i < fields; i++) {
            text.append("  private int f").append(i).append(" = ").append(inputs.below(100))
                .append(";\n");
        }
        text.append("  private final Map<String, List<Integer>> table = new HashMap<>();\n");
        int methods = 6 + inputs.below(6);
        for (int i = 0; i < methods; i++) {
            method(inputs, text, number, i, fields);
        }
        return text.append("}\n").toString();
    }

    private static void method(Inputs inputs, StringBuilder text, int number, int method,
                               int fields) {
        String field = "f" + inputs.below(fields);
        text.append("  public int m").append(method).append("(int x, String s) {\n")
            .append("    int spare").append(method).append(" = ").append(inputs.below(9))
            .append(";\n    int sum = 0;\n");
        for (int i = 0; i < 2 + inputs.below(4); i++) {
            switch (inputs.below(5)) {
            case 0 -> text.append("    for (int i = 0; i < x; i++) { sum += i * ")
                    .append(field).append(" ^ ").append(inputs.below(1000)).append("; }\n");
            case 1 -> text.append("    if (s == null || s.length() > ").append(inputs.below(50))
                    .append(") { ").append(field).append("++; } else { sum -= s.hashCode(); }\n");
            case 2 -> text.append("    for (String k : table.keySet()) { if (k.startsWith(\"")
                    .append(inputs.word()).append("\")) { sum += table.get(k).size(); } }\n");
            case 3 -> text.append("    try { sum += Integer.parseInt(s); } ")
                    .append("catch (NumberFormatException e) { }\n");
            default -> text.append("    switch (x % 3) { case 0: sum++; break; case 1: sum += ")
                    .append(number > 0 ? "new C" + (number - 1) + "().m0(x - 1, s)" : "x")
                    .append("; break; default: sum--; }\n");
            }
        }
        text.append("    table.computeIfAbsent(s, k -> new ArrayList<>()).add(sum);\n")
            .append("    return sum + ").append(field).append(";\n  }\n");
    }
}

package duet.suite;

import duet.Duet;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Executes a workload's iterations through the harness: {@code Main WORKLOAD}. */
public final class Main {
    private static final Map<String, Supplier<Workload>> WORKLOADS = new TreeMap<>(Map.ofEntries(
            Map.entry("batik", BatikWorkload::new),
            Map.entry("ecj", EcjWorkload::new),
            Map.entry("fop", FopWorkload::new),
            Map.entry("h2", DatabaseWorkload::h2),
            Map.entry("hsqldb", DatabaseWorkload::hsqldb),
            Map.entry("jython", JythonWorkload::new),
            Map.entry("luindex", LuceneIndexWorkload::new),
            Map.entry("lusearch", LuceneSearchWorkload::new),
            Map.entry("pmd", PmdWorkload::new),
            Map.entry("scalac", ScalacWorkload::new),
            Map.entry("scalap", ScalapWorkload::new),
            Map.entry("scalariform", ScalariformWorkload::new),
            Map.entry("scalatest", ScalatestWorkload::new),
            Map.entry("xalan", XalanWorkload::new),
            Map.entry("zxing", ZxingWorkload::new)));

    private Main() {}

    /**
     * Ends with status 1 when an iteration fails or yields what it should not, 2 for a
     * workload that there is none of.
     */
    public static void main(String[] words) {
        if (words.length != 1 || !WORKLOADS.containsKey(words[0])) {
            System.err.println("usage: duet.suite.Main WORKLOAD, one of "
                    + String.join(", ", WORKLOADS.keySet()));
            System.exit(2);
        }
        try {
            measure(words[0], WORKLOADS.get(words[0]).get());
        } catch (Throwable failure) {
            failure.printStackTrace();
            System.err.println(words[0] + ": " + failure); // last: duet shows the last lines
            System.exit(1);
        }
        System.exit(0); // programs leave threads behind
    }

    private static void measure(String name, Workload workload) throws Exception {
        workload.setUp();
        try (Duet d = Duet.open(name)) {
            while (d.next()) {
                workload.prepare();
                System.gc();
                d.begin();
                long result = workload.iterate();
                d.end();
                if (result != workload.expected()) {
                    throw new IllegalStateException(name + ": iteration " + d.index()
                            + " returned " + result + " instead of " + workload.expected());
                }
            }
        }
    }
}

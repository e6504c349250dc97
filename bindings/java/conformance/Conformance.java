import duet.Duet;
import java.util.ArrayList;
import java.util.List;

/** What test_conformance.py asks of every binding: WHAT WORK [ITERATION]. */
public final class Conformance {
    private static volatile int sink;

    private static void work(long thousands) {
        int sum = 0;
        for (long i = 0; i < thousands * 1000; i++) {
            sum += (int) i ^ (sum << 1);
        }
        sink = sum;
    }

    /** This program again, in a process of its own. */
    private static int execute(String work) throws Exception {
        List<String> words = new ArrayList<>();
        words.add(ProcessHandle.current().info().command().orElse("java"));
        words.addAll(List.of("-cp", System.getProperty("java.class.path"), "Conformance", "plain",
                work));
        return new ProcessBuilder(words).inheritIO().start().waitFor();
    }

    private static void die() throws Exception {
        String self = Long.toString(ProcessHandle.current().pid());
        new ProcessBuilder("kill", "-9", self).start().waitFor();
        Thread.sleep(10_000);
    }

    private static void measure(String[] words) throws Exception {
        String what = words[0];
        long thousands = Long.parseLong(words[1]);
        long number = words.length > 2 ? Long.parseLong(words[2]) : 0;
        long done = 0;
        for (int i = 0; i < 20; i++) {
            work(Math.max(thousands, 100)); // until it is compiled
        }
        try (Duet d = Duet.open("conformance")) {
            if (what.equals("hand-on")) {
                d.handOn();
                if (execute(words[1]) != 0) {
                    throw new IllegalStateException("the worker has failed");
                }
            }
            for (; d.next(); done++) {
                if (what.equals("skip")) {
                    Thread.sleep(100);
                    continue;
                }
                if (what.equals("misuse")) {
                    d.end();
                }
                if (what.equals("count")) {
                    d.count(number);
                }
                if (what.equals("second") && done == 0 && execute(words[1]) == 0) {
                    throw new IllegalStateException("the second process was not told");
                }
                d.begin();
                if (what.equals("kill") && done == number) {
                    die();
                }
                if (what.equals("region")) {
                    d.region("parse");
                    work(thousands);
                    d.region("run");
                    work(thousands);
                } else {
                    work(what.equals("count") ? thousands * number : thousands);
                }
                d.end();
            }
            if (what.equals("report")) {
                System.err.println((d.attached() ? "attached " : "alone ") + done);
            }
        }
    }

    /** Any thread may drive it. */
    public static void main(String[] words) throws Exception {
        Thread thread = new Thread(() -> {
            try {
                measure(words);
            } catch (Exception failure) {
                System.err.println(failure);
                System.exit(1);
            }
        });
        thread.start();
        thread.join();
    }
}

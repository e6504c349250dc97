package duet.suite;

import java.util.Random;
import java.util.zip.CRC32;
import java.nio.charset.StandardCharsets;

/** Inputs that are the same everywhere: java.util.Random's algorithm is specified. */
final class Inputs {
    static final long SEED = 20200420; // the paper's conference began on that day

    private static final String[] SYLLABLES = {
        "ka", "lo", "mi", "ren", "sto", "ta", "vel", "da", "ne", "por", "shi", "un", "gra", "be",
    };

    private final Random random;

    /** @param stream one for each use, so that workloads do not depend on each other */
    Inputs(String stream) {
        random = new Random(SEED ^ (stream.hashCode() * 0x9e3779b97f4a7c15L));
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    /** A word of two to four syllables; small numbers are frequent, as in a language. */
    String word() {
        int rank = (int) Math.min(4999, 20 / (random.nextDouble() + 0.004));
        return word(rank + random.nextInt(1 + rank / 2));
    }

    /** The word of a number. */
    static String word(int number) {
        StringBuilder word = new StringBuilder();
        int left = number + SYLLABLES.length;
        while (left > 0) {
            word.append(SYLLABLES[left % SYLLABLES.length]);
            left /= SYLLABLES.length;
        }
        return word.toString();
    }

    String words(int count) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append(i == 0 ? "" : i % 12 == 0 ? ". " : " ").append(word());
        }
        return text.append('.').toString();
    }

    static long checksum(byte[] bytes, int length) {
        CRC32 sum = new CRC32();
        sum.update(bytes, 0, length);
        return sum.getValue();
    }

    static long checksum(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return checksum(bytes, bytes.length);
    }
}

package duet.suite;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.zip.CRC32;
import java.nio.charset.StandardCharsets;
import scala.tools.scalap.Main$;

/** Decodes the signatures in class files of Scala's library. */
final class ScalapWorkload implements Workload {
    private static final String[] CLASSES = {
        "scala/Option", "scala/collection/immutable/List", "scala/collection/immutable/Vector",
        "scala/collection/immutable/HashMap", "scala/collection/mutable/HashMap",
        "scala/collection/IterableOps", "scala/collection/Iterator", "scala/concurrent/Future",
        "scala/collection/immutable/TreeMap", "scala/math/BigDecimal", "scala/util/matching/Regex",
        "scala/collection/StringOps", "scala/collection/immutable/LazyList", "scala/Predef",
        "scala/collection/mutable/ArrayBuffer", "scala/util/Either", "scala/math/Ordering",
    };

    private final ArrayList<byte[]> files = new ArrayList<>();

    @Override
    public void setUp() throws IOException {
        for (String name : CLASSES) {
            try (InputStream file = scala.Option.class.getResourceAsStream("/" + name + ".class")) {
                files.add(file.readAllBytes());
            }
        }
    }

    @Override
    public long iterate() {
        CRC32 sum = new CRC32();
        for (byte[] file : files) {
            String text = Main$.MODULE$.decompileScala(file, false);
            sum.update(text.getBytes(StandardCharsets.UTF_8));
        }
        return sum.getValue();
    }

    @Override
    public long expected() {
        return 2115204446;
    }
}

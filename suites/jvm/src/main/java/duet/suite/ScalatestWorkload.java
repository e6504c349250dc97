package duet.suite;

import org.scalactic.Prettifier;
import org.scalactic.source.Position;
import org.scalatest.Args;
import org.scalatest.Args$;
import org.scalatest.Reporter;
import org.scalatest.events.Event;
import org.scalatest.events.TestFailed;
import org.scalatest.events.TestSucceeded;
import org.scalatest.funsuite.AnyFunSuite;
import scala.collection.immutable.List;
import scala.collection.immutable.List$;
import scala.runtime.BoxedUnit;

/** Registers and runs tests, one in ten of which fails and is told about. */
final class ScalatestWorkload implements Workload {
    private static final int TESTS = 1500;
    private static final Position HERE = new Position("ScalatestWorkload.java", "here", 1);

    private static final Prettifier PRETTIFIER = prettifier();

    /** Scalactic calls it `default`, which is no name in Java. */
    private static Prettifier prettifier() {
        try {
            return (Prettifier) Prettifier.class.getMethod("default").invoke(null);
        } catch (ReflectiveOperationException changed) {
            throw new IllegalStateException(changed);
        }
    }

    private static List<Object> numbers(Inputs inputs, int count) {
        List<Object> list = List$.MODULE$.empty();
        for (int i = 0; i < count; i++) {
            list = list.$colon$colon((Object) inputs.below(1000));
        }
        return list;
    }

    /** What a test class is: its constructor registers the tests. */
    private static final class Generated extends AnyFunSuite {
        private static final long serialVersionUID = 1;

        Generated() {
            Inputs inputs = new Inputs("tests");
            for (int i = 0; i < TESTS; i++) {
                List<Object> expected = numbers(inputs, 20);
                List<Object> actual = i % 10 == 0 ? numbers(inputs, 20) : expected.reverse();
                test(i + " " + inputs.words(4), List$.MODULE$.empty(), () -> {
                    assertResult(expected, actual.reverse(), PRETTIFIER, HERE);
                    return BoxedUnit.UNIT;
                }, HERE);
            }
        }
    }

    /** Counts, and writes what a reporter would print. */
    private static final class Counter implements Reporter {
        private final StringBuilder text = new StringBuilder();
        private long succeeded;
        private long failed;

        @Override
        public void apply(Event event) {
            if (event instanceof TestSucceeded success) {
                succeeded++;
                text.append(success.testName()).append('\n');
            } else if (event instanceof TestFailed failure) {
                failed++;
                text.append(failure.testName()).append(failure.message()).append('\n');
            }
        }
    }

    /** Scala's default arguments, as they are named for other languages. */
    private static Args arguments(Reporter reporter) {
        Args$ defaults = Args$.MODULE$;
        return new Args(reporter, defaults.apply$default$2(), defaults.apply$default$3(),
                defaults.apply$default$4(), defaults.apply$default$5(),
                defaults.apply$default$6(), defaults.apply$default$7(),
                defaults.apply$default$8(), defaults.apply$default$9(),
                defaults.apply$default$10());
    }

    @Override
    public void setUp() {}

    @Override
    public long iterate() {
        Counter counter = new Counter();
        new Generated().run(scala.Option.empty(), arguments(counter));
        return (counter.succeeded * 10000 + counter.failed) * 10000000 + counter.text.length();
    }

    @Override
    public long expected() {
        return 135001500079384L;
    }
}
